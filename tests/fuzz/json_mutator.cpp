// How libFuzzer changes a scenario or a trace: mostly as JSON, one value at a time and
// with the words that lockstep knows, so that what comes out gets past the parser.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "scenarios/catalog.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "tests/fuzz/fuzz.hpp"

// libFuzzer's own change of some bytes, and the hook by which it asks for ours.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);

namespace lockstep::fuzz {

namespace {

using scenarios::Json;

/// The names and the sentences that mean something somewhere in a scenario or a trace.
std::vector<std::string> known_words() {
  std::vector<std::string> words{"A",      "B",          "lock",  "lock b",  "work 3000", "sleep 5",
                                 "unlock", "connection", "image", "choices", "task"};
  const auto add = [&](const auto& more) { words.insert(words.end(), more.begin(), more.end()); };
  for (const auto& [object, keys] : scenarios::scenario_keys()) add(keys);
  for (const auto& sentence : scenarios::sentences()) words.push_back(sentence.form);
  add(scenarios::names_of(sim::kActions));
  add(scenarios::names_of(sim::kPersistences));
  add(scenarios::names_of(sim::kResources));
  add(scenarios::names_of(sim::kProperties));
  add(scenarios::names_of(sim::kWitnesses));
  add(scenarios::Catalog(LOCKSTEP_SOURCE_DIR).protocols());
  return words;
}

class Mutation {
 public:
  explicit Mutation(unsigned seed) : random_(seed) {}

  bool chance(unsigned one_of) { return below(one_of) == 0; }

  /// One value of the document, or a few.
  void change(Json& document) {
    do {
      places_.clear();
      collect(document);
      change_one(*pick(places_));
    } while (chance(3));
  }

 private:
  void collect(Json& value) {
    places_.push_back(&value);
    if (value.is_structured())
      for (auto& inner : value) collect(inner);
  }

  void change_one(Json& value) {
    if (value.is_object())
      change_object(value);
    else if (chance(3))
      value = Json(another_of_its_type(value));
    else if (value.is_array())
      change_list(value);
    else if (value.is_string())
      value = word();
    else
      value = number(value);
  }

  const Json& another_of_its_type(const Json& value) {
    std::vector<const Json*> others;
    for (const auto* place : places_)
      if (place->type() == value.type()) others.push_back(place);
    return *pick(others);
  }

  void change_list(Json& list) {
    if (list.empty()) return list.push_back(word());
    const auto at = below(list.size());
    const auto other = below(list.size());
    switch (below(3)) {
      case 0:
        list.erase(at);
        break;
      case 1:
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(other), Json(list.at(at)));
        break;
      default:
        std::swap(list.at(at), list.at(other));
    }
  }

  /// Mostly leaves it whole and changes what is in it: each key is there for a reason.
  void change_object(Json& object) {
    if (object.empty() || chance(8)) {
      object[word()] = chance(2) ? Json(number({})) : Json(*pick(places_));
      return;
    }
    const auto member =
        std::next(object.begin(), static_cast<std::ptrdiff_t>(below(object.size())));
    if (chance(4))
      object.erase(member);
    else
      change_one(*member);
  }

  /// A known word; the places of a sentence are filled in.
  std::string word() {
    static const auto words = known_words();
    auto text = pick(words);
    fill(text, "<client>", {"A", "B", "C"});
    fill(text, "<number>", {"0", "1", "5000", "10001", "-20000"});
    fill(text, "<node>", {"redis", "resource"});
    fill(text, "<words>", {"SET", "EVAL", "DEL", "lock"});
    return text;
  }

  void fill(std::string& text, const std::string& place, const std::vector<std::string>& fillings) {
    if (const auto at = text.find(place); at != std::string::npos)
      text.replace(at, place.size(), pick(fillings));
  }

  std::int64_t number(const Json& old) {
    static const std::vector<std::int64_t> others{
        0, 1, 2, 3, 8, 100, 255, 5000, 10'001, 2'592'000'000, INT64_MAX};
    if (!old.is_number_integer() || chance(2)) return pick(others);
    const auto value = old.get<std::int64_t>();
    return chance(2) ? value / 2 : -(value / 2);
  }

  template <class Value>
  const Value& pick(const std::vector<Value>& values) {
    return values.at(below(values.size()));
  }
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::mt19937 random_;
  std::vector<Json*> places_;
};

}  // namespace

}  // namespace lockstep::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  using namespace lockstep;
  fuzz::Mutation mutation(seed);
  auto json = scenarios::Json::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || mutation.chance(8)) return LLVMFuzzerMutate(data, size, most);
  mutation.change(json);
  const auto text = json.dump();
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
