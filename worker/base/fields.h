// fields: a record described once, as a table of its members.
//
//   inline constexpr auto kFields = describe<Project>(
//       Field{"id", &Project::id}, Field{"name", &Project::name, Most{100}});
//   for_each(kFields, [&](const auto& field) { writer.add(field.name, project.*field.member); });
//
// The compiler rejects a member that has two rows or lacks a row. So all code that visits the table
// (readers, writers, differences, flags) has every member.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace svc::base {

struct NoRule {};

// A member with its name in JSON and forms, and what else its visitors need.
template <class Record, class Value, class Rule = NoRule>
struct Field {
  std::string_view name;
  Value Record::*member;
  Rule rule{};
};
template <class Record, class Value>
Field(std::string_view, Value Record::*) -> Field<Record, Value>;
template <class Record, class Value, class Rule>
Field(std::string_view, Value Record::*, Rule) -> Field<Record, Value, Rule>;

namespace fields {

struct Anything {
  template <class Value>
  operator Value() const;  // NOLINT(google-explicit-constructor): stands for each member
};

template <class Record, std::size_t... kIndex>
constexpr bool takes(std::index_sequence<kIndex...> /*members*/) {
  return requires { Record{(static_cast<void>(kIndex), Anything{})...}; };
}

template <class A, class B>
constexpr bool is_same_member(const A& one, const B& other) {
  if constexpr (std::is_same_v<decltype(one.member), decltype(other.member)>) {
    return one.member == other.member;
  } else {
    return false;
  }
}

template <class Row, class... Rows>
constexpr bool are_different(const Row& row, const Rows&... rows) {
  if constexpr (sizeof...(Rows) == 0) {
    return true;
  } else {
    return !(is_same_member(row, rows) || ...) && are_different(rows...);
  }
}

}  // namespace fields

// The number of members of an aggregate without bases and arrays.
template <class Record, std::size_t kAtLeast = 0>
constexpr std::size_t member_count() {
  if constexpr (fields::takes<Record>(std::make_index_sequence<kAtLeast + 1>())) {
    return member_count<Record, kAtLeast + 1>();
  } else {
    return kAtLeast;
  }
}

template <class Record, class... Rows>
consteval std::tuple<Rows...> describe(Rows... rows) {
  static_assert(std::is_aggregate_v<Record>);
  static_assert(sizeof...(Rows) == member_count<Record>(),
                "a member of the record has no row in its table, or two");
  if (!fields::are_different(rows...)) throw "a member of the record has two rows in its table";
  return {rows...};
}

template <class Table, class Visit>
constexpr void for_each(const Table& table, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, table);
}

}  // namespace svc::base
