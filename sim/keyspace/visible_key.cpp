// Off an entry of the keyspace; see the header.
#include "sim/keyspace/visible_key.hpp"

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

VisibleValue visible(const Entry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  if (const auto* list = std::get_if<List>(&entry.value)) {
    VisibleList elements;
    for (const auto& element : *list) elements.push_back(element.value);
    return elements;
  }
  if (const auto* hash = std::get_if<Hash>(&entry.value)) {
    VisibleHash fields;
    for (const auto& [field, content] : *hash) fields[field] = content.value;
    return fields;
  }
  if (const auto* set = std::get_if<Set>(&entry.value)) {
    VisibleSet members;
    for (const auto& [member, about] : *set) members.insert(member);
    return members;
  }
  VisibleSortedSet scores;
  for (const auto& [member, about] : std::get<SortedSet>(entry.value)) {
    scores[member] = about.score;
  }
  return scores;
}

}  // namespace lockstep::sim
