#include "oauth/applications.h"

#include <algorithm>
#include <functional>

#include "base/digest.h"
#include "base/hex.h"
#include "oauth/redirect_uri.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kClientIdBytes = 16;
constexpr std::size_t kClientSecretBytes = 32;
constexpr std::size_t kEditionDigits = 32;
constexpr std::int64_t kEndsForAtLeast = 60;  // s, longer than any request

std::string random_hex(base::Entropy& entropy, std::size_t bytes) {
  std::string random(bytes, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(random.data()), random.size()});
  return base::to_hex(random);
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

enum class Lines { One, Many };

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

std::string problem_of(std::string_view text, std::size_t most, Lines lines) {
  const auto characters = characters_of(text);
  if (!characters) return "must be text in UTF-8";
  if (has(text, text::is_obeyed) ||
      (lines == Lines::One && text.find_first_of("\n\t") != std::string_view::npos)) {
    return std::string("must not have control characters") +
           (lines == Lines::One ? " or line breaks" : "");
  }
  if (!text.empty() && !has(text, std::not_fn(text::is_blank))) return "must have something to see";
  if (*characters > most) {
    return "must not have more than " + std::to_string(most) + " characters; it has " +
           std::to_string(*characters);
  }
  return {};
}

std::string edition_of(std::initializer_list<std::string_view> parts) {
  std::string all;
  // With the length before each part, so that different lists give different
  // texts.
  for (const std::string_view part : parts)
    all += std::to_string(part.size()) + ":" + std::string(part);
  return base::to_hex(base::sha256(all)).substr(0, kEditionDigits);
}

}  // namespace

ClientId new_client_id(base::Entropy& entropy) { return {random_hex(entropy, kClientIdBytes)}; }
std::string new_client_secret(base::Entropy& entropy) {
  return random_hex(entropy, kClientSecretBytes);
}

ApplicationSettings ApplicationSettings::of(const Client& client) {
  return {client.name,           client.description,
          client.redirect_uri,   client.scopes,
          client.scope_format,   client.require_pkce,
          client.exact_redirect, client.refuse_query_credentials};
}

SettingsProblems problems_of(const ApplicationSettings& settings) {
  SettingsProblems problems;
  problems.name = settings.name.empty()
                      ? "must not be empty"
                      : problem_of(settings.name, kMaxApplicationName, Lines::One);
  problems.description = problem_of(settings.description, kMaxApplicationDescription, Lines::Many);
  problems.redirect_uri = settings.redirect_uri.empty()
                              ? "must not be empty"
                              : why_not_registered(settings.redirect_uri).value_or("");
  if (settings.scopes.empty()) problems.scopes = "must not be empty";
  return problems;
}

std::string to_text(const SettingsProblems& problems) {
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

base::Result<Client, std::string> client_to_register(text::JsonRecord& record) {
  auto client = client_from_record(record);
  if (!client) return client;
  const SettingsProblems problems = problems_of(ApplicationSettings::of(*client));
  if (problems.any()) return base::Refusal{to_text(problems)};
  return client;
}

Client with_settings(Client client, const ApplicationSettings& settings) {
  if (!(client.scopes == settings.scopes)) ++client.permission_version;
  client.name = settings.name;
  client.description = settings.description;
  client.redirect_uri = settings.redirect_uri;
  client.scopes = settings.scopes;
  client.scope_format = settings.scope_format;
  client.require_pkce = settings.require_pkce;
  client.exact_redirect = settings.exact_redirect;
  client.refuse_query_credentials = settings.refuse_query_credentials;
  return client;
}

std::optional<Client> with_new_secret(Client client, const ClientSecret& secret) {
  if (client.secrets.size() >= kMostLiveSecrets) return std::nullopt;
  client.secrets.insert(client.secrets.begin(), secret);
  return client;
}

std::optional<Client> with_newest_secret_only(Client client) {
  if (client.secrets.size() < 2) return std::nullopt;
  client.secrets.resize(1);
  return client;
}

std::string settings_edition(const Client& client) {
  return edition_of({"settings", client.name, client.description, client.redirect_uri,
                     client.scopes.to_text(),
                     client.scope_format == ScopeFormat::String ? "string" : "array",
                     client.require_pkce ? "pkce" : "", client.exact_redirect ? "exact" : "",
                     client.refuse_query_credentials ? "no query" : ""});
}

std::string secrets_edition(const Client& client) {
  std::string macs;
  for (const ClientSecret& secret : client.secrets) macs += secret.mac + " ";
  return edition_of({"secrets", macs});
}

loop::Task<bool> clean_up_removed(Applications& applications, Grants& grants, std::int64_t now) {
  const std::vector<Applications::Ending> all = co_await applications.ending();
  for (const Applications::Ending& ending : all) {
    const GrantList list = ending.id;
    const std::int64_t ended = co_await grants.end_some(list, kGrantsPerStep);
    if (ended > 0) co_return true;  // the size of a step is limited
    // The tokens of a restored application are refused while it is listed.
    if (ending.restored || now - ending.since >= kEndsForAtLeast)
      co_await applications.has_ended(ending.id);
  }
  co_return false;
}

loop::Task<> finish_removal(const ClientId& id, Applications& applications, Grants& grants) {
  const GrantList list = id;
  std::int64_t ended = 0;
  do {
    ended = co_await grants.end_some(list, kGrantsPerStep);
  } while (ended > 0);
  co_await applications.has_ended(id);
}

}  // namespace svc::oauth
