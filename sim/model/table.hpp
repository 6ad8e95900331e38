// What a table of the domain is: one row for each value of an enumeration, with all that is said of
// it, in the order of the values. Whoever wants to know something of a value looks it up: a header
// declares `constexpr const auto& table_of(Fault) { return kFaultTable; }`, the rest stands here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace lockstep::sim {

/// Whether the enumeration declares `value`: compilers spell a declared one `Fault::pause`, any
/// other `(Fault)7`.
template <auto value>
constexpr bool is_declared() {
  return std::string_view(__PRETTY_FUNCTION__).find("= (") == std::string_view::npos;
}

/// Whether there is one row for each value, in their order; a row names its value first.
template <class Row, std::size_t rows>
constexpr bool is_complete(const std::array<Row, rows>& table) {
  using Value = decltype(Row::value);
  for (std::size_t i = 0; i < rows; ++i)
    if (table[i].value != static_cast<Value>(i)) return false;
  return !is_declared<static_cast<Value>(rows)>();
}

/// An enumeration that has a table.
template <class Value>
concept Tabled = requires(Value value) {
  table_of(value);
};

template <Tabled Value>
constexpr const auto& row(Value value) {
  return table_of(value)[static_cast<std::size_t>(value)];
}
template <Tabled Value>
constexpr const char* name(Value value) {
  return row(value).name;
}

/// The values of a table, in their order.
template <class Row, std::size_t rows>
constexpr auto values_of(const std::array<Row, rows>& table) {
  std::array<decltype(Row::value), rows> values{};
  for (std::size_t i = 0; i < rows; ++i) values[i] = table[i].value;
  return values;
}

/// A row of a table that says nothing but names.
template <class Value>
struct NameRow {
  Value value;
  const char* name;  ///< of flags, scenarios and printouts
};

/// A set of up to `count` things, as bits: the narrowest type that has one for each.
template <std::size_t count>
requires(count <= 32) using SetOf = std::conditional_t<
    (count <= 8), std::uint8_t, std::conditional_t<(count <= 16), std::uint16_t, std::uint32_t>>;

/// The set that holds one element.
template <class Set>
constexpr Set only(unsigned element) {
  return static_cast<Set>(Set{1} << element);
}
template <Tabled Value>
constexpr auto only(Value value) {
  return only<SetOf<table_of(Value{}).size()>>(static_cast<unsigned>(value));
}
template <class Set>
constexpr bool has(Set set, unsigned element) {
  return (set >> element & 1U) != 0;
}
template <class Set>
constexpr Set without(Set set, unsigned element) {
  return static_cast<Set>(set & ~only<Set>(element));
}

}  // namespace lockstep::sim
