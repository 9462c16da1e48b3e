// application_settings: what users decide about an application, one row per
// setting. Its JSON, its field in the form, its flag of `svcctl app create`, its
// checks and its audit events follow from the row. The compiler rejects a setting whose row is
// missing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "oauth/client_type.h"
#include "oauth/redirect_uri.h"
#include "oauth/scope_set.h"
#include "text/json_record.h"

namespace svc::oauth {

enum class ScopeFormat { Array, String };

struct ApplicationSettings {
  ClientType type = ClientType::Confidential;
  std::string name;
  std::string description;
  std::vector<std::string> redirect_uris;  // 1 to kMostRedirectUris; the first is in our links
  ScopeSet scopes;
  ScopeFormat scope_format = ScopeFormat::String;
  bool require_pkce = false;
  bool exact_redirect = false;
  bool refuse_query_credentials = false;

  bool operator==(const ApplicationSettings&) const = default;
};

// The words of a setting for the users of the form and of its flag.
struct SettingWords {
  std::string_view label{};
  std::string_view hint{};         // HTML
  std::string_view when_edited{};  // follows the hint if the application exists already
  std::string_view flag{};         // the help of the flag
};

enum class Input { Line, Lines };

struct TextSetting {
  SettingWords words{};
  std::string_view flag_value{};  // "NAME"
  Input input = Input::Line;
  std::size_t most = 0;         // characters
  std::string_view if_empty{};  // message of the form then; "": the text may be empty
};

// A list of redirect URIs. A record has the first as NAME, and all as NAMEs if there are several.
struct UrisSetting {
  SettingWords words{};
  std::string_view flag_value{};
  std::string_view if_empty{};
};

struct ScopesSetting {
  SettingWords words{};
  std::string_view flag_value{};
  std::string_view if_empty{};
};

template <class Value, std::size_t kCount>
struct ChoiceSetting {
  struct Choice {
    std::string_view name{};
    Value value{};
    std::string_view label{};
    std::string_view hint{};  // HTML
    std::string_view when_set{};
  };

  SettingWords words{};
  std::array<Choice, kCount> choices{};

  constexpr const Choice& of(Value value) const {
    for (const Choice& choice : choices) {
      if (choice.value == value) return choice;
    }
    return choices.front();
  }
};

struct SwitchSetting {
  SettingWords words{};
  std::string_view when_set{};  // text on the page of the application then
};

// For visitors of the table. Any other setting is a choice.
template <class Setting>
inline constexpr bool kIsText = std::is_same_v<Setting, TextSetting>;
template <class Setting>
inline constexpr bool kIsUris = std::is_same_v<Setting, UrisSetting>;
template <class Setting>
inline constexpr bool kIsScopes = std::is_same_v<Setting, ScopesSetting>;
template <class Setting>
inline constexpr bool kIsSwitch = std::is_same_v<Setting, SwitchSetting>;

// Sets the value to a text of a form or a command line, or adds the text to a list; any text turns
// a switch on. Returns false, and leaves the value, if the text is not valid for it.
template <class Setting, class Value>
bool set_from(const Setting& setting, Value& value, std::string_view text) {
  if constexpr (kIsText<Setting>) {
    value = text;
  } else if constexpr (kIsUris<Setting>) {
    value.emplace_back(text);
  } else if constexpr (kIsScopes<Setting>) {
    return value.add(text);
  } else if constexpr (kIsSwitch<Setting>) {
    value = true;
  } else {
    const auto choice = std::ranges::find(setting.choices, text, &Setting::Choice::name);
    if (choice == setting.choices.end()) return false;
    value = choice->value;
  }
  return true;
}

// In the order of the record and of the form. Names are permanent: workers of
// other versions read the record.
inline constexpr auto kApplicationSettings = base::describe<ApplicationSettings>(
    base::Field{
        "type", &ApplicationSettings::type,
        ChoiceSetting<ClientType, 2>{
            .words = {.label = "What it is",
                      .hint = "It stays so: later, register another application instead.",
                      .flag = "whether it can keep a secret; confidential if not given"},
            .choices = {{{.name = "confidential",
                          .value = ClientType::Confidential,
                          .label = "A program on a server",
                          .hint = "It can keep a secret that no user sees."},
                         {.name = "public",
                          .value = ClientType::Public,
                          .label = "A program in a browser or on a device",
                          .when_set = "It has no secret, and every refresh replaces its refresh "
                                      "token."}}}}},
    base::Field{"name", &ApplicationSettings::name,
                TextSetting{.words = {.label = "Name",
                                      .hint = "Users see it when they are asked for access."},
                            .flag_value = "NAME",
                            .most = 100,
                            .if_empty = "Enter a name. Users see it when they are asked for "
                                        "access."}},
    base::Field{"description", &ApplicationSettings::description,
                TextSetting{.words = {.label = "Description",
                                      .hint = "What the application does with the access. Users "
                                              "see it too. Optional."},
                            .flag_value = "TEXT",
                            .input = Input::Lines,
                            .most = 2000}},
    base::Field{
        "redirect_uri", &ApplicationSettings::redirect_uris,
        UrisSetting{
            .words = {.label = "Redirect URI",
                      .hint =
                          "Where users are sent back to, with the response. One per line, at "
                          "most 10; our link uses the first. Each begins with "
                          "https://, or with http:// on 127.0.0.1 or [::1] while you develop; "
                          "it has no fragment (#) and no user name (@). A desktop, phone or "
                          "command-line program may also have http:// on localhost, or a scheme "
                          "of its own such as com.example.app:/callback. Requests must contain "
                          "one of these addresses. Only two things may differ: requests may add "
                          "query parameters at the end, and on loopback they may use any port.",
                      .when_edited = "If you change one, links and requests with the old one stop "
                                     "working.",
                      .flag =
                          "URI to which users return after they allowed or denied access; up to "
                          "10 times"},
            .flag_value = "URI",
            .if_empty = "Enter the address that users are sent back to."}},
    base::Field{
        "scopes", &ApplicationSettings::scopes,
        ScopesSetting{.words = {.label = "Permissions",
                                .hint = "What the application may ask for. Choose no more than it "
                                        "needs.",
                                .when_edited = "If you change this, existing tokens keep what "
                                               "users have allowed, and users are asked again the "
                                               "next time."},
                      .flag_value = "SCOPE,SCOPE",
                      .if_empty = "Choose at least one permission."}},
    base::Field{
        "scope_format", &ApplicationSettings::scope_format,
        ChoiceSetting<ScopeFormat, 2>{
            .words = {.label = "Scopes in token responses",
                      .flag = "how responses list scopes; string if not given"},
            .choices = {{{.name = "array",
                          .value = ScopeFormat::Array,
                          .label = "A list of names",
                          .hint = "<code>[\"media:read\"]</code>, for applications that were made "
                                  "for it. Most OAuth libraries refuse it."},
                         {.name = "string",
                          .value = ScopeFormat::String,
                          .label = "One text",
                          .hint = "As in RFC 6749: <code>\"media:read stats:read\"</code>",
                          .when_set = "Token answers name scopes in one text."}}}}},
    base::Field{
        "require_pkce", &ApplicationSettings::require_pkce,
        SwitchSetting{.words = {.label = "Require PKCE",
                                .hint = "Every request for access must have a "
                                        "<code>code_challenge</code>. A stolen code is useless "
                                        "without it.",
                                .flag = "refuse an authorization request without PKCE"},
                      .when_set = "PKCE is required."}},
    base::Field{
        "exact_redirect", &ApplicationSettings::exact_redirect,
        SwitchSetting{.words = {.label = "Allow no extra parameters in the redirect URI",
                                .hint = "Otherwise requests may add query parameters to it.",
                                .flag = "refuse a redirect URI with another query"},
                      .when_set = "The redirect URI may have no extra parameters."}},
    base::Field{
        "refuse_query_credentials", &ApplicationSettings::refuse_query_credentials,
        SwitchSetting{.words = {.label = "Refuse the client secret in addresses",
                                .hint = "It must then be in the body or the header of a token "
                                        "request, which fewer servers log.",
                                .flag = "refuse credentials in the query of a request"},
                      .when_set = "The client secret is refused in addresses."}});

// Sets what is the same for each application of its type: a public one requires PKCE and the exact
// redirect URI, and its scopes are one text. oauth-P1
void settle(ApplicationSettings& settings);

// Reads them from a stored record. Does not check all rules for new settings: a
// stored record stays readable if a release makes one stricter.
void read_settings(text::JsonRecord& record, ApplicationSettings& settings);
// `only`: the name of one setting; "": all.
void write_settings(text::json::ObjectWriter& writer, const ApplicationSettings& settings,
                    std::string_view only = "");

// An invalid setting, and the error to be printed after its name: "must not be
// empty".
struct SettingProblem {
  std::string_view setting;
  std::string text;
};
using SettingsProblems = std::vector<SettingProblem>;  // empty: all are valid
SettingsProblems problems_of(const ApplicationSettings& settings);
// The problems, each after the name of its setting: "name must not be empty; …".
std::string to_text(const SettingsProblems& problems);

// Returns the names of the settings that differ: "name, scopes".
std::string differences_of(const ApplicationSettings& before, const ApplicationSettings& after);

// Returns why a line of text is not a name of at most `most` characters, "must …"; "" if it is one.
std::string why_not_name(const std::string& name, std::size_t most);

}  // namespace svc::oauth
