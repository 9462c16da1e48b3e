// record_table: reads and writes the JSON of a record by the table of its members (base/fields.h).
//
// A row has the key, and a rule if the type of the member does not say enough. The rows are in the
// order of the keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "media/allowed_domains.h"
#include "media/customizations.h"
#include "media/id.h"
#include "media/media.h"
#include "media/record_fields.h"
#include "text/json.h"
#include "text/json_record.h"
#include "text/record_gate.h"

namespace svc::media {

using base::Field;
using base::NoRule;

template <class Number>
struct Range {
  Number low;
  Number high;
};
template <class Number>
Range(Number, Number) -> Range<Number>;
inline constexpr Range<std::int64_t> kIntegers{1, kMaxIntegerId};

// The limit of an array.
struct AtMost {
  std::size_t entries;
};

template <class Value, std::size_t kSize>
using Words = std::array<std::pair<std::string_view, Value>, kSize>;

// An optional word. Absent if it is the first.
template <class Value, std::size_t kSize>
struct IfOther {
  Words<Value, kSize> words;
};
template <class Value, std::size_t kSize>
IfOther(std::array<std::pair<std::string_view, Value>, kSize>) -> IfOther<Value, kSize>;

// A record or null.
template <class Table>
struct Object {
  Table table;
};
template <class Table>
Object(Table) -> Object<Table>;

// An array of records. check() refuses an element that does not go with those before it.
template <class Table, class Element>
struct List {
  Table table;
  void (*check)(text::JsonRecord& json, const Element& element, const std::vector<Element>& before);
};
template <class Table, class Element>
List(Table, void (*)(text::JsonRecord&, const Element&, const std::vector<Element>&))
    -> List<Table, Element>;

// A key of stored records only, not of import lines. Omitted if the member is empty or false.
template <class Rule = NoRule>
struct Stored {
  Rule rule{};
};
template <class Rule>
Stored(Rule) -> Stored<Rule>;

// Read by the caller, because it decides on the table.
template <class Rule>
struct Given {
  Rule rule;
};
template <class Rule>
Given(Rule) -> Given<Rule>;

template <class Type, template <class...> class Template>
constexpr bool kIs = false;
template <class... Types, template <class...> class Template>
constexpr bool kIs<Template<Types...>, Template> = true;
template <class Value>
constexpr bool kIsNumberId = requires(Value id) {
  requires std::is_same_v<decltype(id.raw), std::int64_t>;
};

// Both or neither: with only one, the ratio is unknown.
inline constexpr auto kDimensions = base::describe<Dimensions>(
    Field{"width", &Dimensions::width}, Field{"height", &Dimensions::height});
std::optional<Dimensions> read_dimensions(text::JsonRecord& json);

// nullopt without the key. Names are stored as canonical_domain() returns them.
std::optional<AllowedDomains> read_domains(text::JsonRecord& json, std::string_view key);

std::vector<HashedId> read_ids(text::JsonRecord& json, std::string_view key, AtMost rule);

// Returns the keys of an import line, after `first`.
template <class Rule>
constexpr bool is_imported(const Rule& rule) {
  if constexpr (requires { rule.rule; }) {
    return !kIs<Rule, Stored> && is_imported(rule.rule);
  } else {
    return true;
  }
}
template <class Table>
std::vector<std::string_view> keys_of(const Table& table,
                                      std::vector<std::string_view> first = {}) {
  const auto append = [&first](const auto& row) { first.push_back(row.name); };
  base::for_each(table, [&](const auto& row) {
    if (!is_imported(row.rule)) return;
    row.name.empty() ? base::for_each(kDimensions, append) : append(row);
  });
  return first;
}

template <class Table, class Record>
void read_members(text::JsonRecord& json, const Table& table, Record& record);
template <class Table, class Record>
void write_members(text::json::ObjectWriter& json, const Table& table, const Record& record);

// Reads a nested record, which has no other keys if it is in an import line.
template <class Table, class Record>
void read_nested(text::JsonRecord& json, const Table& table, Record& record) {
  if (json.is_strict()) {
    static const std::vector<std::string_view> kKeys = keys_of(table);
    json.allow_only(kKeys);
  }
  read_members(json, table, record);
}

template <class Element, class Table>
void read_list(text::JsonRecord& json, std::string_view key,
               const std::optional<text::json::Value>& array, std::vector<Element>& all,
               const List<Table, Element>& rule) {
  for (std::size_t i = 0; array && i < array->size() && json.ok(); ++i) {
    text::JsonRecord inner(json, key, i, array->at(i));
    Element element;
    read_nested(inner, rule.table, element);
    rule.check(inner, element, all);
    all.push_back(std::move(element));
    json.adopt(inner);
  }
}

// By the types of the member and its rule.
template <class Value, class Rule>
void read_member(text::JsonRecord& json, std::string_view key, Value& value, const Rule& rule) {
  if constexpr (kIs<Rule, Given>) {
    return;
  } else if constexpr (kIs<Rule, Stored>) {
    if constexpr (kIs<decltype(rule.rule), List>) {
      read_list(json, key, json.optional_array(key), value, rule.rule);
    } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(rule.rule)>, AtMost>) {
      if (json.optional_array(key)) value = read_ids(json, key, rule.rule);
    } else {
      read_member(json, key, value, rule.rule);
    }
  } else if constexpr (kIs<Rule, List>) {
    read_list(json, key, json.array(key), value, rule);
  } else if constexpr (kIs<Rule, Object>) {
    if (const auto object = json.optional_object(key)) {
      text::JsonRecord inner(json, key, *object);
      read_nested(inner, rule.table, value.emplace());
      json.adopt(inner);
    }
  } else if constexpr (std::is_same_v<Rule, AtMost>) {
    value = read_ids(json, key, rule);
  } else if constexpr (std::is_same_v<Rule, Text>) {
    value = read_text(json, key, rule);
  } else if constexpr (std::is_enum_v<Value>) {
    value = read_choice(json, key, rule);
  } else if constexpr (requires { rule.words; }) {
    if (json.optional_text(key, kMaxWord)) value = read_choice(json, key, rule.words);
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    value = json.integer(key, rule.low, rule.high);
  } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) {
    value = json.optional_integer(key, rule.low, rule.high);
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    value = json.optional_number(key, rule.low, rule.high);
  } else if constexpr (std::is_same_v<Value, std::optional<Dimensions>>) {
    value = read_dimensions(json);
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = json.optional_boolean(key, false);
  } else if constexpr (std::is_same_v<Value, std::optional<bool>>) {
    const bool given = json.optional_boolean(key, false);
    if (given == json.optional_boolean(key, true)) value = given;
  } else if constexpr (std::is_same_v<Value, std::optional<AllowedDomains>>) {
    value = read_domains(json, key);
  } else if constexpr (kIsNumberId<Value>) {
    value = Value{json.integer(key, 1, kMaxIntegerId)};
  } else if constexpr (std::is_same_v<Value, Customizations>) {
    const auto object = json.optional_object(key);
    if (object) value = customizations_of(*object);
  } else if constexpr (std::is_same_v<Value, HashedId>) {
    value = read_hashed_id(json, key);
  } else if constexpr (std::is_same_v<Value, ProjectId>) {
    value = read_project_id(json, key);
  } else {
    static_assert(std::is_same_v<Value, std::optional<ProjectId>>, "a row without a reader");
    if (json.optional_text(key, ProjectId::kMaxLength)) value = read_project_id(json, key);
  }
}

template <class Value, class Rule>
void write_member(text::json::ObjectWriter& json, std::string_view key, const Value& value,
                  const Rule& rule) {
  if constexpr (kIs<Rule, Given>) {
    write_member(json, key, value, rule.rule);
  } else if constexpr (kIs<Rule, Stored>) {
    if (value != Value()) write_member(json, key, value, rule.rule);
  } else if constexpr (kIs<Rule, List>) {
    text::json::ArrayWriter array(json.raw(key));
    for (const auto& element : value) {
      text::json::ObjectWriter inner(array.next());
      write_members(inner, rule.table, element);
      inner.end();
    }
    array.end();
  } else if constexpr (kIs<Rule, Object>) {
    if (!value) return;
    text::json::ObjectWriter inner(json.raw(key));
    write_members(inner, rule.table, *value);
    inner.end();
  } else if constexpr (std::is_same_v<Rule, AtMost>) {
    text::json::ArrayWriter array(json.raw(key));
    for (const auto& id : value) array.string(id.value());
    array.end();
  } else if constexpr (std::is_same_v<Rule, Text>) {
    if (rule.absent != Absent::Omitted || !value.empty()) json.string(key, value);
  } else if constexpr (std::is_enum_v<Value>) {
    json.string(key, name_of(rule, value));
  } else if constexpr (requires { rule.words; }) {
    if (value && *value != rule.words.front().second) json.string(key, name_of(rule.words, *value));
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    json.integer(key, value);
  } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) {
    if (value) json.integer(key, *value);
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    if (value) json.decimal(key, *value);
  } else if constexpr (std::is_same_v<Value, std::optional<Dimensions>>) {
    append_dimensions(json, value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    json.boolean(key, value);
  } else if constexpr (std::is_same_v<Value, std::optional<bool>>) {
    if (value) json.boolean(key, *value);
  } else if constexpr (std::is_same_v<Value, std::optional<AllowedDomains>>) {
    if (!value) return;
    text::json::ArrayWriter array(json.raw(key));
    for (const std::string& domain : *value) array.string(domain);
    array.end();
  } else if constexpr (kIsNumberId<Value>) {
    json.integer(key, value.value());
  } else if constexpr (std::is_same_v<Value, Customizations>) {
    append_customizations(json.raw(key), value);
  } else if constexpr (std::is_same_v<Value, HashedId> || std::is_same_v<Value, ProjectId>) {
    json.string(key, value.value());
  } else {
    static_assert(std::is_same_v<Value, std::optional<ProjectId>>, "a row without a writer");
    if (value) json.string(key, value->value());
  }
}

// Whether a member is read as it was written.
template <class Table, class Record>
bool are_same(const Table& table, const Record& written, const Record& read);
template <class Value, class Rule>
bool is_same(const Value& written, const Value& read, const Rule& rule) {
  if constexpr (kIs<Rule, Given> || kIs<Rule, Stored>) {
    return is_same(written, read, rule.rule);
  } else if constexpr (kIs<Rule, List>) {
    bool same = written.size() == read.size();
    for (std::size_t i = 0; same && i < written.size(); ++i)
      same = are_same(rule.table, written[i], read[i]);
    return same;
  } else if constexpr (kIs<Rule, Object>) {
    return written.has_value() == read.has_value() &&
           (!written || are_same(rule.table, *written, *read));
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    return text::is_same_number(written, read);
  } else if constexpr (requires {
                         rule.words;
                         written.value();
                       }) {
    const auto& absent = rule.words.front().second;
    return written.value_or(absent) == read.value_or(absent);
  } else {
    return written == read;
  }
}
template <class Table, class Record>
bool are_same(const Table& table, const Record& written, const Record& read) {
  bool same = true;
  base::for_each(table, [&](const auto& row) {
    same = same && is_same(written.*row.member, read.*row.member, row.rule);
  });
  return same;
}

template <class Table, class Record>
void read_members(text::JsonRecord& json, const Table& table, Record& record) {
  base::for_each(
      table, [&](const auto& row) { read_member(json, row.name, record.*row.member, row.rule); });
}

template <class Table, class Record>
void write_members(text::json::ObjectWriter& json, const Table& table, const Record& record) {
  base::for_each(
      table, [&](const auto& row) { write_member(json, row.name, record.*row.member, row.rule); });
}

template <class Record, class Table>
base::Result<Record, std::string> from_record(text::JsonRecord& json, const Table& table) {
  Record record;
  read_members(json, table, record);
  if (!json.ok()) return base::Refusal{json.error()};
  return record;
}

// Returns the only member of type `Value` of a record that from_record() may refuse; nullopt if
// that member cannot be read.
template <class Value, class Record, class Table>
std::optional<Value> member_in(text::json::Document& document, std::string_view text,
                               const Table& table) {
  const auto object = document.parse(text, text::json::Origin::Ours);
  if (!object || !object->is_object()) return std::nullopt;
  Value value;
  text::JsonRecord json(*object);
  base::for_each(table, [&](const auto& row) {
    if constexpr (std::is_same_v<decltype(row.member), Value Record::*>)
      read_member(json, row.name, value, row.rule);
  });
  return json.ok() ? std::optional(value) : std::nullopt;
}

// The name of a row in words for users.
constexpr std::string_view field_name(std::string_view key) {
  return key.empty() ? std::get<0>(kDimensions).name : key;
}

// Fields that decide who may watch: a film can be closed, whatever else its record has.
inline constexpr auto kWhoMayWatch = std::to_array<std::string_view>(
    {"visibility", kAllowedDomainsField, "allow_no_referrer", "links_from", "links"});

// A record of one line, for the gate (text/record_gate.h).
template <class Record, const auto& kTable, std::size_t kMaxBytes>
struct OneLine {
  static constexpr std::size_t kLimit = kMaxBytes;
  static constexpr auto kMayGrow = kWhoMayWatch;

  static std::string write(const Record& record) {
    std::string out;
    text::json::ObjectWriter json(out);
    write_members(json, kTable, record);
    json.end();
    return out;
  }
  static base::Result<Record, std::string> read(std::string_view written) {
    text::json::Document document;
    return text::parse_record(document, written, [](text::JsonRecord& json) {
      return from_record<Record>(json, kTable);
    });
  }
  template <class Visit>
  static void for_each_field(const Visit& visit) {
    base::for_each(kTable, [&](const auto& row) {
      visit(
          field_name(row.name),
          [&row](text::json::ObjectWriter& json, const Record& record) {
            write_member(json, row.name, record.*row.member, row.rule);
          },
          [&row](const Record& written, const Record& read) {
            return is_same(written.*row.member, read.*row.member, row.rule);
          });
    });
  }
};

}  // namespace svc::media
