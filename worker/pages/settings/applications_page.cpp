// ApplicationsPage: Account → Settings → OAuth Applications. oauth.md, "Settings".
//
//   /settings/accounts/<account>/applications               the list
//   /settings/accounts/<account>/new-application            form for a new one
//   /settings/accounts/<account>/applications/<client_id>   one application
//     …/edit             form for its settings
//     …/secret           shows the secrets; asks for the password
//     …/new-secret       adds a second secret; POST only
//     …/retire-secret    ends the older secret; asks for confirmation
//     …/delete           deletes it and its grants; asks for confirmation
#include <algorithm>

#include "base/paths.h"
#include "oauth/authorization_link.h"
#include "oauth/limits.h"
#include "oauth/operation.h"
#include "oauth/redirect_uri.h"
#include "pages/csrf.h"
#include "pages/scope_descriptions.h"
#include "pages/settings/settings.h"
#include "text/ascii.h"
#include "text/rfc3339.h"
#include "text/shell.h"
#include "text/word_list.h"

namespace svc::pages {
namespace {

constexpr std::string_view kApplications = "applications";
constexpr std::string_view kNew = "new-application";

// The types of an application, in the words of its developer.
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
    show_scope_choices(field, "SCOPE", value);
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

// Adds the problems as sentences, with special ones for empty settings.
void refuse_settings(Entered& entered, const oauth::ApplicationSettings& settings) {
  for (const oauth::SettingProblem& problem : oauth::problems_of(settings)) {
    base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
      if (row.name != problem.setting) return;
      std::string text = "The " + uncapitalised(row.rule.words.label) + " " + problem.text + ".";
      if constexpr (requires { row.rule.if_empty; }) {
        if ((settings.*row.member).empty()) text = row.rule.if_empty;
      }
      entered.refuse(row.name, text);
    });
  }
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

std::string below(media::AccountId account, std::string_view name) {
  return base::paths::kApplications.with(std::to_string(account.value())) + "/" + std::string(name);
}

// An application, or the list or form of the account.
struct OfApplication : InAccount {
  std::string list{};         // path of the list
  std::string_view action{};  // "", new-application, edit, …
  std::optional<oauth::Client> client{};
  std::string path{};  // the application's
  oauth::Actor actor{};

  bool is(std::string_view name) const { return action == name; }
  std::string name() const { return clipped(client->name, kMaxShownName); }
};

class ApplicationsPage : public PagesOf<Settings, OfApplication> {
  using PagesOf::PagesOf;

  loop::Task<base::Result<OfApplication, Refused>> find(const SettingsContext& context) override {
    base::Result<InAccount, Refused> account = co_await account_of(context);
    if (!account) co_return base::Refusal{account.error()};
    OfApplication of{*std::move(account)};
    of.list = applications_path(of.account.id);
    of.actor = {.contact = of.contact.id, .address = of.request.remote_address};
    const oauth::ClientId id{std::string(of.request.part("client"))};
    of.path = of.list + "/" + id.value();
    const bool is_new = of.request.path == below(of.account.id, kNew);
    const bool is_known = is_new || (id.value().empty() ? of.request.path == of.list
                                                        : !of.request.path.ends_with('/'));
    of.action = is_new ? kNew : of.after(of.path);
    if (!is_known || of.action.find('/') != std::string_view::npos)
      co_return instead(nothing_here(context, "page"));
    if (const auto barrier = oauth::barrier_of({of.role, of.account.oauth_enabled}))
      co_return barred(of, kApplicationsBarred, *barrier);
    if (id.value().empty()) co_return of;
    if (oauth::is_client_id(id.value())) {
      auto finding = parts_.applications.find(id);
      auto asking = parts_.applications.has(of.account.id, id);
      of.client = co_await read_or_name(std::move(finding), std::move(asking), of.account.id, id,
                                        of.is("delete"));
    }
    if (of.client && of.client->account == of.account.id) co_return of;
    // The form was sent twice, or another user deleted it: the goal is reached.
    if (!of.client && of.is("delete") && context.sent != nullptr)
      co_return instead(done(context, of.list, "deleted"));
    co_return instead(nothing_here(context, "application", of.list, "Applications of the account"));
  }

  loop::Task<http::Response> page(const OfApplication& of) override {
    const bool is_sent = of.sent != nullptr;
    if (of.is(kNew)) return form(of, &ApplicationsPage::show, &ApplicationsPage::create);
    if (!of.client) return is_sent ? at_once(only_by_form(of)) : show_all(of);
    if (of.is("edit")) return form(of, &ApplicationsPage::show, &ApplicationsPage::edit);
    if (of.is("retire-secret")) return is_sent ? change_secrets(of) : ask_retire(of);
    if (of.is("delete")) return is_sent ? remove(of) : ask_delete(of);
    if (is_sent && of.is("secret"))
      return form(of, &ApplicationsPage::ask_password, &ApplicationsPage::show_secrets);
    if (is_sent && of.is("new-secret")) return change_secrets(of);
    // A login between form and submission redirects here with GET.
    if (of.is("secret") || of.is("new-secret")) return at_once(go_to(of, of.path));
    if (is_sent) return at_once(only_by_form(of));
    return of.is("") ? view(of, {}) : at_once(nothing_here(of, "page"));
  }

  loop::Task<http::Response> show_all(const OfApplication& of) {
    std::vector<oauth::Client> clients = co_await parts_.applications.of(of.account.id);
    std::ranges::sort(clients, {}, [](const oauth::Client& client) {
      return std::pair(text::to_lower(client.name), client.id.value());
    });
    SettingsPage page(parts_, of, "Applications", "applications.tpl");
    Values& body = page.body();
    page.show_done();
    body.set("ACCOUNT", of.account_name())
        .set("NEW", below(of.account.id, kNew))
        .set("MEDIA", base::paths::kAccountMedia.with(of.number));
    body.show(clients.empty() ? "EMPTY" : "FULL");
    for (const oauth::Client& client : clients) {
      Values one = body.show_with("APPLICATION");
      one.set("NAME", clipped(client.name, kMaxShownName))
          .set("PATH", of.list + "/" + client.id.value())
          .set("HOST", oauth::redirect_host(client.redirect_uris.front()));
      if (!client.description.empty())
        one.show_with("DESCRIBED").set("DESCRIPTION", clipped(client.description, kMaxShownText));
      set_time(one, "CREATED", text::seconds_of_rfc3339(client.created).value_or(0), of.now);
    }
    co_return page.answer();
  }

  struct View {
    int status = 200;
    bool shows_secrets = false;
    bool was_overtaken = false;  // the secrets changed since the page was shown
    std::vector<std::optional<std::string>> secrets{};  // only with shows_secrets
  };
  loop::Task<http::Response> view(const OfApplication& of, View view) {
    const oauth::Client& client = *of.client;
    const oauth::GrantList of_client = client.id;
    const std::int64_t connections = co_await parts_.grants.count_grants(of_client);
    SettingsPage page(parts_, of, clipped(client.name, kMaxShownName), "application.tpl");
    const std::string was_done = page.show_done();
    Values& body = page.body();
    // Open the steps when the developer is likely to need them.
    if (was_done == "created" || was_done == "rotated" || view.shows_secrets)
      body.show("STEPS_OPEN");
    body.set("NAME", clipped(client.name, kMaxShownName))
        .set("ACCOUNT", of.account_name())
        .set("LIST", of.list)
        .set("EDIT", of.path + "/edit")
        .set("DELETE", of.path + "/delete")
        .set("CLIENT_ID", client.id.value())
        .set("REDIRECT_URI", client.redirect_uris.front())
        .set("PEOPLE", connections_words(connections));
    for (const std::string& uri : client.redirect_uris) body.show_with("URI").set("URI", uri);
    if (client.is_public()) {
      body.show("PUBLIC");
    } else {
      body.show_with("HAS_LINK")
          .set("LINK", oauth::authorization_link(parts_.site.app_url, client));
    }
    show_next_steps(body, parts_.site, client);
    body.set("CODE_LIVES", counted(parts_.application_service.limits().code, "second", "seconds"));
    for (const std::string_view words : advanced_words(client))
      body.show_with("ADVANCED").set("TEXT", words);
    set_time(body, "CREATED", text::seconds_of_rfc3339(client.created).value_or(0), of.now);
    if (!client.description.empty())
      body.show_with("DESCRIBED").set("DESCRIPTION", clipped(client.description, kMaxShownText));
    set_scopes(body, client.scopes);
    if (view.was_overtaken) body.show("OVERTAKEN");

    const bool two = client.secrets.size() > 1;
    const auto label = [&](Values& one, std::size_t number) {
      one.set("NUMBER", static_cast<long>(number))
          .set("LABEL", !two          ? "Client secret"
                        : number == 0 ? "Client secret, current"
                                      : "Client secret, old");
      if (const auto since = text::seconds_of_rfc3339(client.secrets[number].created)) {
        Values shown = one.show_with("SINCE");
        set_time(shown, "SINCE", *since, of.now);
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
      page.set_form(hidden, of.path + "/secret");
      if (two) hidden.show("TWO");
      for (std::size_t i = 0; i < client.secrets.size(); ++i) {
        Values one = hidden.show_with("HIDDEN");
        label(one, i);
      }
    }
    Values secrets = body.show_with(two ? "TWO_SECRETS" : "ONE_SECRET");
    secrets.set("EDITION", oauth::secrets_edition(client))
        .set("RETIRE", of.path + "/retire-secret");
    if (!two) page.set_form(secrets, of.path + "/new-secret");
    co_return page.answer(view.status);
  }

  loop::Task<http::Response> show(const OfApplication& of, const Entered& entered) {
    const bool is_new = of.action == kNew;
    oauth::ApplicationSettings settings;
    if (!is_new) settings = *of.client;
    if (entered.sent() != nullptr) settings = settings_in(*entered.sent());
    const std::string title = is_new ? "New application" : "Edit application";
    SettingsPage page(parts_, of, entered, title, "application_form.tpl");
    Values& body = page.body();
    body.set("ACCOUNT", of.account_name())
        .set("LIST", of.list)
        .set("BACK", is_new ? of.list : of.path)
        .set("EDITION", is_new ? "" : entered.edition(oauth::settings_edition(*of.client)));
    if (is_new) {
      const std::string number =
          entered.text("number", oauth::new_client_id(parts_.entropy).value());
      body.show_with("NEW").set("NUMBER", number).set("PROOF", proof_of(of, number));
    } else {
      body.show_with("OLD").set("NAME", of.name());
    }
    // Open the advanced settings if some are set, so that they are not
    // overlooked.
    if (settings.type == oauth::ClientType::Confidential && !advanced_words(settings).empty())
      body.show("ADVANCED_OPEN");
    if (is_new) {
      Values types = body.show_with("TYPES");
      for (const TypeOption& option : kTypes) {
        Values one = types.show_with("TYPE");
        one.set("VALUE", option.value)
            .set("OPTION_LABEL", option.label)
            .set("OPTION_HINT", option.hint);
        if (option.value == option_of(settings)) one.show("CHECKED");
      }
    }
    base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
      if (row.name == kTypeField) return;
      const oauth::SettingWords& words = row.rule.words;
      const auto& value = settings.*row.member;
      std::string hint(words.hint);
      if (!is_new && !words.when_edited.empty()) hint += " " + std::string(words.when_edited);
      Values field = body.show_with(kSection<decltype(Row::rule)>);
      show_setting(field, row.rule, value);
      field.set("FIELD", row.name).set("LABEL", words.label).set("HINT", Html(hint));
      for (const FieldProblem& problem : entered.problems())
        if (problem.field == row.name) field.set("PROBLEM", problem.text).show("WRONG");
    });
    if (entered.is_overtaken()) {
      base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
        const auto& saved = *of.client.*row.member;
        if (saved == settings.*row.member) return;
        body.show_with("SAVED")
            .set("FIELD", row.rule.words.label)
            .set("VALUE", words_of(row.rule, saved));
      });
    }
    co_return page.answer();
  }

  loop::Task<Applied> create(const OfApplication& of, Entered& entered) {
    const std::string number = entered.text("number");
    if (!oauth::is_client_id(number) || !is_proven(of, number))
      co_return forged_form_page(of.request, of.visitor, parts_.site, of.request.path);
    const oauth::NewApplication application{{number}, of.account, settings_in(*of.sent)};
    const auto created = co_await parts_.application_service.create(application, of.actor);
    if (created || created.error() == oauth::ApplicationRefusal::IdTaken)
      co_return done(of, of.list + "/" + number, "created");
    if (created.error() == oauth::ApplicationRefusal::InvalidSettings) {
      refuse_settings(entered, application.settings);
      co_return entered.refused();
    }
    const std::string why =
        created.error() == oauth::ApplicationRefusal::OauthDisabled
            ? why_barred(kApplicationsBarred, oauth::Barrier::OauthDisabled)
            : "This account has as many applications as are allowed, " +
                  with_separators(parts_.application_service.most_per_account()) +
                  ". Delete an unused application first.";
    co_return entered.refuse("", why, kOvertakenStatus);
  }

  loop::Task<Applied> edit(const OfApplication& of, Entered& entered) {
    const oauth::ApplicationSettings settings = settings_in(*of.sent);
    const std::string edition = entered.edition("");
    const auto edited =
        co_await parts_.application_service.edit(*of.client, settings, edition, of.actor);
    if (edited) co_return done(of, of.path, "saved");
    if (edited.error() != oauth::ApplicationRefusal::InvalidSettings) co_return entered.overtaken();
    refuse_settings(entered, settings);
    co_return entered.refused();
  }

  loop::Task<http::Response> ask_password(const OfApplication& of, const Entered& entered) {
    SettingsPage page(parts_, of, entered, "Your password", "password_again.tpl", "Not shown");
    page.body().set("NAME", of.name()).set("BACK", of.path).set("EMAIL", of.contact.email);
    co_return page.answer();
  }

  // Without a redirect: secrets are only shown in the response to a form, and
  // each time an audit event is recorded.
  loop::Task<Applied> show_secrets(const OfApplication& of, Entered& entered) {
    if (needs_password(of) && !entered.has("password")) co_return entered.refused();
    const bool is_confirmed = co_await check_password(of, entered);
    if (!is_confirmed) co_return entered.refused();
    View with_secrets{.shows_secrets = true};
    with_secrets.secrets = co_await parts_.application_service.show_secrets(*of.client, of.actor);
    co_return co_await view(of, std::move(with_secrets));
  }

  // 409, with the current secrets, if the form does not fit them.
  loop::Task<http::Response> change_secrets(const OfApplication& of) {
    const std::string_view edition = of.sent->find("edition").value_or("");
    bool is_changed = false;
    if (of.is("new-secret")) {
      const auto rotated =
          co_await parts_.application_service.rotate_secret(*of.client, edition, of.actor);
      is_changed = static_cast<bool>(rotated);
    } else {
      const auto retired =
          co_await parts_.application_service.retire_old_secret(*of.client, edition, of.actor);
      is_changed = static_cast<bool>(retired);
    }
    if (is_changed) co_return done(of, of.path, of.is("new-secret") ? "rotated" : "retired");
    OfApplication now = of;
    now.client = co_await parts_.applications.find(of.client->id);
    if (!now.client) co_return nothing_here(of, "application");
    View overtaken{.status = kOvertakenStatus, .was_overtaken = true};
    co_return co_await view(now, std::move(overtaken));
  }

  loop::Task<http::Response> ask_retire(const OfApplication& of) {
    if (of.client->secrets.size() < 2) co_return go_to(of, of.path);
    const oauth::GrantList of_client = of.client->id;
    const std::int64_t connections = co_await parts_.grants.count_grants(of_client);
    SettingsPage page(parts_, of, Entered(), "Retire the old secret", "application_retire.tpl");
    page.body()
        .set("NAME", of.name())
        .set("BACK", of.path)
        .set("EDITION", oauth::secrets_edition(*of.client))
        .set("PEOPLE", connections_words(connections));
    co_return page.answer();
  }

  loop::Task<http::Response> ask_delete(const OfApplication& of) {
    const oauth::GrantList of_client = of.client->id;
    const std::int64_t connections = co_await parts_.grants.count_grants(of_client);
    SettingsPage page(parts_, of, Entered(), "Delete application", "application_delete.tpl");
    page.body()
        .set("NAME", of.name())
        .set("BACK", of.path)
        .set("CONNECTIONS", connections_words(connections))
        .show(connections == 0 ? "NOBODY" : "SOMEBODY");
    co_return page.answer();
  }

  loop::Task<http::Response> remove(const OfApplication& of) {
    co_await parts_.application_service.remove(*of.client, of.actor);
    co_return done(of, of.list, "deleted");
  }
};

}  // namespace

std::string applications_path(media::AccountId account) { return below(account, kApplications); }

OwnedPage applications_page(const SettingsParts& parts) {
  return std::make_unique<ApplicationsPage>(parts);
}

}  // namespace svc::pages
