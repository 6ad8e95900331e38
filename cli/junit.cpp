// See junit.hpp.
#include "cli/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/escaped.hpp"

namespace lockstep::cli {

namespace {

using Status = Tested::Status;

/// The element inside a test case that says how it failed; empty if it did not.
std::string trouble(const Tested& tested) {
  const auto element = [&](const char* name) {
    return fmt::format("    <{} message=\"{}\"/>\n", name, xml_escaped(tested.text));
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
