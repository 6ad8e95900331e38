// Commands on strings (Redis 7.0 t_string.c).
#include <algorithm>

#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/expiry.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Of what APPEND and SETRANGE would make.
void check_length(std::uint64_t length) {
  if (length > static_cast<std::uint64_t>(kLongestString)) {
    refuse("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  }
}

Reply bulk_or_null(const std::string* text) { return text ? Reply::bulk(*text) : Reply::null(); }

/// IFEQ or IFNE and what a string is compared with.
struct Condition {
  bool equal = true;
  const std::string* value = nullptr;  ///< null: there is none
  bool holds(const std::string& text) const { return (text == *value) == equal; }
};

/// The options that follow a value in SET, or a key in GETEX.
struct SetOptions {
  bool nx = false, xx = false, get = false, keep_ttl = false, persist = false;
  std::optional<TimeForm> form;
  const std::string* time = nullptr;
  Condition condition;
};

enum class Grammar : std::uint8_t { set, getex };

std::optional<TimeForm> time_option(const std::string& option) {
  if (is_word(option, "ex")) return TimeForm{TimeUnit::seconds, false};
  if (is_word(option, "px")) return TimeForm{TimeUnit::milliseconds, false};
  if (is_word(option, "exat")) return TimeForm{TimeUnit::seconds, true};
  if (is_word(option, "pxat")) return TimeForm{TimeUnit::milliseconds, true};
  return std::nullopt;
}

bool same(const TimeForm& a, const TimeForm& b) {
  return a.unit == b.unit && a.absolute == b.absolute;
}

bool is_condition(const std::string& option, ServerVersion version) {
  return (is_word(option, "ifeq") && kHaveSetIfeq.has(version)) ||
         (is_word(option, "ifne") && kHaveDelex.has(version));
}

/// Takes the option and its argument `next`; false if it cannot stand here. One condition excludes
/// another, even the same.
bool take_condition(SetOptions& o, const std::string& option, const std::string* next) {
  if (!next || o.condition.value || o.nx || o.xx) return false;
  o.condition = {is_word(option, "ifeq"), next};
  return true;
}

/// Takes one option (and, of a time option, its argument `next`); false if it cannot stand here. An
/// option may be repeated.
bool take_option(SetOptions& o, const std::string& option, const std::string* next,
                 Grammar grammar) {
  const bool set = grammar == Grammar::set;
  if (set && is_word(option, "nx") && !o.xx && !o.condition.value) return o.nx = true;
  if (set && is_word(option, "xx") && !o.nx && !o.condition.value) return o.xx = true;
  if (set && is_word(option, "get")) return o.get = true;
  if (set && is_word(option, "keepttl") && !o.form) return o.keep_ttl = true;
  if (!set && is_word(option, "persist") && !o.form) return o.persist = true;
  const auto form = time_option(option);
  if (!form || !next || o.keep_ttl || o.persist || (o.form && !same(*o.form, *form))) return false;
  o.form = form;
  o.time = next;
  return true;
}

SetOptions set_options(const Call& call, std::size_t first, Grammar grammar) {
  const Request& argv = call.argv;
  SetOptions o;
  for (std::size_t i = first; i < argv.size(); ++i) {
    const std::string* next = i + 1 < argv.size() ? &argv[i + 1] : nullptr;
    const bool compares =
        grammar == Grammar::set && is_condition(argv[i], call.execution.mode.version);
    if (!(compares ? take_condition(o, argv[i], next) : take_option(o, argv[i], next, grammar)))
      refuse_syntax();
    if (next && (o.time == next || o.condition.value == next)) ++i;
  }
  return o;
}

/// Sets a string and, if it is given one, its lifetime. In a Valkey one that is over takes away
/// what is there instead.
void set_told(Call& call, const std::string& key, const std::string& value,
              std::optional<WallTime> lifetime = std::nullopt) {
  if (lifetime && is_valkey(call.execution.mode.version) && call.is_over(*lifetime)) {
    if (call.find(key)) end_at_once(call, key);
    return;
  }
  Entry& entry = call.set(key, value);
  call.notify(kStringEvents, "set", key);
  if (!lifetime) return;
  entry.expires = *lifetime;
  call.notify(kGenericEvents, "expire", key);
}

Reply set_with_expiry(Call& call, TimeForm form, std::string_view command) {
  set_told(call, call.argv[1], call.argv[3], positive_expiry(call, call.argv[2], form, command));
  return Reply::ok();
}

void set_pairs(Call& call) {
  for (std::size_t i = 1; i < call.argv.size(); i += 2)
    set_told(call, call.argv[i], call.argv[i + 1]);
}

Reply run_get(Call& call) { return bulk_or_null(call.read<std::string>(call.argv[1])); }

Reply run_set(Call& call) {
  const SetOptions o = set_options(call, 3, Grammar::set);
  std::optional<WallTime> lifetime;
  if (o.form) lifetime = positive_expiry(call, *o.time, *o.form, "set");
  const std::string& key = call.argv[1];
  Reply old = o.get ? bulk_or_null(call.read<std::string>(key)) : Reply::null();
  const Entry* entry = call.find(key);
  if ((o.nx && entry) || (o.xx && !entry)) return old;
  if (o.condition.value) {
    const std::string* text = call.string_at(key);
    if (text ? !o.condition.holds(*text) : o.condition.equal) return old;
  }
  const auto kept = o.keep_ttl && entry ? entry->expires : std::nullopt;
  set_told(call, key, call.argv[2], lifetime);
  if (kept) call.find(key)->expires = kept;
  return o.get ? old : Reply::ok();
}

Reply run_setnx(Call& call) {
  if (call.find(call.argv[1])) return Reply::number(0);
  set_told(call, call.argv[1], call.argv[2]);
  return Reply::number(1);
}

Reply run_setex(Call& call) { return set_with_expiry(call, {TimeUnit::seconds, false}, "setex"); }
Reply run_psetex(Call& call) {
  return set_with_expiry(call, {TimeUnit::milliseconds, false}, "psetex");
}

Reply run_getset(Call& call) {
  Reply old = bulk_or_null(call.read<std::string>(call.argv[1]));
  set_told(call, call.argv[1], call.argv[2]);
  return old;
}

Reply run_getdel(Call& call) {
  const std::string* text = call.read<std::string>(call.argv[1]);
  Reply old = bulk_or_null(text);
  if (text) call.remove(call.argv[1]);
  return old;
}

/// Removes a key; 1.
Reply erased(Call& call) {
  call.remove(call.argv[1]);
  return Reply::number(1);
}

Reply run_delifeq(Call& call) {
  const std::string* text = call.string_at(call.argv[1]);
  return text && *text == call.argv[2] ? erased(call) : Reply::number(0);
}

/// DELEX key [IFEQ value | IFNE value]. What Redis says no to is asked in this order: a key that is
/// not there meets every condition with 0, even half a one.
Reply run_delex(Call& call) {
  const Request& argv = call.argv;
  const Entry* entry = call.find(argv[1]);
  if (!entry) return Reply::number(0);
  if (argv.size() == 2) return erased(call);
  const auto* text = std::get_if<std::string>(&entry->value);
  if (!text) refuse("ERR Key should be of string type if conditions are specified");
  if (argv.size() != 4) refuse_arity("delex");
  if (!is_condition(argv[2], call.execution.mode.version))
    refuse("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE");
  const Condition condition{is_word(argv[2], "ifeq"), &argv[3]};
  return condition.holds(*text) ? erased(call) : Reply::number(0);
}

Reply run_getex(Call& call) {
  const SetOptions o = set_options(call, 2, Grammar::getex);
  // Only Valkey 9 reads the time before it has looked for the key.
  if (o.form && call.execution.mode.version == ServerVersion::valkey_9)
    positive_expiry(call, *o.time, *o.form, "getex");
  const std::string* text = call.read<std::string>(call.argv[1]);
  if (!text) return Reply::null();
  Reply reply = Reply::bulk(*text);
  Entry& entry = *call.find(call.argv[1]);
  if (o.form) {
    const WallTime when = positive_expiry(call, *o.time, *o.form, "getex");
    if (call.is_over(when)) {
      end_at_once(call, call.argv[1]);
    } else {
      entry.expires = when;
      call.notify(kGenericEvents, "expire", call.argv[1]);
    }
  } else if (o.persist && entry.expires) {
    entry.expires.reset();
    call.notify(kGenericEvents, "persist", call.argv[1]);
  }
  return reply;
}

Reply run_mget(Call& call) {
  std::vector<Reply> values;
  for (std::size_t i = 1; i < call.argv.size(); ++i) {
    const Entry* entry = call.read(call.argv[i]);
    values.push_back(bulk_or_null(entry ? std::get_if<std::string>(&entry->value) : nullptr));
  }
  return Reply::array(std::move(values));
}

Reply run_mset(Call& call) {
  if (call.argv.size() % 2 == 0) refuse_arity("mset");
  set_pairs(call);
  return Reply::ok();
}

Reply run_msetnx(Call& call) {
  if (call.argv.size() % 2 == 0) refuse_arity("msetnx");
  for (std::size_t i = 1; i < call.argv.size(); i += 2) {
    if (call.find(call.argv[i])) return Reply::number(0);
  }
  set_pairs(call);
  return Reply::number(1);
}

Reply run_strlen(Call& call) {
  const std::string* text = call.read<std::string>(call.argv[1]);
  return Reply::number(text ? static_cast<std::int64_t>(text->size()) : 0);
}

Reply run_getrange(Call& call) {
  std::int64_t start = integer_argument(call.argv[2]);
  std::int64_t end = integer_argument(call.argv[3]);
  const std::string* text = call.read<std::string>(call.argv[1]);
  if (!text || (start < 0 && end < 0 && start > end)) return Reply::bulk("");
  const auto size = static_cast<std::int64_t>(text->size());
  if (start < 0) start = std::max<std::int64_t>(start + size, 0);
  if (end < 0) end = std::max<std::int64_t>(end + size, 0);
  end = std::min(end, size - 1);
  if (start > end) return Reply::bulk("");
  return Reply::bulk(
      text->substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start + 1)));
}

/// Writes a piece of the string, which begins if there is none, as `event` tells. Its length then.
Reply write_range(Call& call, std::size_t start, const std::string& piece, std::string_view event) {
  check_length(start + piece.size());
  std::string* text = call.string_at(call.argv[1]);
  const bool is_new = text == nullptr;
  if (!text) text = &std::get<std::string>(call.set(call.argv[1], "").value);
  std::string changed = *text;
  changed.resize(std::max(text->size(), start + piece.size()), '\0');
  changed.replace(start, piece.size(), piece);
  Entry& entry = *call.find(call.argv[1]);
  entry.encoding = Encoding::large;
  if (is_new) entry.maker = 0;  // each piece is somebody's
  const bool counted =
      std::ranges::any_of(entry.shares, [](const Share& share) { return share.place == 0; });
  if (changed != *text && entry.maker == 0 && !counted) {
    write_piece(entry.shares, 8 * start, 8 * piece.size(), call.execution.sender,
                piece.find_first_not_of('\0') == std::string::npos);
  } else if (changed != *text) {  // overwritten, as by SET
    entry.maker = call.execution.sender;
    entry.shares.clear();
  }
  *text = std::move(changed);
  call.notify(kStringEvents, event, call.argv[1]);
  return Reply::number(static_cast<std::int64_t>(text->size()));
}

Reply run_append(Call& call) {
  const std::string* text = call.string_at(call.argv[1]);
  const bool is_new = text == nullptr;
  Reply reply = write_range(call, text ? text->size() : 0, call.argv[2], "append");
  if (is_new) call.find(call.argv[1])->encoding = Encoding::compact;  // as by SET
  return reply;
}

Reply run_setrange(Call& call) {
  const std::int64_t offset = integer_argument(call.argv[2]);
  if (offset < 0) refuse("ERR offset is out of range");
  const std::string* text = call.string_at(call.argv[1]);
  if (call.argv[3].empty())
    return Reply::number(text ? static_cast<std::int64_t>(text->size()) : 0);
  return write_range(call, static_cast<std::size_t>(offset), call.argv[3], "setrange");
}

KeyArguments set_keys(const Request& request) {
  const bool reads = std::any_of(request.begin() + 3, request.end(),
                                 [](const std::string& word) { return is_word(word, "get"); });
  return {{1, reads ? "RW access update" : "OW update"}};
}

KeyArguments delex_keys(const Request&) { return {{1, "RW delete"}}; }

/// SET: not with NX, nor with a condition that does not hold; with GET the reply is the value
/// before.
bool touches_if_set(const Request& argv, const Reply& reply, bool was_there) {
  Condition condition;
  for (std::size_t i = 3; i < argv.size(); ++i) {
    if (is_word(argv[i], "nx")) return false;
    const bool compares = is_word(argv[i], "ifeq") || is_word(argv[i], "ifne");
    if (compares && i + 1 < argv.size()) condition = {is_word(argv[i], "ifeq"), &argv[i + 1]};
    if (compares || time_option(argv[i])) ++i;
  }
  if (!was_there || !condition.value) return was_there;
  return reply.kind == Reply::Kind::bulk ? condition.holds(reply.text)
                                         : reply.kind != Reply::Kind::null;
}

/// GETEX: an option that sets an expiry.
bool touches_if_expiry_given(const Request& argv, const Reply&, bool was_there) {
  return was_there && argv.size() > 2 &&
         std::none_of(argv.begin() + 2, argv.end(),
                      [](const std::string& word) { return is_word(word, "persist"); });
}

bool touches_if_any_text(const Request& argv, const Reply&, bool) { return !argv[3].empty(); }

constexpr Command kStringsRows[] = {
    {{"get", 2, kReadOnly | kFast, "string", {{"RO access", 1}}}, run_get},
    {{"set", -3, kWrite | kDenyOom, "string", {{"RW access update variable_flags", 1}}},
     run_set,
     {.traits = kGivesLifetime, .touches = touches_if_set, .find_keys = set_keys}},
    {{"setnx", 3, kWrite | kDenyOom | kFast, "string", {{"OW insert", 1}}}, run_setnx},
    {{"setex", 4, kWrite | kDenyOom, "string", {{"OW update", 1}}},
     run_setex,
     {.traits = kGivesLifetime, .touches = touches_always}},
    {{"psetex", 4, kWrite | kDenyOom, "string", {{"OW update", 1}}},
     run_psetex,
     {.traits = kGivesLifetime, .touches = touches_always}},
    {{"getset", 3, kWrite | kDenyOom | kFast, "string", {{"RW access update", 1}}},
     run_getset,
     {.touches = touches_always}},
    {{"getdel", 2, kWrite | kFast, "string", {{"RW access delete", 1}}}, run_getdel},
    {{"delex", -2, kWrite | kFast, "string", {{"RW delete variable_flags", 1}}},
     run_delex,
     {.find_keys = delex_keys, .servers = kHaveDelex}},
    {{"delifeq", 3, kWrite | kFast, "string", {{"RM delete", 1}}},
     run_delifeq,
     {.servers = kHaveDelifeq}},
    {{"getex", -2, kWrite | kFast, "string", {{"RW access update", 1}}},
     run_getex,
     {.traits = kGivesLifetime, .touches = touches_if_expiry_given}},
    {{"mget",
      -2,
      kReadOnly | kFast,
      "string",
      {{"RO access", 1, -1}},
      "request_policy:multi_shard"},
     run_mget},
    {{"mset",
      -3,
      kWrite | kDenyOom,
      "string",
      {{"OW update", 1, -1, 2}},
      "request_policy:multi_shard response_policy:all_succeeded"},
     run_mset,
     {.touches = touches_always}},
    {{"msetnx",
      -3,
      kWrite | kDenyOom,
      "string",
      {{"OW insert", 1, -1, 2}},
      "request_policy:multi_shard response_policy:agg_min"},
     run_msetnx},
    {{"append", 3, kWrite | kDenyOom | kFast, "string", {{"RW insert", 1}}},
     run_append,
     {.touches = touches_always}},
    {{"strlen", 2, kReadOnly | kFast, "string", {{"RO", 1}}}, run_strlen},
    {{"getrange", 4, kReadOnly, "string", {{"RO access", 1}}}, run_getrange},
    {{"substr", 4, kReadOnly, "string", {{"RO access", 1}}}, run_getrange},
    {{"setrange", 4, kWrite | kDenyOom, "string", {{"RW update", 1}}},
     run_setrange,
     {.traits = kMultiplies, .touches = touches_if_any_text}},
};

}  // namespace

std::span<const Command> string_commands() { return kStringsRows; }

}  // namespace lockstep::sim
