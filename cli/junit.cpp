// See junit.hpp.
#include "cli/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace lockstep::cli {

namespace {

using Status = Tested::Status;

constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// The number of bytes of the UTF-8 sequence at `at`, or 0 if it is none that XML can contain.
std::size_t sequence_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character =
      (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return too_long || no_character ? 0 : length;
}

std::string escaped_byte(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
    case '\n':
    case '\r':
      return fmt::format("&#{};", static_cast<int>(c));
    default:
      return {c};
  }
}

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

std::string xml_escaped(const std::string& text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = sequence_length(text, at);
    if (length == 0)
      escaped += kReplacement;
    else if (length == 1)
      escaped += escaped_byte(text[at]);
    else
      escaped += text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return escaped;
}

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
