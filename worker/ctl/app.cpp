#include "ctl/app.h"

#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/terminal.h"
#include "oauth/application_service.h"
#include "oauth/applications.h"
#include "oauth/authorization_link.h"
#include "redis/audit.h"
#include "redis/client_registry.h"
#include "redis/grant_inspection.h"
#include "redis/grants.h"
#include "redis/people.h"

namespace svc::ctl {
namespace {

using base::Result;
using oauth::ApplicationRefusal;
using oauth::Client;
using oauth::ClientId;

Result<media::AccountId, std::string> read_account(const std::string& text) {
  const auto number = base::parse_number<std::int64_t>(text, 1, media::kMaxIntegerId);
  if (!number) return Refusal{"--account must be an account's id, a positive integer"};
  return media::AccountId{*number};
}

Result<ClientId, std::string> read_client_id(const std::string& text) {
  if (!oauth::is_client_id(text))
    return Refusal{text + " is no client id: 1 to 64 letters, digits, '-', '_' and '.'"};
  return ClientId{text};
}

void add_client(Report& report, const Client& client, const Context& context) {
  std::vector<std::string> scopes;
  for (const std::string_view scope : client.scopes.names()) scopes.emplace_back(scope);
  report.text("client_id", client.id.text)
      .integer("account_id", client.account.number)
      .text("name", client.name)
      .text("description", client.description)
      .text("redirect_uri", client.redirect_uri)
      .texts("scopes", scopes)
      .text("scope_format", client.scope_format == oauth::ScopeFormat::Array ? "array" : "string")
      .boolean("require_pkce", client.require_pkce)
      .boolean("exact_redirect", client.exact_redirect)
      .boolean("refuse_query_credentials", client.refuse_query_credentials)
      .text("created", client.created)
      .integer("permission_version", client.permission_version)
      .integer("live_secrets", static_cast<std::int64_t>(client.secrets.size()))
      .text("authorization_link", oauth::authorization_link(context.app_url, client));
}

// The service, its stores, and who runs the command.
class Service {
 public:
  Service(Context& context, const base::KeyRing& keys)
      : registry_(context.store.channel),
        grants_(context.store.channel, keys, context.lifetimes, context.clock, context.entropy),
        audit_(context.store.channel),
        service_(registry_, grants_, audit_, keys, context.entropy, context.clock) {}

  oauth::ApplicationService* operator->() { return &service_; }
  const oauth::Actor& actor() const { return actor_; }

 private:
  redis::ClientRegistry registry_;
  redis::Grants grants_;
  redis::Audit audit_;
  oauth::ApplicationService service_;
  const std::string who_ = who_is_this();
  const oauth::Actor actor_{.detail = who_};
};

class GrantSearch : public oauth::GrantSearch {
 public:
  GrantSearch(Context& context, const base::KeyRing& keys)
      : inspection_(context.store.channel, keys, context.lifetimes, context.clock) {}

  loop::Task<std::vector<oauth::GrantId>> grants_of(const ClientId& id) override {
    std::vector<oauth::GrantId> ids;
    const std::vector<redis::LiveGrant> grants = co_await inspection_.grants_of(id);
    for (const redis::LiveGrant& grant : grants) ids.push_back(grant.id);
    co_return ids;
  }

 private:
  redis::GrantInspection inspection_;
};

std::string no_application(const ClientId& id) { return "there is no application " + id.text; }

std::string text_of(const oauth::SettingsProblems& problems) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& problem) {
    if (!problem.empty()) text += (text.empty() ? "" : "; ") + std::string(name) + " " + problem;
  };
  add("name", problems.name);
  add("description", problems.description);
  add("redirect_uri", problems.redirect_uri);
  add("scopes", problems.scopes);
  return text;
}

// Names with commas or spaces between.
Result<oauth::ScopeSet, std::string> read_scopes(std::string_view text) {
  oauth::ScopeSet scopes;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(", ");
    if (end != 0 && !scopes.add(text.substr(0, end))) {
      return Refusal{std::string(
          "scopes must be a list of all:all, all:read, media:read, stats:read, media:upload")};
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return scopes;
}

Result<oauth::ApplicationSettings, std::string> read_settings(const Arguments& arguments) {
  oauth::ApplicationSettings settings;
  settings.name = arguments.value("--name");
  settings.description = arguments.value("--description");
  settings.redirect_uri = arguments.value("--redirect-uri");
  const auto scopes = read_scopes(arguments.value("--scopes"));
  if (!scopes) return Refusal{scopes.error()};
  settings.scopes = *scopes;
  const std::string& format = arguments.value("--scope-format");
  if (arguments.has("--scope-format") && format != "array" && format != "string")
    return Refusal{std::string("scope_format must be one of array, string")};
  if (format == "string") settings.scope_format = oauth::ScopeFormat::String;
  settings.require_pkce = arguments.has("--require-pkce");
  settings.exact_redirect = arguments.has("--exact-redirect");
  settings.refuse_query_credentials = arguments.has("--refuse-query-credentials");
  return settings;
}

std::string why_not_created(ApplicationRefusal why, const oauth::NewApplication& application) {
  const std::string account = "account " + std::to_string(application.account.id.number);
  switch (why) {
    case ApplicationRefusal::InvalidSettings:
      return text_of(oauth::problems_of(application.settings));
    case ApplicationRefusal::OauthDisabled:
      return "OAuth is not enabled for " + account +
             ": import it with \"oauth_enabled\":true first";
    case ApplicationRefusal::TooManyApplications:
      return account + " has " + std::to_string(oauth::kMaxApplicationsPerAccount) +
             " applications already, and can have no more: delete one first";
    default: return "there is an application " + application.id.text + " already";
  }
}

Outcome create(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto account_id = read_account(arguments.value("--account"));
  if (!account_id) return wrong_call(context, account_id.error());
  const bool is_chosen = arguments.has("--client-id");
  const auto id = read_client_id(is_chosen ? arguments.value("--client-id")
                                           : oauth::new_client_id(context.entropy).text);
  if (!id) return Refusal{id.error()};
  auto settings = read_settings(arguments);
  if (!settings) return Refusal{settings.error()};
  redis::People people(context.store.channel);
  auto account = context.store.run(people.find_account(*account_id));
  if (!account) return Refusal{"there is no account " + arguments.value("--account")};

  const oauth::NewApplication application{*id, std::move(*account), std::move(*settings)};
  Service service(context, **keys);
  GrantSearch search(context, **keys);
  const auto created = context.store.run(
      is_chosen ? service->create_with_chosen_id(application, search, service.actor())
                : service->create(application, service.actor()));
  if (!created) return Refusal{why_not_created(created.error(), application)};
  Report report;
  add_client(report, created->client, context);
  report.text("client_secret", created->secret);
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome list(const Arguments& arguments, Context& context) {
  std::optional<media::AccountId> account;
  if (arguments.has("--account")) {
    const auto id = read_account(arguments.value("--account"));
    if (!id) return wrong_call(context, id.error());
    account = *id;
  }
  std::map<std::pair<std::int64_t, std::string>, Client> found;
  // An unreadable record may be of any account, so it is always reported.
  bool all_readable = true;
  redis::ClientRegistry registry(context.store.channel);
  context.store.run(registry.for_each(
      [&](const Client& client) {
        if (!account || client.account == *account)
          found.emplace(std::pair(client.account.number, client.id.text), client);
      },
      [&](const std::string& key, const std::string& why) {
        all_readable = false;
        std::cerr << "the record " << printable(key) << " cannot be read: " << printable(why)
                  << "\n";
      }));
  for (const auto& [order, client] : found) {
    if (arguments.json()) {
      Report report;
      add_client(report, client, context);
      report.print(std::cout, true);
    } else {
      std::cout << printable(client.id.text) << "  account " << client.account.number << "  "
                << printable(client.name) << "  " << printable(client.redirect_uri) << "\n";
    }
  }
  if (found.empty() && !arguments.json())
    std::cerr << "no application" << (account ? " of that account" : "") << "\n";
  if (!all_readable) return Refusal{std::string("not every application could be read")};
  return kDone;
}

Outcome show(const Arguments& arguments, Context& context) {
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  redis::ClientRegistry registry(context.store.channel);
  const auto client = context.store.run(registry.find(*id));
  if (!client) return Refusal{no_application(*id)};
  Report report;
  add_client(report, *client, context);
  std::string unreadable;
  if (arguments.has("--secret")) {
    const auto keys = keys_of(context);
    if (!keys) return Refusal{keys.error()};
    Service service(context, **keys);
    const auto opened = context.store.run(service->show_secrets(*client, service.actor()));
    std::vector<std::string> secrets;
    for (std::size_t i = 0; i < opened.size(); ++i) {
      if (opened[i]) {
        secrets.push_back(*opened[i]);
      } else if (unreadable.empty()) {
        unreadable = "the secret cannot be opened: the key " +
                     std::string(base::KeyRing::id_of(client->secrets[i].sealed)) +
                     " that sealed it is not in the key file, or the record was changed";
      }
    }
    if (secrets.empty() && !unreadable.empty()) return Refusal{unreadable};
    report.texts("client_secrets", secrets);
  }
  report.print(std::cout, arguments.json());
  if (!unreadable.empty()) return Refusal{unreadable};
  return kDone;
}

std::string why_not_changed(ApplicationRefusal why, const ClientId& id) {
  switch (why) {
    case ApplicationRefusal::TwoLiveSecrets:
      return "two secrets are live already: once the application uses the newer one, "
             "end the older with svcctl app rotate-secret " +
             id.text + " --retire-old, then rotate";
    case ApplicationRefusal::OneLiveSecret:
      return "there is one live secret only, nothing to retire";
    case ApplicationRefusal::Overtaken:
      return "the secrets of " + id.text +
             " were changed by another command or on the settings pages meanwhile: run it again";
    default: return no_application(id);
  }
}

Outcome rotate_secret(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  redis::ClientRegistry registry(context.store.channel);
  const auto seen = context.store.run(registry.find(*id));
  if (!seen) return Refusal{no_application(*id)};
  const std::string edition = oauth::secrets_edition(*seen);
  Service service(context, **keys);
  Report report;
  const auto add_secrets = [&](const Client& client) {
    report.text("client_id", id->text)
        .integer("live_secrets", static_cast<std::int64_t>(client.secrets.size()));
  };
  if (arguments.has("--retire-old")) {
    const auto retired =
        context.store.run(service->retire_old_secret(*seen, edition, service.actor()));
    if (!retired) return Refusal{why_not_changed(retired.error(), *id)};
    add_secrets(*retired);
  } else {
    const auto rotated = context.store.run(service->rotate_secret(*seen, edition, service.actor()));
    if (!rotated) return Refusal{why_not_changed(rotated.error(), *id)};
    add_secrets(rotated->client);
    report.text("client_secret", rotated->secret);
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

// Returns true if the user at the terminal typed the id.
bool confirmed(const Context& context, const ClientId& id) {
  if (!is_terminal(context.input)) return false;
  std::cerr << "Type " << id.text << " to delete it: " << std::flush;
  const auto typed = read_line(context.input);
  return typed && *typed == id.text;
}

Outcome remove(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  Service service(context, **keys);
  const auto remains = context.store.run(service->find_remains(*id));
  if (!remains) return Refusal{no_application(*id)};

  redis::GrantInspection inspection(context.store.channel, **keys, context.lifetimes,
                                    context.clock);
  const std::vector<redis::LiveGrant> grants = context.store.run(inspection.grants_of(*id));
  std::int64_t access_tokens = 0;
  std::int64_t refresh_tokens = 0;
  for (const redis::LiveGrant& grant : grants) {
    access_tokens += grant.access_tokens;
    refresh_tokens += grant.refresh_tokens;
  }
  Report report;
  report.text("client_id", id->text)
      .text("name", remains->client ? remains->client->name : "")
      .integer("grants", static_cast<std::int64_t>(grants.size()))
      .integer("access_tokens", access_tokens)
      .integer("refresh_tokens", refresh_tokens);
  bool yes = arguments.has("--yes");
  if (!arguments.json()) {
    std::cout << (yes ? "ends with it:\n" : "would end with it:\n");
    report.print(std::cout, false);
    std::cout << std::flush;
  }
  yes = yes || confirmed(context, *id);
  if (yes) {
    GrantSearch search(context, **keys);
    context.store.run(service->remove_completely(*remains, search, service.actor()));
  }
  if (arguments.json()) {
    report.boolean("deleted", yes).print(std::cout, true);
  } else if (yes) {
    std::cout << "deleted\n";
  }
  if (!yes) return Refusal{std::string("nothing was deleted: --yes is missing")};
  return kDone;
}

}  // namespace

const Group& app_commands() {
  using Takes = Flag::Takes;
  static const Group kGroup{
      "app",
      kAppUsage,
      {{"create",
        {{{"--account", Takes::OneValue, true},
          {"--name", Takes::OneValue, true},
          {"--redirect-uri", Takes::OneValue, true},
          {"--scopes", Takes::OneValue, true},
          {"--description", Takes::OneValue},
          {"--scope-format", Takes::OneValue},
          {"--require-pkce"},
          {"--exact-redirect"},
          {"--refuse-query-credentials"},
          {"--client-id", Takes::OneValue}},
         {}},
        create},
       {"list", {{{"--account", Takes::OneValue}}, {}}, list},
       {"show", {{{"--secret"}}, {"the application's client id"}}, show},
       {"rotate-secret", {{{"--retire-old"}}, {"the application's client id"}}, rotate_secret},
       {"delete", {{{"--yes"}}, {"the application's client id"}}, remove}}};
  return kGroup;
}

}  // namespace svc::ctl
