#include "ctl/app.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/terminal.h"
#include "oauth/applications.h"
#include "oauth/authorization_link.h"
#include "redis/client_registry.h"
#include "redis/grant_inspection.h"
#include "redis/grants.h"
#include "redis/keys.h"
#include "redis/people.h"
#include "text/json.h"
#include "text/rfc3339.h"
#include "text/utf8.h"

namespace svc::ctl {
namespace {

using base::Result;
using oauth::Client;
using oauth::ClientId;

Result<media::AccountId, std::string> read_account(const std::string& text) {
  const auto number = to_integer(text, 1, media::kMaxIntegerId);
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

void record(Context& context, oauth::EventName what, const Client& client,
            const std::string& more = "") {
  record_event(context, {.what = what,
                         .account = client.account,
                         .client = client.id.text,
                         .detail = who_is_this() + (more.empty() ? "" : ", " + more)});
}

// What was said of the application, as a record: so it is checked where all records are.
std::string record_of(const Arguments& arguments, const Context& context, const ClientId& id,
                      media::AccountId account) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("client_id", id.text)
      .integer("account_id", account.number)
      .string("name", arguments.value("--name"))
      .string("description", arguments.value("--description"))
      .string("redirect_uri", arguments.value("--redirect-uri"));
  std::string& scopes = writer.raw("scopes");
  scopes += '[';
  std::string_view left = arguments.value("--scopes");
  while (!left.empty()) {
    const std::size_t end = left.find_first_of(", ");
    if (end != 0) {
      if (scopes.back() != '[') scopes += ',';
      text::json::append_string(scopes, left.substr(0, end));
    }
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  scopes += ']';
  if (arguments.has("--scope-format"))
    writer.string("scope_format", arguments.value("--scope-format"));
  writer.boolean("require_pkce", arguments.has("--require-pkce"))
      .boolean("exact_redirect", arguments.has("--exact-redirect"))
      .boolean("refuse_query_credentials", arguments.has("--refuse-query-credentials"))
      .string("created", text::to_rfc3339(context.clock.now()));
  // An id that somebody chooses may have been another application's: consent to that is none to
  // this.
  if (arguments.has("--client-id")) writer.integer("permission_version", context.clock.now());
  writer.end();
  return out;
}

struct Ended {
  std::int64_t grants = 0;
  std::int64_t access_tokens = 0;
  std::int64_t refresh_tokens = 0;
};

Ended count(const std::vector<redis::LiveGrant>& grants) {
  Ended sum;
  for (const redis::LiveGrant& grant : grants) {
    ++sum.grants;
    sum.access_tokens += grant.access_tokens;
    sum.refresh_tokens += grant.refresh_tokens;
  }
  return sum;
}

std::vector<redis::LiveGrant> grants_of(Context& context, const base::KeyRing& keys,
                                        const ClientId& id) {
  redis::GrantInspection inspection(context.store.channel, keys, context.lifetimes, context.clock);
  return context.store.run(inspection.grants_of(id));
}

// The grants that no list names, which only a look through the whole store finds.
void end_unlisted(Context& context, const base::KeyRing& keys, const ClientId& id) {
  redis::Grants store(context.store.channel, keys, context.lifetimes, context.clock,
                      context.entropy);
  for (const redis::LiveGrant& grant : grants_of(context, keys, id))
    context.store.run(store.end(grant.id));
}

// Whatever is left of a former application of that id. Returns how many grants a look through the
// whole store found.
std::int64_t end_former(Context& context, const base::KeyRing& keys, const ClientId& id) {
  redis::ClientRegistry registry(context.store.channel);
  redis::Grants store(context.store.channel, keys, context.lifetimes, context.clock,
                      context.entropy);
  const auto found = static_cast<std::int64_t>(grants_of(context, keys, id).size());
  context.store.run(oauth::finish_removal(id, registry, store));
  end_unlisted(context, keys, id);
  return found;
}

Outcome create(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto account_id = read_account(arguments.value("--account"));
  if (!account_id) return wrong_call(context, account_id.error());
  for (const char* flag : {"--name", "--description"}) {
    if (!text::is_utf8(arguments.value(flag))) return Refusal{std::string(flag) + " must be UTF-8"};
  }
  const bool chosen = arguments.has("--client-id");
  const auto id = read_client_id(chosen ? arguments.value("--client-id")
                                        : oauth::new_client_id(context.entropy).text);
  if (!id) return Refusal{id.error()};
  text::json::Document document;
  const std::string text = record_of(arguments, context, *id, *account_id);
  const auto value = document.parse(text);
  if (!value) return Refusal{value.error()};
  text::JsonRecord fields(*value);
  auto client = oauth::client_to_register(fields);
  if (!client) return Refusal{client.error()};

  redis::People people(context.store.channel);
  const auto account = context.store.run(people.find_account(*account_id));
  if (!account) return Refusal{"there is no account " + arguments.value("--account")};
  if (!account->oauth_enabled) {
    return Refusal{"OAuth is not enabled for account " + arguments.value("--account") +
                   ": import it with \"oauth_enabled\":true first"};
  }
  const std::string secret = oauth::new_client_secret(context.entropy);
  client->secrets = {
      oauth::keep_secret(**keys, client->id, secret, context.entropy, client->created)};
  redis::ClientRegistry registry(context.store.channel);
  const std::string taken = "there is an application " + id->text + " already";
  if (context.store.run(registry.find(*id))) return Refusal{taken};
  // Consent to a former application of that id is none to this one.
  std::int64_t former = 0;
  if (chosen) {
    former = end_former(context, **keys, *id);
  }
  record(context, "client.created", *client,
         former == 0 ? "" : "ended " + std::to_string(former) + " grants of a former one");
  if (!context.store.run(registry.add(*client))) return Refusal{taken};
  Report report;
  add_client(report, *client, context);
  report.text("client_secret", secret);
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
  if (!client) return Refusal{"there is no application " + id->text};
  Report report;
  add_client(report, *client, context);
  if (arguments.has("--secret")) {
    const auto keys = keys_of(context);
    if (!keys) return Refusal{keys.error()};
    std::vector<std::string> secrets;
    for (const oauth::ClientSecret& kept : client->secrets) {
      const auto secret = oauth::open_secret(**keys, client->id, kept);
      if (!secret) {
        return Refusal{"the secret cannot be opened: the key " +
                       std::string(base::KeyRing::id_of(kept.sealed)) +
                       " that sealed it is not in the key file, or the record was changed"};
      }
      secrets.push_back(*secret);
    }
    // Before it is shown: what cannot be written down does not happen.
    record(context, "secret.shown", *client);
    report.texts("client_secrets", secrets);
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome rotate_secret(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  const bool retires = arguments.has("--retire-old");
  const std::string secret = oauth::new_client_secret(context.entropy);
  const oauth::ClientSecret kept = oauth::keep_secret(**keys, *id, secret, context.entropy,
                                                      text::to_rfc3339(context.clock.now()));
  const auto rotated = [&](Client now) -> Result<Client, std::string> {
    auto changed = retires ? oauth::with_newest_secret_only(std::move(now))
                           : oauth::with_new_secret(std::move(now), kept);
    if (changed) return std::move(*changed);
    if (retires) return Refusal{std::string("there is one live secret only, nothing to retire")};
    return Refusal{
        "two secrets are live already: once the application uses the newer one, "
        "end the older with svcctl app rotate-secret " +
        id->text + " --retire-old, then rotate"};
  };
  redis::ClientRegistry registry(context.store.channel);
  const auto client = context.store.run(registry.change(*id, rotated));
  if (!client) return Refusal{client.error()};
  record(context, retires ? oauth::EventName("secret.retired") : oauth::EventName("secret.rotated"),
         *client);
  Report report;
  report.text("client_id", id->text)
      .integer("live_secrets", static_cast<std::int64_t>(client->secrets.size()));
  if (!retires) report.text("client_secret", secret);
  report.print(std::cout, arguments.json());
  return kDone;
}

// Whether the person at the terminal typed the id.
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
  redis::ClientRegistry registry(context.store.channel);
  // An application whose record cannot be read is deleted all the same.
  const std::vector<Client> readable = context.store.run(registry.find_all({*id}));
  const Client* const client = readable.empty() ? nullptr : &readable.front();
  const bool is_stored = client != nullptr || context.store.run(registry.is_stored(*id));
  // Where a deletion was interrupted, it goes on.
  if (!is_stored && !context.store.run(registry.is_ending(*id)))
    return Refusal{"there is no application " + id->text};
  const Ended ended = count(grants_of(context, **keys, *id));
  Report report;
  report.text("client_id", id->text)
      .text("name", client ? client->name : "")
      .integer("grants", ended.grants)
      .integer("access_tokens", ended.access_tokens)
      .integer("refresh_tokens", ended.refresh_tokens);
  bool yes = arguments.has("--yes");
  if (!arguments.json()) {
    std::cout << (yes ? "ends with it:\n" : "would end with it:\n");
    report.print(std::cout, false);
    std::cout << std::flush;
  }
  yes = yes || confirmed(context, *id);
  if (yes) {
    // The record goes first, and with it every use at once. Whoever interrupts the rest can run
    // this again, or leave it to the web pool.
    const std::string grants = std::to_string(ended.grants) + " grants end with it";
    if (client != nullptr) {
      record(context, "client.deleted", *client, grants);
    } else if (is_stored) {
      record_event(context, {.what = "client.deleted",
                             .client = id->text,
                             .detail = who_is_this() + ", unreadable record, " + grants});
    }
    if (is_stored) context.store.run(registry.remove(*id, context.clock.now()));
    end_former(context, **keys, *id);
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
