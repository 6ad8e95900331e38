// See junit.hpp.
#include "cli/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/escaped.hpp"
#include "cli/suite.hpp"

namespace lockstep::cli {

namespace {

using Status = Tested::Status;

/// Between two tags a line may end as it is.
std::string lines_escaped(const std::string& text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    escaped += xml_escaped(text.substr(at, end - at)) + (end < text.size() ? "\n" : "");
    at = end + 1;
  }
  return escaped;
}

/// The element inside a test case that says how it failed; empty if it did not. With the run that
/// violates.
std::string trouble(const Tested& tested) {
  const auto element = [&](const char* name) {
    const auto head = fmt::format("    <{} message=\"{}\"", name, xml_escaped(tested.text));
    if (tested.told.empty()) return head + "/>\n";
    return fmt::format("{}>\n{}\n{}\n    </{}>\n", head, lines_escaped(tested.told),
                       lines_escaped(how_to_see(tested)), name);
  };
  switch (tested.status) {
    case Status::as_expected:
      return "";
    case Status::different:
      return element("failure");
    case Status::broken:
    case Status::failure:
      return element("error");
    case Status::unaudited:
    case Status::not_run:
      return element("skipped");
  }
  return "";
}

std::string test_case(const Tested& tested) {
  const auto inside = trouble(tested);
  const auto head =
      fmt::format("  <testcase classname=\"scenarios\" name=\"{}\" file=\"{}\" time=\"{:.3f}\"",
                  xml_escaped(tested.name), xml_escaped(tested.file), tested.seconds);
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "  </testcase>\n";
}

}  // namespace

std::string junit(const std::vector<Tested>& all) {
  const auto number = [&](std::initializer_list<Status> statuses) {
    return std::count_if(all.begin(), all.end(), [&](const Tested& one) {
      return std::find(statuses.begin(), statuses.end(), one.status) != statuses.end();
    });
  };
  double seconds = 0;
  std::string cases;
  for (const auto& one : all) {
    seconds += one.seconds;
    cases += test_case(one);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"lockstep\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuite>\n",
      all.size(), number({Status::different}), number({Status::broken, Status::failure}),
      number({Status::unaudited, Status::not_run}), seconds, cases);
}

}  // namespace lockstep::cli
