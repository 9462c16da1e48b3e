#include "oauth/client.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "media/record_fields.h"
#include "oauth/redirect_uri.h"
#include "text/ascii.h"

namespace svc::oauth {
namespace {

constexpr std::string_view kSecretLabel = "client_id and client_secret";
constexpr std::array<std::pair<std::string_view, ScopeFormat>, 2> kScopeFormats{
    {{"array", ScopeFormat::Array}, {"string", ScopeFormat::String}}};

std::string context_of(const ClientId& id) { return "client_secret of " + id.text; }

// The text for the MAC. An id contains no colon, so different pairs give
// different texts.
std::string message_of(const ClientId& id, std::string_view secret) {
  return id.text + ":" + std::string(secret);
}

}  // namespace

const std::vector<std::string_view> kClientKeys{
    "kind",         "client_id",    "client_secret",  "account_id",
    "name",         "description",  "redirect_uri",   "scopes",
    "scope_format", "require_pkce", "exact_redirect", "refuse_query_credentials",
    "created"};

bool is_client_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return text::is_alnum(c) || c == '-' || c == '_' || c == '.';
  });
}

base::Result<Client, std::string> client_from_record(text::JsonRecord& record) {
  Client client;
  client.id = {record.text("client_id", 64)};
  if (!is_client_id(client.id.text))
    record.refuse("client_id", "must be 1 to 64 letters, digits, '-', '_' and '.'");
  client.account = {record.integer("account_id", 1, media::kMaxIntegerId)};
  client.name = media::read_name(record, "name");
  client.description =
      record.optional_text("description", media::kMaxDescriptionBytes).value_or("");
  client.redirect_uri = record.text("redirect_uri", kMaxRedirectUri);
  if (const auto why = why_not_redirect_uri(client.redirect_uri))
    record.refuse("redirect_uri", *why);
  if (const auto scopes = record.array("scopes")) {
    for (std::size_t i = 0; i < scopes->size(); ++i) {
      if (!client.scopes.add(scopes->at(i).string().value_or(""))) {
        record.refuse("scopes", "must be a list of " + ScopeSet::list_of_names());
      }
    }
    if (client.scopes.empty()) record.refuse("scopes", "must not be empty");
  }
  if (record.optional_text("scope_format", 16)) {
    client.scope_format = media::read_choice(record, "scope_format", kScopeFormats);
  }
  client.require_pkce = record.optional_boolean("require_pkce", false);
  client.exact_redirect = record.optional_boolean("exact_redirect", false);
  client.refuse_query_credentials = record.optional_boolean("refuse_query_credentials", false);
  client.created = media::read_time(record, "created");
  client.permission_version =
      record.optional_integer("permission_version", 1, media::kMaxIntegerId).value_or(1);
  if (const auto secrets = record.optional_array("secrets")) {
    for (std::size_t i = 0; i < secrets->size(); ++i) {
      text::JsonRecord fields(record, "secrets", i, secrets->at(i));
      client.secrets.push_back({fields.text("sealed", 2048), fields.text("mac", 64),
                                fields.optional_text("created", 64).value_or("")});
      record.adopt(fields);
    }
  }
  if (!record.ok()) return base::Refusal{record.error()};
  return client;
}

std::string to_record(const Client& client) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("client_id", client.id.text)
      .integer("account_id", client.account.number)
      .string("name", client.name)
      .string("description", client.description)
      .string("redirect_uri", client.redirect_uri)
      .strings("scopes", client.scopes.names())
      .string("scope_format", media::name_of(kScopeFormats, client.scope_format))
      .boolean("require_pkce", client.require_pkce)
      .boolean("exact_redirect", client.exact_redirect)
      .boolean("refuse_query_credentials", client.refuse_query_credentials)
      .string("created", client.created)
      .integer("permission_version", client.permission_version);
  text::json::ArrayWriter secrets(writer.raw("secrets"));
  for (const ClientSecret& secret : client.secrets) {
    text::json::ObjectWriter one(secrets.next());
    one.string("sealed", secret.sealed).string("mac", secret.mac);
    if (!secret.created.empty()) one.string("created", secret.created);
    one.end();
  }
  secrets.end();
  writer.end();
  return out;
}

ClientSecret keep_secret(const base::KeyRing& keys, const ClientId& id, std::string_view secret,
                         base::Entropy& entropy, std::string created) {
  return {keys.seal(secret, context_of(id), entropy),
          keys.mac(kSecretLabel, message_of(id, secret)), std::move(created)};
}

std::optional<std::string> open_secret(const base::KeyRing& keys, const ClientId& id,
                                       const ClientSecret& secret) {
  return keys.open(secret.sealed, context_of(id));
}

std::optional<ClientSecret> renew_secret(const base::KeyRing& keys, const ClientId& id,
                                         const ClientSecret& secret, base::Entropy& entropy) {
  const auto plain = open_secret(keys, id, secret);
  if (!plain) return std::nullopt;
  if (base::KeyRing::id_of(secret.sealed) == keys.ids().front() &&
      keys.mac(kSecretLabel, message_of(id, *plain)) == secret.mac) {
    return secret;
  }
  return keep_secret(keys, id, *plain, entropy, secret.created);
}

bool is_secret_of(const base::KeyRing& keys, const Client& client, std::string_view secret) {
  const std::string message = message_of(client.id, secret);
  bool matches = false;
  for (const ClientSecret& stored : client.secrets)
    matches |= keys.mac_matches(kSecretLabel, message, stored.mac);
  if (matches) return true;
  // Old MACs did not include the id, so they may have been copied from another
  // record. The sealed secret is bound to the id, so compare the secret itself.
  for (const ClientSecret& stored : client.secrets) {
    const auto plain = open_secret(keys, client.id, stored);
    matches |= plain && base::equal_in_constant_time(*plain, secret);
  }
  return matches;
}

}  // namespace svc::oauth
