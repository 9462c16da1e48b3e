#include "oauth/application_settings.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "media/record_fields.h"
#include "text/characters.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

template <class Setting, class Value>
void read_setting(text::JsonRecord& record, std::string_view key, const Setting& setting,
                  Value& value) {
  if constexpr (kIsText<Setting>) {
    if (!setting.if_empty.empty()) {
      value = media::read_name(record, key);
    } else {
      value = record.optional_text(key, media::kMaxDescriptionBytes).value_or("");
    }
  } else if constexpr (kIsScopes<Setting>) {
    const auto names = record.array(key);
    if (!names) return;
    for (std::size_t i = 0; i < names->size(); ++i) {
      if (!value.add(names->at(i).string().value_or("")))
        record.refuse(key, "must be a list of " + ScopeSet::list_of_names());
    }
    if (value.empty()) record.refuse(key, "must not be empty");
  } else if constexpr (kIsSwitch<Setting>) {
    value = record.optional_boolean(key, value);
  } else if (record.optional_text(key, 16)) {
    std::array<std::pair<std::string_view, Value>, std::tuple_size_v<decltype(setting.choices)>>
        names;
    std::ranges::transform(setting.choices, names.begin(),
                           [](const auto& choice) { return std::pair(choice.name, choice.value); });
    value = media::read_choice(record, key, names);
  }
}

// The name of the list of all values of a setting.
std::string plural_of(std::string_view key) { return std::string(key) + "s"; }

// A record with one URI, or of an earlier version, has no list.
void read_uris(text::JsonRecord& record, std::string_view key, ClientType type,
               std::vector<std::string>& uris) {
  const std::string all = plural_of(key);
  const auto list = record.optional_array(all);
  for (std::size_t i = 0; list && i < list->size(); ++i)
    uris.emplace_back(list->at(i).string().value_or(""));
  const auto first =
      uris.empty() ? record.text(key, kMaxRedirectUri) : record.optional_text(key, kMaxRedirectUri);
  if (uris.empty() && first) uris.push_back(*first);
  if (first && uris.front() != *first) record.refuse(key, "must be the first of " + all);
  if (uris.size() > kMostRedirectUris)
    record.refuse(all, "must not be more than " + std::to_string(kMostRedirectUris));
  for (const std::string& uri : uris) {
    if (const auto why = why_not_redirect_uri(uri, type))
      record.refuse(uris.size() == 1 ? key : std::string_view(all), *why);
  }
}

// Returns nullopt if the text is not UTF-8.
std::optional<std::size_t> characters_of(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) {
    const std::size_t length = text::utf8_length(text);
    if (length == 0) return std::nullopt;
    text.remove_prefix(length);
  }
  return count;
}

// Returns true if `is` is true for one of the characters, except line breaks
// and tabs.
template <class Is>
bool has(std::string_view text, Is is) {
  while (!text.empty()) {
    const std::string_view character =
        text.substr(0, std::max<std::size_t>(text::utf8_length(text), 1));
    if (character != "\n" && character != "\t" && is(character)) return true;
    text.remove_prefix(character.size());
  }
  return false;
}

// Returns "" if the text is valid.
std::string problem_of(const TextSetting& setting, const std::string& text) {
  if (text.empty()) return setting.if_empty.empty() ? "" : "must not be empty";
  const auto characters = characters_of(text);
  if (!characters) return "must be text in UTF-8";
  const bool is_line = setting.input == Input::Line;
  if (has(text, text::is_obeyed) || (is_line && text.find_first_of("\n\t") != std::string::npos)) {
    return std::string("must not have control characters") + (is_line ? " or line breaks" : "");
  }
  if (!has(text, std::not_fn(text::is_blank))) return "must have something to see";
  if (*characters > setting.most) {
    return "must not have more than " + std::to_string(setting.most) + " characters; it has " +
           std::to_string(*characters);
  }
  return {};
}

// Returns "" if all are valid. Names the URI if there are several.
std::string problem_of(const std::vector<std::string>& uris, ClientType type) {
  if (uris.empty()) return "must not be empty";
  if (uris.size() > kMostRedirectUris) {
    return "must not be more than " + std::to_string(kMostRedirectUris) + "; there are " +
           std::to_string(uris.size());
  }
  for (std::size_t i = 0; i < uris.size(); ++i) {
    const std::string number = uris.size() == 1 ? "" : "number " + std::to_string(i + 1) + " ";
    if (uris[i].empty()) return number + "must not be empty";
    if (const auto why = why_not_registered(uris[i], type)) return number + *why;
    if (std::find(uris.begin(), uris.begin() + static_cast<std::ptrdiff_t>(i), uris[i]) !=
        uris.begin() + static_cast<std::ptrdiff_t>(i))
      return number + "must not be the same as another";
  }
  return {};
}

}  // namespace

void settle(ApplicationSettings& settings) {
  if (settings.type != ClientType::Public) return;
  settings.require_pkce = true;
  settings.exact_redirect = true;
  settings.scope_format = ScopeFormat::String;
  settings.refuse_query_credentials = false;  // it has none
}

void read_settings(text::JsonRecord& record, ApplicationSettings& settings) {
  // That of records from before there was a choice.
  settings.scope_format = ScopeFormat::Array;
  base::for_each(kApplicationSettings, [&]<class Row>(const Row& row) {
    if constexpr (kIsUris<decltype(Row::rule)>) {
      read_uris(record, row.name, settings.type, settings.*row.member);
    } else {
      read_setting(record, row.name, row.rule, settings.*row.member);
    }
  });
  settle(settings);
}

void write_settings(text::json::ObjectWriter& writer, const ApplicationSettings& settings,
                    std::string_view only) {
  base::for_each(kApplicationSettings, [&]<class Row>(const Row& row) {
    if (!only.empty() && row.name != only) return;
    using Setting = decltype(Row::rule);
    const auto& value = settings.*row.member;
    if constexpr (kIsText<Setting>) {
      writer.string(row.name, value);
    } else if constexpr (kIsUris<Setting>) {
      writer.string(row.name, value.empty() ? "" : value.front());
      if (value.size() > 1)
        writer.strings(plural_of(row.name),
                       std::vector<std::string_view>(value.begin(), value.end()));
    } else if constexpr (kIsScopes<Setting>) {
      writer.strings(row.name, value.names());
    } else if constexpr (kIsSwitch<Setting>) {
      writer.boolean(row.name, value);
    } else if (!std::is_same_v<std::decay_t<decltype(value)>, ClientType> ||
               row.rule.of(value).value != row.rule.choices.front().value) {
      // Records of earlier versions have no type.
      writer.string(row.name, row.rule.of(value).name);
    }
  });
}

SettingsProblems problems_of(const ApplicationSettings& settings) {
  SettingsProblems problems;
  base::for_each(kApplicationSettings, [&]<class Row>(const Row& row) {
    std::string problem;
    if constexpr (kIsText<decltype(Row::rule)>)
      problem = problem_of(row.rule, settings.*row.member);
    if constexpr (kIsUris<decltype(Row::rule)>)
      problem = problem_of(settings.*row.member, settings.type);
    if constexpr (kIsScopes<decltype(Row::rule)>) {
      if ((settings.*row.member).empty()) problem = "must not be empty";
    }
    if (!problem.empty()) problems.push_back({row.name, std::move(problem)});
  });
  return problems;
}

std::string to_text(const SettingsProblems& problems) {
  std::string text;
  for (const SettingProblem& problem : problems)
    text::add_word(text, std::string(problem.setting) + " " + problem.text, "; ");
  return text;
}

std::string differences_of(const ApplicationSettings& before, const ApplicationSettings& after) {
  std::string names;
  base::for_each(kApplicationSettings, [&](const auto& row) {
    if (before.*row.member != after.*row.member) text::add_word(names, row.name);
  });
  return names;
}

std::string why_not_name(const std::string& name, std::size_t most) {
  return problem_of(TextSetting{.input = Input::Line, .most = most, .if_empty = "required"}, name);
}

}  // namespace svc::oauth
