// application_settings: valid settings of an application that differ from others.
#pragma once

#include <string>

#include "oauth/application_settings.h"

namespace svc::fakes {

// Return another valid value of that setting.
inline std::string another(const oauth::TextSetting& setting, const std::string& text) {
  return setting.input == oauth::Input::Uri ? text + "/x" : text + " x";
}
inline oauth::ScopeSet another(const oauth::ScopesSetting& /*setting*/, oauth::ScopeSet scopes) {
  scopes.add("media:upload");
  return scopes;
}
template <class Value, std::size_t kCount>
Value another(const oauth::ChoiceSetting<Value, kCount>& setting, Value value) {
  const auto& last = setting.choices.back();
  return value == last.value ? setting.choices.front().value : last.value;
}
inline bool another(const oauth::SwitchSetting& /*setting*/, bool is_on) { return !is_on; }

// Calls `check` once per setting, with its row and a copy of `settings` that
// differs in it only.
template <class Check>
void for_each_change(const oauth::ApplicationSettings& settings, const Check& check) {
  base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
    oauth::ApplicationSettings changed = settings;
    changed.*row.member = another(row.rule, settings.*row.member);
    check(row, changed);
  });
}

}  // namespace svc::fakes
