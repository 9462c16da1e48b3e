#include "oauth/applications.h"

#include <algorithm>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"
#include "oauth/resource.h"

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

base::Result<Client, std::string> client_to_register(text::JsonRecord& record) {
  auto client = client_from_record(record);
  if (!client) return client;
  if (!record.optional_text("scope_format", 16))
    client->scope_format = ApplicationSettings{}.scope_format;
  const SettingsProblems problems = problems_of(*client);
  if (!problems.empty()) return base::Refusal{to_text(problems)};
  return client;
}

Client with_settings(Client client, const ApplicationSettings& settings) {
  if (!(client.scopes == settings.scopes)) ++client.permission_version;
  static_cast<ApplicationSettings&>(client) = settings;
  settle(client);
  return client;
}

Client with_operator_settings(Client client, const OperatorSettings& settings) {
  client.client_credentials = settings.client_credentials;
  client.resource_server = settings.resource_server;
  client.resources = settings.resources;
  return client;
}

std::optional<std::string> why_not(const OperatorSettings& settings, ClientType type) {
  if (type == ClientType::Public && !(settings == OperatorSettings{}))
    return "client_credentials and resource_server are only for a confidential application";
  if (settings.resources.size() > kMostResources)
    return "resource must not be given more than " + std::to_string(kMostResources) + " times";
  std::vector<std::string_view> names;
  for (const std::string& resource : settings.resources) {
    if (const auto why = why_not_resource(resource)) return "resource " + *why;
    if (std::ranges::find(names, comparable(resource)) != names.end())
      return "resource " + resource + " is given twice";
    names.push_back(comparable(resource));
  }
  return std::nullopt;
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
  std::string all;
  text::json::ObjectWriter writer(all);
  write_settings(writer, client);
  writer.end();
  return edition_of({"settings", all});
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
