// READ and WRITE with fencing tokens; see the header.
#include "live/resource.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

std::int64_t fencing_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw sim::BadInput(fmt::format(
        "the fencing token that acquire() returned is \"{}\", not a whole number", text));
  return number;
}

}  // namespace

sim::SharedReply Resource::execute(const sim::Request& request, Basis& basis, bool& lost) {
  LOCKSTEP_CHECK(request.size() > 2);
  const bool write = request[0] == "WRITE";
  const bool checked =
      kind_ == sim::Resource::fenced || (kind_ == sim::Resource::fenced_writes && write);
  if (checked && !request[1].empty()) {
    const auto token = fencing_number(request[1]);
    auto& highest = highest_[request[2]];
    if (token < highest)
      return sim::Reply::error(
          fmt::format("STALE fencing token {} is lower than {}", request[1], highest));
    highest = token;
  }
  if (!write) basis.clear();
  lost = false;
  for (auto lock = request.begin() + 2; lock != request.end(); ++lock) {
    auto& version = version_[*lock];
    if (!write) {
      basis[*lock] = version;
      continue;
    }
    const auto read = basis.find(*lock);
    lost = lost || (read != basis.end() && read->second != version);
    ++version;
  }
  return sim::Reply::ok();
}

}  // namespace lockstep::live
