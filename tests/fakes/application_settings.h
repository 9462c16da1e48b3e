// application_settings: valid settings of an application that differ from others.
#pragma once

#include <string_view>
#include <vector>

#include "oauth/application_settings.h"

namespace svc::fakes {

// Returns another valid value of that setting.
template <class Setting, class Value>
Value another(const Setting& setting, Value value) {
  if constexpr (oauth::kIsText<Setting>) {
    value += " x";
  } else if constexpr (oauth::kIsUris<Setting>) {
    value.front() += "/x";
    value.emplace_back("https://second.example/cb");
  } else if constexpr (oauth::kIsScopes<Setting>) {
    value.add("media:upload");
  } else if constexpr (oauth::kIsSwitch<Setting>) {
    value = !value;
  } else {
    const auto& last = setting.choices.back();
    value = value == last.value ? setting.choices.front().value : last.value;
  }
  return value;
}

// Returns what a form sends for the value, or a command line has after its flag:
// a word per scope, and nothing for a switch that is off.
template <class Setting, class Value>
std::vector<std::string_view> texts_of(const Setting& setting, const Value& value) {
  if constexpr (oauth::kIsText<Setting>) {
    return {value};
  } else if constexpr (oauth::kIsUris<Setting>) {
    return {value.begin(), value.end()};
  } else if constexpr (oauth::kIsScopes<Setting>) {
    return value.names();
  } else if constexpr (oauth::kIsSwitch<Setting>) {
    return value ? std::vector<std::string_view>{"yes"} : std::vector<std::string_view>{};
  } else {
    return {setting.of(value).name};
  }
}

// Calls `check` once per setting, with its row and a copy of `settings` that
// differs in it only. Not for the type, which never changes, and decides about others.
template <class Check>
void for_each_change(const oauth::ApplicationSettings& settings, const Check& check) {
  base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
    if (row.name == "type") return;
    oauth::ApplicationSettings changed = settings;
    changed.*row.member = another(row.rule, settings.*row.member);
    check(row, changed);
  });
}

}  // namespace svc::fakes
