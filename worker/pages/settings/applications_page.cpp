#include "pages/settings/applications_page.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/paths.h"
#include "base/unreadable.h"
#include "login/visitors.h"
#include "oauth/authorization_link.h"
#include "oauth/consent.h"
#include "oauth/operation.h"
#include "oauth/redirect_uri.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/scope_descriptions.h"
#include "text/ascii.h"
#include "text/rfc3339.h"
#include "text/shell.h"
#include "text/word_list.h"

namespace svc::pages {
namespace {

constexpr std::string_view kApplications = "applications";
constexpr std::string_view kNew = "new-application";

// What an application is, in the words of its developer.
struct TypeOption {
  std::string_view value;  // in the form
  oauth::ClientType type;
  std::string_view label;
  std::string_view hint;
};
constexpr TypeOption kTypes[] = {
    {"confidential", oauth::ClientType::Confidential, "A program on a server",
     "It gets a secret, which its users never see."},
    {"browser", oauth::ClientType::Public, "A browser application",
     "Scripts in a page, which can keep no secret. It proves itself by PKCE."},
    {"native", oauth::ClientType::Public, "A desktop, phone or command-line program",
     "It runs on its users' devices and can keep no secret. It proves itself by PKCE."}};
constexpr std::string_view kTypeField = "type";

// The option for an application that was entered before.
std::string_view option_of(const oauth::ApplicationSettings& settings) {
  if (settings.type == oauth::ClientType::Confidential) return kTypes[0].value;
  const bool is_native =
      !settings.redirect_uris.empty() &&
      oauth::redirect_target(settings.redirect_uris.front()) != oauth::RedirectTarget::Server;
  return kTypes[is_native ? 2 : 1].value;
}

// Adds each line with something in it.
void add_lines(std::string_view text, std::vector<std::string>& lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string line = tidy(text.substr(0, end));
    if (!line.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

oauth::ApplicationSettings settings_in(const text::Form& form) {
  oauth::ApplicationSettings settings;
  base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
    const std::string_view name =
        oauth::kIsScopes<decltype(Row::rule)> ? std::string_view("scope") : row.name;
    for (const text::FormField& field : form.fields()) {
      if (field.name != name) continue;
      // Ignore unknown values: our form does not send them.
      if constexpr (oauth::kIsUris<decltype(Row::rule)>) {
        add_lines(field.value, settings.*row.member);
      } else {
        oauth::set_from(row.rule, settings.*row.member, tidy(field.value));
      }
    }
  });
  for (const TypeOption& option : kTypes) {
    if (form.find(kTypeField) == option.value) settings.type = option.type;
  }
  oauth::settle(settings);
  return settings;
}

// A label within a sentence.
std::string uncapitalised(std::string_view label) {
  std::string text(label);
  if (!text.empty()) text.front() = text::to_lower(text.front());
  return text;
}

// The section of the template for a setting.
template <class Setting>
constexpr std::string_view kSection = oauth::kIsText<Setting>     ? "TEXT"
                                      : oauth::kIsUris<Setting>   ? "TEXT"
                                      : oauth::kIsScopes<Setting> ? "SCOPES"
                                      : oauth::kIsSwitch<Setting> ? "SWITCH"
                                                                  : "CHOICE";

// Shows a value in that section.
template <class Setting, class Value>
void show_setting(Values& field, const Setting& setting, const Value& value) {
  if constexpr (oauth::kIsText<Setting>) {
    field.set("VALUE", value).set("MOST", static_cast<long>(setting.most));
    field.show(setting.input == oauth::Input::Line ? "LINE" : "LINES");
    if (!setting.if_empty.empty()) field.show("REQUIRED");
  } else if constexpr (oauth::kIsUris<Setting>) {
    std::string lines;
    for (const std::string& uri : value) lines += (lines.empty() ? "" : "\n") + uri;
    field.set("VALUE", lines);
    field.show("URIS").show("REQUIRED");
  } else if constexpr (oauth::kIsScopes<Setting>) {
    oauth::ScopeSet all;
    for (const std::string_view name : oauth::ScopeSet::kNames) all.add(name);
    for (const std::string_view name : in_display_order(all)) {
      oauth::ScopeSet one;
      one.add(name);
      const ScopeDescription description = describe_scope(name);
      Values choice = field.show_with("SCOPE");
      choice.set("VALUE", name).set("TITLE", description.title).set("TEXT", description.text);
      if (value.covers(one)) choice.show("CHECKED");
      if (name == kFullAccess) choice.show("FULL");
    }
  } else if constexpr (oauth::kIsSwitch<Setting>) {
    if (value) field.show("CHECKED");
  } else {
    for (const auto& choice : setting.choices) {
      Values one = field.show_with("OPTION");
      one.set("VALUE", choice.name)
          .set("OPTION_LABEL", choice.label)
          .set("OPTION_HINT", Html(std::string(choice.hint)));
      if (choice.value == value) one.show("CHECKED");
    }
  }
}

// Returns a value for a sentence.
template <class Setting, class Value>
std::string words_of(const Setting& setting, const Value& value) {
  if constexpr (oauth::kIsText<Setting>) {
    return value.empty() ? "(nothing)" : clipped(value, kMaxShownText);
  } else if constexpr (oauth::kIsUris<Setting>) {
    return clipped(text::joined(value), kMaxShownText);
  } else if constexpr (oauth::kIsScopes<Setting>) {
    std::string titles;
    for (const std::string_view name : in_display_order(value))
      text::add_word(titles, describe_scope(name).title);
    return titles;
  } else if constexpr (oauth::kIsSwitch<Setting>) {
    return value ? "yes" : "no";
  } else {
    return uncapitalised(setting.of(value).label);
  }
}

std::string number_purpose(std::string_view path, std::string_view number) {
  return "settings " + std::string(path) + " " + std::string(number);
}

// Returns the problems as sentences, with special ones for empty settings.
oauth::SettingsProblems sentences(const oauth::ApplicationSettings& settings) {
  oauth::SettingsProblems problems = oauth::problems_of(settings);
  for (oauth::SettingProblem& problem : problems) {
    base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
      if (row.name != problem.setting) return;
      problem.text = "The " + uncapitalised(row.rule.words.label) + " " + problem.text + ".";
      if constexpr (requires { row.rule.if_empty; }) {
        if ((settings.*row.member).empty()) problem.text = row.rule.if_empty;
      }
    });
  }
  return problems;
}

oauth::Actor actor_of(const SettingsContext& context) {
  return {.contact = context.contact.id, .address = context.request.remote_address};
}

std::string connections_words(std::int64_t connections) {
  return counted(connections, "connection", "connections");
}

// Returns descriptions of the advanced settings that differ from the default.
std::vector<std::string_view> advanced_words(const oauth::ApplicationSettings& settings) {
  std::vector<std::string_view> words;
  base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
    using Setting = decltype(Row::rule);
    std::string_view when_set;
    if constexpr (oauth::kIsSwitch<Setting>) {
      if (settings.*row.member) when_set = row.rule.when_set;
    } else if constexpr (!oauth::kIsText<Setting> && !oauth::kIsScopes<Setting> &&
                         !oauth::kIsUris<Setting>) {
      when_set = row.rule.of(settings.*row.member).when_set;
    }
    if (!when_set.empty()) words.push_back(when_set);
  });
  return words;
}

// Shows the developer's next steps as commands, which do not contain secrets.
void show_next_steps(Values& values, const embed::Site& site, const oauth::Client& client) {
  const std::string token = site.url(base::paths::kToken);
  const std::string by = "curl " + token +
                         (client.is_public() ? " -d client_id=" + client.id.value()
                                             : " -u \"" + client.id.value() + ":$CLIENT_SECRET\"") +
                         " \\\n  ";
  std::string api = site.base_of(base::paths::kMedia.hosts);
  api += base::paths::kMedia.folder();
  api.pop_back();
  values.set("AUTHORIZATION_ENDPOINT", site.url(base::paths::kAuthorize))
      .set("TOKEN_ENDPOINT", token)
      .set("REVOCATION_ENDPOINT", site.url(base::paths::kRevoke))
      .set("API", api)
      .set("MEDIA_PAGE", site.media_page("MEDIA_ID"))
      .set("EXCHANGE",
           by + "-d grant_type=authorization_code -d code=\"$CODE\" \\\n  " +
               (client.require_pkce ? "-d code_verifier=\"$CODE_VERIFIER\" \\\n  " : "") +
               "--data-urlencode redirect_uri=" + text::shell_word(client.redirect_uris.front()))
      .set("USE", "curl " + site.url(base::paths::kMedia, "MEDIA_ID") +
                      " \\\n  -H \"Authorization: Bearer $ACCESS_TOKEN\"")
      .set("RENEW", by + "-d grant_type=refresh_token -d refresh_token=\"$REFRESH_TOKEN\"");
  if (client.require_pkce) values.show("PKCE");
  if (oauth::kSeeMedia.is_open_to(client.scopes)) values.show("SEES");
}

void show_scopes(Values& values, const oauth::ScopeSet& scopes) {
  for (const std::string_view name : in_display_order(scopes)) {
    const ScopeDescription description = describe_scope(name);
    values.show_with("SCOPE")
        .set("TITLE", description.title)
        .set("TEXT", description.text)
        .set("VALUE", name);
  }
}

std::string below(media::AccountId account, std::string_view name) {
  return base::paths::kApplications.with(std::to_string(account.value())) + "/" + std::string(name);
}
std::string form_of(media::AccountId account) { return below(account, kNew); }

}  // namespace

std::string ApplicationsPage::list_of(media::AccountId account) {
  return below(account, kApplications);
}

loop::Task<base::Result<ApplicationsPage::Place, http::Response>> ApplicationsPage::place_of(
    const SettingsContext& context) {
  std::vector<std::string_view> words;
  for (std::string_view left =
           context.request.path.substr(base::paths::kApplications.before().size());
       ;) {
    const std::size_t slash = left.find('/');
    words.push_back(left.substr(0, slash));
    if (slash == std::string_view::npos) break;
    left.remove_prefix(slash + 1);
  }
  const auto number = base::parse_number<std::int64_t>(words.front());
  const media::AccountId id{number.value_or(0)};
  const auto& memberships = context.contact.memberships;
  const auto membership = std::ranges::find(memberships, id, &media::Membership::account);
  const bool is_new = words.size() == 2 && words[1] == kNew;
  // Accounts of others look as if they did not exist.
  const bool mine = number && membership != memberships.end();
  if (!mine || words.size() < 2 || words.size() > 4 || (!is_new && words[1] != kApplications))
    co_return base::Refusal{nothing_here(context, "page")};
  std::optional<media::Account> account = co_await parts_.people.find_account(id);
  if (!account) co_return base::Refusal{nothing_here(context, "account")};

  Place place;
  place.account = std::move(*account);
  place.list = list_of(id);
  if (const auto barrier = oauth::barrier_of({membership->role, place.account.oauth_enabled})) {
    SettingsPage page(parts_, context, "Applications", "applications_barred.tpl");
    page.body()
        .set("ACCOUNT", clipped(place.account.name, kMaxShownName))
        .set("WHY", why_no_applications(*barrier));
    co_return base::Refusal{page.answer(403)};
  }
  if (is_new) {
    place.action = kNew;
    place.path = form_of(id);
  }
  if (words.size() < 3) co_return place;
  const oauth::ClientId client_id{std::string(words[2])};
  place.path = place.list + "/" + client_id.value();
  if (words.size() == 4) place.action = words[3];
  if (oauth::is_client_id(client_id.value())) {
    bool is_unreadable = false;
    try {
      place.client = co_await parts_.applications.find(client_id);
    } catch (const base::Unreadable&) {
      if (place.action != "delete") throw;
      is_unreadable = true;
    }
    if (is_unreadable) {
      loop::Task<bool> asking = parts_.applications.has(id, client_id);
      const bool is_here = co_await asking;
      if (is_here) {
        place.client.emplace();
        place.client->id = client_id;
        place.client->account = id;
        place.client->name = client_id.value();
      }
    }
  }
  if (place.client && place.client->account == id) co_return place;
  // The form was sent twice, or another user deleted it: the goal is reached.
  if (!place.client && place.action == "delete" && context.request.method == "POST")
    co_return base::Refusal{done(context, place.list, "deleted")};
  co_return base::Refusal{
      nothing_here(context, "application", place.list, "Applications of the account")};
}

loop::Task<http::Response> ApplicationsPage::show(const SettingsContext& context) {
  const base::Result<Place, http::Response> place = co_await place_of(context);
  if (!place) co_return place.error();
  if (place->action == kNew) {
    Entered entered;
    entered.number = oauth::new_client_id(parts_.entropy).value();
    co_return form(context, *place, entered);
  }
  if (!place->client) co_return co_await list(context, *place);
  if (place->action.empty()) {
    const View plain;
    co_return co_await view(context, *place, plain);
  }
  if (place->action == "edit") {
    Entered entered;
    entered.settings = *place->client;
    entered.edition = oauth::settings_edition(*place->client);
    co_return form(context, *place, entered);
  }
  if (place->action == "retire-secret") co_return co_await ask_retire(context, *place);
  if (place->action == "delete") co_return co_await ask_delete(context, *place);
  // A login between form and submission redirects here with GET.
  if (place->action == "secret" || place->action == "new-secret")
    co_return see_other(place->path, context.visitor);
  co_return nothing_here(context, "page");
}

loop::Task<http::Response> ApplicationsPage::take(const SettingsContext& context,
                                                  const text::Form& form) {
  const base::Result<Place, http::Response> place = co_await place_of(context);
  if (!place) co_return place.error();
  if (place->action == kNew) co_return co_await create(context, *place, form);
  if (!place->client) co_return only_by_form(context);
  if (place->action == "edit") co_return co_await edit(context, *place, form);
  if (place->action == "secret") co_return co_await show_secrets(context, *place, form);
  if (place->action == "new-secret") co_return co_await new_secret(context, *place, form);
  if (place->action == "retire-secret") co_return co_await retire(context, *place, form);
  if (place->action == "delete") co_return co_await remove(context, *place);
  co_return only_by_form(context);
}

loop::Task<http::Response> ApplicationsPage::list(const SettingsContext& context,
                                                  const Place& place) {
  std::vector<oauth::Client> clients = co_await parts_.applications.of(place.account.id);
  std::ranges::sort(clients, {}, [](const oauth::Client& client) {
    return std::pair(text::to_lower(client.name), client.id.value());
  });
  SettingsPage page(parts_, context, "Applications", "applications.tpl");
  Values& body = page.body();
  page.show_done();
  body.set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("NEW", form_of(place.account.id))
      .set("MEDIA", base::paths::kAccountMedia.with(std::to_string(place.account.id.value())));
  body.show(clients.empty() ? "EMPTY" : "FULL");
  for (const oauth::Client& client : clients) {
    Values one = body.show_with("APPLICATION");
    one.set("NAME", clipped(client.name, kMaxShownName))
        .set("PATH", place.list + "/" + client.id.value())
        .set("HOST", oauth::redirect_host(client.redirect_uris.front()));
    if (!client.description.empty())
      one.show_with("DESCRIBED").set("DESCRIPTION", clipped(client.description, kMaxShownText));
    set_time(one, "CREATED", text::seconds_of_rfc3339(client.created).value_or(0), context.now);
  }
  co_return page.answer();
}

loop::Task<http::Response> ApplicationsPage::view(const SettingsContext& context,
                                                  const Place& place, const View& view) {
  const oauth::Client& client = *place.client;
  const oauth::GrantList of_client = client.id;
  const std::int64_t connections = co_await parts_.grants.count_grants(of_client);
  SettingsPage page(parts_, context, clipped(client.name, kMaxShownName), "application.tpl");
  const std::string was_done = page.show_done();
  Values& body = page.body();
  // Open the steps when the developer is likely to need them.
  if (was_done == "created" || was_done == "rotated" || view.shows_secrets) body.show("STEPS_OPEN");
  body.set("NAME", clipped(client.name, kMaxShownName))
      .set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("LIST", place.list)
      .set("EDIT", place.path + "/edit")
      .set("DELETE", place.path + "/delete")
      .set("CLIENT_ID", client.id.value())
      .set("REDIRECT_URI", client.redirect_uris.front())
      .set("PEOPLE", connections_words(connections));
  for (const std::string& uri : client.redirect_uris) body.show_with("URI").set("URI", uri);
  if (client.is_public()) {
    body.show("PUBLIC");
  } else {
    body.show_with("HAS_LINK").set("LINK", oauth::authorization_link(parts_.site.app_url, client));
  }
  show_next_steps(body, parts_.site, client);
  body.set("CODE_LIVES", counted(service_.limits().code, "second", "seconds"));
  for (const std::string_view words : advanced_words(client))
    body.show_with("ADVANCED").set("TEXT", words);
  set_time(body, "CREATED", text::seconds_of_rfc3339(client.created).value_or(0), context.now);
  if (!client.description.empty())
    body.show_with("DESCRIBED").set("DESCRIPTION", clipped(client.description, kMaxShownText));
  show_scopes(body, client.scopes);
  if (view.was_overtaken) body.show("OVERTAKEN");

  const bool two = client.secrets.size() > 1;
  const auto label = [&](Values& one, std::size_t number) {
    one.set("NUMBER", static_cast<long>(number))
        .set("LABEL", !two          ? "Client secret"
                      : number == 0 ? "Client secret, current"
                                    : "Client secret, old");
    if (const auto since = text::seconds_of_rfc3339(client.secrets[number].created)) {
      Values shown = one.show_with("SINCE");
      set_time(shown, "SINCE", *since, context.now);
    }
    if (number > 0) one.show("RETIRE");
  };
  for (std::size_t i = 0; i < view.secrets.size(); ++i) {
    Values one = body.show_with("SECRET");
    const std::optional<std::string>& secret = view.secrets[i];
    Values readable = one.show_with(secret ? "READABLE" : "UNREADABLE");
    label(readable, i);
    readable.set("VALUE", secret.value_or(""));
  }
  if (client.is_public()) co_return page.answer(view.status);
  if (!view.shows_secrets) {
    Values hidden = body.show_with("HIDDEN_SECRET");
    page.set_form(hidden, place.path + "/secret");
    if (two) hidden.show("TWO");
    for (std::size_t i = 0; i < client.secrets.size(); ++i) {
      Values one = hidden.show_with("HIDDEN");
      label(one, i);
    }
  }
  Values secrets = body.show_with(two ? "TWO_SECRETS" : "ONE_SECRET");
  secrets.set("EDITION", oauth::secrets_edition(client))
      .set("RETIRE", place.path + "/retire-secret");
  if (!two) page.set_form(secrets, place.path + "/new-secret");
  co_return page.answer(view.status);
}

http::Response ApplicationsPage::form(const SettingsContext& context, const Place& place,
                                      const Entered& entered) {
  const bool is_new = place.action == kNew;
  const std::string path = is_new ? place.path : place.path + "/edit";
  std::string title = is_new ? "New application" : "Edit application";
  if (entered.status != 200) title = "Not saved: " + title;
  SettingsPage page(parts_, context, title, "application_form.tpl");
  Values& body = page.body();
  page.set_form(body, path);
  body.set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("LIST", place.list)
      .set("BACK", is_new ? place.list : place.path)
      .set("EDITION", entered.edition);
  if (is_new) {
    body.show_with("NEW")
        .set("NUMBER", entered.number)
        .set("PROOF",
             login::form_token(parts_.keys, context.visitor, number_purpose(path, entered.number)));
  } else {
    body.show_with("OLD").set("NAME", clipped(place.client->name, kMaxShownName));
  }
  // Open the advanced settings if some are set, so that they are not
  // overlooked.
  if (entered.settings.type == oauth::ClientType::Confidential &&
      !advanced_words(entered.settings).empty())
    body.show("ADVANCED_OPEN");
  if (!entered.problems.empty()) body.show("HAS_PROBLEMS");
  if (!entered.problem.empty()) body.show_with("PROBLEM").set("PROBLEM", entered.problem);
  if (is_new) {
    Values types = body.show_with("TYPES");
    for (const TypeOption& option : kTypes) {
      Values one = types.show_with("TYPE");
      one.set("VALUE", option.value)
          .set("OPTION_LABEL", option.label)
          .set("OPTION_HINT", option.hint);
      if (option.value == option_of(entered.settings)) one.show("CHECKED");
    }
  }
  base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
    if (row.name == kTypeField) return;
    const oauth::SettingWords& words = row.rule.words;
    const auto& value = entered.settings.*row.member;
    std::string hint(words.hint);
    if (!is_new && !words.when_edited.empty()) hint += " " + std::string(words.when_edited);
    Values field = body.show_with(kSection<decltype(Row::rule)>);
    show_setting(field, row.rule, value);
    field.set("FIELD", row.name).set("LABEL", words.label).set("HINT", Html(hint));
    for (const oauth::SettingProblem& problem : entered.problems) {
      if (problem.setting != row.name) continue;
      field.set("PROBLEM", problem.text).show("WRONG");
      body.show_with("SUMMARY").set("PROBLEM", problem.text).set("FIELD", row.name);
    }
  });
  if (entered.was_overtaken) {
    Values overtaken = body.show_with("OVERTAKEN");
    base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
      const auto& saved = *place.client.*row.member;
      if (saved == entered.settings.*row.member) return;
      overtaken.show_with("SAVED")
          .set("FIELD", row.rule.words.label)
          .set("VALUE", words_of(row.rule, saved));
    });
  }
  return page.answer(entered.status);
}

loop::Task<http::Response> ApplicationsPage::create(const SettingsContext& context,
                                                    const Place& place, const text::Form& fields) {
  Entered entered;
  entered.number = fields.find("number").value_or("");
  // The page generated the number, so a form that is sent twice creates one
  // application.
  if (!oauth::is_client_id(entered.number) ||
      !login::is_form_token(parts_.keys, context.visitor,
                            number_purpose(place.path, entered.number),
                            fields.find("proof").value_or(""))) {
    co_return forged_form_page(context.request, context.visitor, parts_.site, context.request.path);
  }
  entered.settings = settings_in(fields);
  const oauth::NewApplication application{{entered.number}, place.account, entered.settings};
  const oauth::Actor actor = actor_of(context);
  const auto created = co_await service_.create(application, actor);
  if (created || created.error() == oauth::ApplicationRefusal::IdTaken)
    co_return done(context, place.list + "/" + entered.number, "created");
  entered.status = 409;
  if (created.error() == oauth::ApplicationRefusal::InvalidSettings) {
    entered.status = 422;
    entered.problems = sentences(entered.settings);
  } else if (created.error() == oauth::ApplicationRefusal::OauthDisabled) {
    entered.problem = why_no_applications(oauth::Barrier::OauthDisabled);
  } else {
    entered.problem = "This account has as many applications as are allowed, " +
                      with_separators(service_.most_per_account()) +
                      ". Delete an unused application first.";
  }
  co_return form(context, place, entered);
}

loop::Task<http::Response> ApplicationsPage::edit(const SettingsContext& context,
                                                  const Place& place, const text::Form& fields) {
  Entered entered;
  entered.settings = settings_in(fields);
  entered.edition = fields.find("edition").value_or("");
  const oauth::Actor actor = actor_of(context);
  const auto edited =
      co_await service_.edit(*place.client, entered.settings, entered.edition, actor);
  if (edited) co_return done(context, place.path, "saved");
  if (edited.error() == oauth::ApplicationRefusal::InvalidSettings) {
    entered.status = 422;
    entered.problems = sentences(entered.settings);
    co_return form(context, place, entered);
  }
  Place again = place;
  again.client = co_await parts_.applications.find(place.client->id);
  if (!again.client) co_return nothing_here(context, "application");
  entered.status = 409;
  entered.was_overtaken = true;
  // The user has now seen the saved settings and may save again.
  entered.edition = oauth::settings_edition(*again.client);
  co_return form(context, again, entered);
}

http::Response ApplicationsPage::ask_password(const SettingsContext& context, const Place& place,
                                              int status, const std::string& problem) {
  SettingsPage page(parts_, context, problem.empty() ? "Your password" : "Not shown",
                    "password_again.tpl");
  page.set_form(page.body(), place.path + "/secret");
  page.body()
      .set("NAME", clipped(place.client->name, kMaxShownName))
      .set("BACK", place.path)
      .set("EMAIL", context.contact.email);
  if (!problem.empty()) {
    page.body().show_with("PROBLEM").set("PROBLEM", problem);
    page.body().show("WRONG");
  }
  return page.answer(status);
}

// Without a redirect: secrets are only shown in the response to a form, and
// each time an audit event is recorded.
loop::Task<http::Response> ApplicationsPage::show_secrets(const SettingsContext& context,
                                                          const Place& place,
                                                          const text::Form& fields) {
  if (needs_password(context)) {
    if (!fields.find("password")) co_return ask_password(context, place, 200, "");
    const PasswordCheck checked = co_await check_password(context, fields);
    if (!checked.problem.empty()) {
      http::Response response = ask_password(context, place, checked.status, checked.problem);
      if (checked.retry_after > 0)
        response.with("Retry-After", std::to_string(checked.retry_after));
      co_return response;
    }
  }
  const oauth::Actor actor = actor_of(context);
  View with_secrets;
  with_secrets.shows_secrets = true;
  with_secrets.secrets = co_await service_.show_secrets(*place.client, actor);
  co_return co_await view(context, place, with_secrets);
}

loop::Task<http::Response> ApplicationsPage::new_secret(const SettingsContext& context,
                                                        const Place& place,
                                                        const text::Form& fields) {
  const oauth::Actor actor = actor_of(context);
  const std::string_view edition = fields.find("edition").value_or("");
  const auto rotated = co_await service_.rotate_secret(*place.client, edition, actor);
  if (rotated) co_return done(context, place.path, "rotated");
  co_return co_await overtaken(context, place);
}

// 409, with the current secrets.
loop::Task<http::Response> ApplicationsPage::overtaken(const SettingsContext& context,
                                                       const Place& place) {
  Place again = place;
  again.client = co_await parts_.applications.find(place.client->id);
  if (!again.client) co_return nothing_here(context, "application");
  View now;
  now.status = 409;
  now.was_overtaken = true;
  co_return co_await view(context, again, now);
}

loop::Task<http::Response> ApplicationsPage::ask_retire(const SettingsContext& context,
                                                        const Place& place) {
  if (place.client->secrets.size() < 2) co_return see_other(place.path, context.visitor);
  const oauth::GrantList of_client = place.client->id;
  const std::int64_t connections = co_await parts_.grants.count_grants(of_client);
  SettingsPage page(parts_, context, "Retire the old secret", "application_retire.tpl");
  page.set_form(page.body(), place.path + "/retire-secret");
  page.body()
      .set("NAME", clipped(place.client->name, kMaxShownName))
      .set("BACK", place.path)
      .set("EDITION", oauth::secrets_edition(*place.client))
      .set("PEOPLE", connections_words(connections));
  co_return page.answer();
}

loop::Task<http::Response> ApplicationsPage::retire(const SettingsContext& context,
                                                    const Place& place, const text::Form& fields) {
  const oauth::Actor actor = actor_of(context);
  const std::string_view edition = fields.find("edition").value_or("");
  const auto retired = co_await service_.retire_old_secret(*place.client, edition, actor);
  if (retired) co_return done(context, place.path, "retired");
  co_return co_await overtaken(context, place);
}

loop::Task<http::Response> ApplicationsPage::ask_delete(const SettingsContext& context,
                                                        const Place& place) {
  const oauth::GrantList of_client = place.client->id;
  const std::int64_t connections = co_await parts_.grants.count_grants(of_client);
  SettingsPage page(parts_, context, "Delete application", "application_delete.tpl");
  page.set_form(page.body(), place.path + "/delete");
  page.body()
      .set("NAME", clipped(place.client->name, kMaxShownName))
      .set("BACK", place.path)
      .set("CONNECTIONS", connections_words(connections));
  page.body().show(connections == 0 ? "NOBODY" : "SOMEBODY");
  co_return page.answer();
}

loop::Task<http::Response> ApplicationsPage::remove(const SettingsContext& context,
                                                    const Place& place) {
  const oauth::Actor actor = actor_of(context);
  co_await service_.remove(*place.client, actor);
  co_return done(context, place.list, "deleted");
}

}  // namespace svc::pages
