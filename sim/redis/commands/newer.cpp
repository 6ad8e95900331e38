// The table of what came after Redis 7.0; see the header. From COMMAND LIST of the servers; for
// Redis 8.4 from the pages of its commands.
#include "sim/redis/commands/newer.hpp"

#include <algorithm>
#include <string>

#include "sim/base/error.hpp"
#include "sim/redis/commands/admission.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

namespace {

using enum ServerVersion;

constexpr ServerSet kSince72{redis_7_2, redis_8_0, redis_8_4, valkey_8_1, valkey_9};
constexpr ServerSet kAfter72{redis_8_0, redis_8_4, valkey_8_1, valkey_9};
constexpr ServerSet kRedis8{redis_8_0, redis_8_4};
constexpr ServerSet kFieldLifetimes{redis_8_0, redis_8_4, valkey_9};
constexpr ServerSet kNewest{redis_8_4, valkey_9};

constexpr Newer kNewer[] = {
    {"delex", "ifdeq", 2, {redis_8_4}},
    {"delex", "ifdne", 2, {redis_8_4}},
    {"delex", nullptr, 0, kHaveDelex, true},
    {"delifeq", nullptr, 0, kHaveDelifeq, true},
    {"set", "ifdeq", 3, {redis_8_4}},
    {"set", "ifdne", 3, {redis_8_4}},
    {"set", "ifeq", 3, kHaveSetIfeq, true},
    {"set", "ifne", 3, kHaveDelex, true},
    {"zrank", nullptr, 3, kSince72},
    {"zrevrank", nullptr, 3, kSince72},
    {"waitaof", nullptr, 0, kSince72},
    {"client", "setinfo", 1, kSince72},
    {"client", "no-touch", 1, kSince72},
    {"client", "capa", 1, kValkeys},
    {"client", "import-source", 1, kValkeys},
    {"cluster", "myshardid", 1, kSince72},
    {"cluster", "slot-stats", 1, {redis_8_4, valkey_8_1, valkey_9}},
    {"cluster", "migration", 1, {redis_8_4}},
    {"cluster", "cancelslotmigrations", 1, {valkey_9}},
    {"cluster", "flushslot", 1, {valkey_9}},
    {"cluster", "getslotmigrations", 1, {valkey_9}},
    {"cluster", "migrateslots", 1, {valkey_9}},
    {"cluster", "syncslots", 1, {valkey_9}},
    {"clusterscan", nullptr, 0, {valkey_9}},
    {"commandlog", nullptr, 0, kValkeys},
    {"script", "show", 1, kValkeys},
    {"hscan", "novalues", 3, kAfter72},
    {"hexpire", nullptr, 0, kFieldLifetimes},
    {"hexpireat", nullptr, 0, kFieldLifetimes},
    {"hexpiretime", nullptr, 0, kFieldLifetimes},
    {"hgetdel", nullptr, 0, kFieldLifetimes},
    {"hgetex", nullptr, 0, kFieldLifetimes},
    {"hpersist", nullptr, 0, kFieldLifetimes},
    {"hpexpire", nullptr, 0, kFieldLifetimes},
    {"hpexpireat", nullptr, 0, kFieldLifetimes},
    {"hpexpiretime", nullptr, 0, kFieldLifetimes},
    {"hpttl", nullptr, 0, kFieldLifetimes},
    {"hsetex", nullptr, 0, kFieldLifetimes},
    {"httl", nullptr, 0, kFieldLifetimes},
    {"bitop", "diff", 1, {redis_8_4}},
    {"bitop", "diff1", 1, {redis_8_4}},
    {"bitop", "andor", 1, {redis_8_4}},
    {"bitop", "one", 1, {redis_8_4}},
    {"digest", nullptr, 0, {redis_8_4}},
    {"msetex", nullptr, 0, kNewest},
    {"xackdel", nullptr, 0, {redis_8_4}},
    {"xdelex", nullptr, 0, {redis_8_4}},
    {"vadd", nullptr, 0, kRedis8},
    {"vcard", nullptr, 0, kRedis8},
    {"vdim", nullptr, 0, kRedis8},
    {"vemb", nullptr, 0, kRedis8},
    {"vgetattr", nullptr, 0, kRedis8},
    {"vinfo", nullptr, 0, kRedis8},
    {"vismember", nullptr, 0, kRedis8},
    {"vlinks", nullptr, 0, kRedis8},
    {"vrandmember", nullptr, 0, kRedis8},
    {"vrange", nullptr, 0, {redis_8_4}},
    {"vrem", nullptr, 0, kRedis8},
    {"vsetattr", nullptr, 0, kRedis8},
    {"vsim", nullptr, 0, kRedis8},
};

bool has_it(const Request& request, const Newer& newer) {
  if (!is_name(request[0], newer.command)) return false;
  if (newer.word == nullptr) return request.size() > newer.from;
  if (request.size() <= newer.from) return false;
  const auto first = request.begin() + static_cast<std::ptrdiff_t>(newer.from);
  return std::any_of(first, newer.is_subcommand() ? first + 1 : request.end(),
                     [&](const std::string& word) { return is_word(word, newer.word); });
}

/// "command 'client setinfo'", "option IFEQ of 'set'".
std::string named(const Newer& newer) {
  const std::string command = newer.command;
  if (newer.word == nullptr && newer.from == 0) return "command '" + command + "'";
  if (newer.is_subcommand()) return "command '" + command + " " + newer.word + "'";
  if (newer.word == nullptr) return "command '" + command + "' with so many arguments";
  return "option " + upper_case(newer.word) + " of '" + command + "'";
}

}  // namespace

const Newer* newer_in(const Request& request) {
  if (request.empty()) return nullptr;
  const auto* found =
      std::ranges::find_if(kNewer, [&](const Newer& newer) { return has_it(request, newer); });
  return found == std::end(kNewer) ? nullptr : found;
}

void refuse_newer(const Request& request, ServerVersion version) {
  const Newer* newer = newer_in(request);
  if (newer == nullptr || newer->simulated || !newer->servers.has(version)) return;
  throw BadInput(named(*newer) + ": " + name(version) + " has it, but it is not simulated");
}

void refuse_others(const Request& request, ServerVersion version) {
  refuse_newer(request, version);
  const Newer* newer = newer_in(request);
  if (newer == nullptr || newer->servers.has(version)) return;
  const bool one = newer->servers.all().size() == 1;
  const std::string text = named(*newer) + ": " + name(version) + " does not have it; " +
                           in_words(newer->servers) + (one ? " has it" : " have it");
  if (!newer->simulated) throw BadInput(text + ", but it is not simulated");
  throw BadInput(text + ": --server " + name(newer->servers.all().front()));
}

}  // namespace lockstep::sim
