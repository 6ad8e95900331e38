// Strict reading of JSON; see the header.
#include "scenarios/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"

namespace lockstep::scenarios {

namespace {

/// What is nested deeper is no scenario and no trace, and whatever walks through it has a stack.
constexpr std::size_t kDeepest = 100;
/// An object keeps its keys in the order of the file, and looks them up one by one.
constexpr std::size_t kMostKeys = 10'000;

/// "file:3:14" of the byte with that index, counted from 1.
std::string line_and_column(const std::string& text, const std::string& file, std::size_t byte) {
  const auto before = std::string_view(text).substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last_break = before.rfind('\n');
  const auto column =
      last_break == std::string_view::npos ? before.size() + 1 : before.size() - last_break;
  return fmt::format("{}:{}:{}", file, line, column);
}

/// What the parser says, without its own prefix ("[json.exception...] parse error at line 1, column
/// 2: ").
std::string without_prefix(const std::string& message) {
  const auto end = message.find("column ");
  const auto colon = end == std::string::npos ? end : message.find(": ", end);
  auto rest = colon == std::string::npos ? message : message.substr(colon + 2);
  std::replace(rest.begin(), rest.end(), '\n', ' ');
  return rest;
}

/// A short form of a value, for errors.
std::string shown(const Json& value) {
  auto text = value.dump();
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// Refuses JSON that no reader here can want. Before it is read: with a callback the library's
/// parser looks through all elements of a list whenever one ends.
class Strict : public nlohmann::json_sax<Json> {
 public:
  explicit Strict(const std::string& file) : file_(file) {}

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& key) override {
    if (!keys_.back().insert(key).second)
      throw sim::BadInput(fmt::format("{}: the key `{}` stands twice in one object", file_, key));
    if (keys_.back().size() > kMostKeys)
      throw sim::BadInput(fmt::format("{}: an object of more than {} keys", file_, kMostKeys));
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() > kDeepest)
      throw sim::BadInput(
          fmt::format("{}: lists and objects are nested more than {} deep", file_, kDeepest));
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  const std::string& file_;
  std::vector<std::set<std::string>> keys_;  ///< of each object that is open; a list has none
};

/// The number that an error of the parser shows in quotes.
std::string between_quotes(const std::string& message) {
  const auto from = message.find('\'') + 1;
  return message.substr(from, message.rfind('\'') - from);
}

}  // namespace

Json parse_json(const std::string& text, const std::string& file) {
  // The parser takes a zero byte for the end, whatever comes after it.
  if (const auto zero = text.find('\0'); zero != std::string::npos)
    throw sim::BadInput(
        fmt::format("{}: not JSON: a zero byte", line_and_column(text, file, zero)));
  try {
    Strict strict(file);
    Json::sax_parse(text, &strict);  // what is no JSON, the next line says
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto place = line_and_column(text, file, error.byte == 0 ? 0 : error.byte - 1);
    throw sim::BadInput(fmt::format("{}: not JSON: {}", place, without_prefix(error.what())));
  } catch (const Json::out_of_range& error) {
    const auto number = between_quotes(error.what());
    throw sim::BadInput(fmt::format("{}: the number {} is too large",
                                    line_and_column(text, file, text.find(number)), number));
  }
}

void JsonPlace::fail(const std::string& what) const {
  throw sim::BadInput(fmt::format("{}: {}: {}", file_, path_, what));
}

void JsonPlace::fail_type(std::string_view expected) const {
  fail(fmt::format("found {}, expected {}", shown(*value_), expected));
}

void JsonPlace::expect_object(const std::vector<std::string>& keys) const {
  if (!value_->is_object()) fail_type("an object");
  for (const auto& key : this->keys()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const JsonPlace unknown((*value_)[key], file_, path_ + "." + key);
    unknown.fail(fmt::format("unknown key `{}`{}", key, suggestion(key, keys)));
  }
}

void JsonPlace::expect_version(std::int64_t version, std::string_view what,
                               std::string_view remedy) const {
  if (const auto found = integer(0, INT32_MAX); found != version)
    fail(fmt::format("{} of version {}; this lockstep reads version {}: {}", what, found, version,
                     remedy));
}

std::optional<JsonPlace> JsonPlace::optional(const std::string& key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonPlace(*found, file_, path_ + "." + key);
}

JsonPlace JsonPlace::required(const std::string& key) const {
  require({key.c_str()});
  return *optional(key);
}

void JsonPlace::require(std::initializer_list<const char*> keys) const {
  std::vector<std::string> missing;
  for (const char* key : keys)
    if (!value_->contains(key)) missing.push_back(fmt::format("`{}`", key));
  if (missing.empty()) return;
  fail(fmt::format("the key{} {} {} missing", missing.size() > 1 ? "s" : "",
                   fmt::join(missing, ", "), missing.size() > 1 ? "are" : "is"));
}

std::vector<JsonPlace> JsonPlace::elements() const {
  if (!value_->is_array()) fail_type("a list");
  std::vector<JsonPlace> places;
  for (std::size_t i = 0; i < value_->size(); ++i)
    places.emplace_back((*value_)[i], file_, fmt::format("{}[{}]", path_, i));
  return places;
}

std::vector<std::string> JsonPlace::keys() const {
  if (!value_->is_object()) fail_type("an object");
  std::vector<std::string> keys;
  for (const auto& item : value_->items()) keys.push_back(item.key());
  return keys;
}

std::string JsonPlace::text() const {
  if (!value_->is_string() || value_->get_ref<const std::string&>().empty()) fail_type("a text");
  return value_->get<std::string>();
}

std::int64_t JsonPlace::integer(std::int64_t least, std::int64_t most) const {
  const auto expected = fmt::format("a whole number from {} to {}", least, most);
  if (!value_->is_number_integer()) fail_type(expected);
  const bool too_large = value_->is_number_unsigned() &&
                         value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  const auto number = too_large ? most : value_->get<std::int64_t>();
  if (too_large || number < least || number > most) fail_type(expected);
  return number;
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) fail_type("true or false");
  return value_->get<bool>();
}

double JsonPlace::number_above_zero() const {
  if (!value_->is_number() || value_->get<double>() <= 0) fail_type("a number above 0");
  return value_->get<double>();
}

std::size_t JsonPlace::one_of(const std::vector<std::string>& names, std::string_view what) const {
  const auto found = text();
  const auto at = std::find(names.begin(), names.end(), found);
  if (at == names.end())
    fail(fmt::format("unknown {} `{}`{}", what, found, suggestion(found, names)));
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace lockstep::scenarios
