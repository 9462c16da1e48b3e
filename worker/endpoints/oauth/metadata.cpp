#include "endpoints/oauth/metadata.h"

#include <array>
#include <vector>

#include "base/public_paths.h"
#include "oauth/client.h"
#include "oauth/scope_set.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

constexpr const char* kType = "application/json";

}  // namespace

// §2: lists every value whose default would be wrong, and omits unsupported
// members.
std::string authorization_server_json(const embed::Site& site, std::string_view issuer,
                                      std::span<const std::string> languages, PublicClients clients,
                                      Documents documents) {
  constexpr std::array<std::string_view, 2> kSecrets{"client_secret_basic", "client_secret_post"};
  std::vector<std::string_view> any_client(kSecrets.begin(), kSecrets.end());
  if (clients == PublicClients::Exist || documents == Documents::Taken)
    any_client.push_back(oauth::authentication_method(oauth::ClientType::Public));
  constexpr std::array<std::string_view, 2> kResponseModes{"query", "form_post"};
  constexpr std::array<std::string_view, 3> kGrantTypes{"authorization_code", "refresh_token",
                                                        "client_credentials"};
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("issuer", issuer)
      .string("authorization_endpoint", site.url(base::paths::kAuthorize))
      .string("token_endpoint", site.url(base::paths::kToken))
      .string("revocation_endpoint", site.url(base::paths::kRevoke))
      .string("introspection_endpoint", site.url(base::paths::kIntrospect))
      .strings("scopes_supported", oauth::ScopeSet::kNames)
      .strings("response_types_supported", std::array{std::string_view("code")})
      .strings("response_modes_supported", kResponseModes)
      .strings("grant_types_supported", kGrantTypes)
      .strings("token_endpoint_auth_methods_supported", any_client)
      .strings("revocation_endpoint_auth_methods_supported", any_client)
      .strings("introspection_endpoint_auth_methods_supported", kSecrets)
      .strings("code_challenge_methods_supported", std::array{std::string_view("S256")})
      .strings("ui_locales_supported", languages)
      .boolean("authorization_response_iss_parameter_supported", true);
  if (documents == Documents::Taken) writer.boolean("client_id_metadata_document_supported", true);
  writer.end();
  return out;
}

Metadata::Metadata(const embed::Site& site, std::string_view issuer,
                   std::span<const std::string> languages, oauth::PublicApplications& applications,
                   Documents documents)
    : applications_(applications),
      without_public_(kType, authorization_server_json(site, issuer, languages, PublicClients::None,
                                                       documents)),
      with_public_(kType, authorization_server_json(site, issuer, languages, PublicClients::Exist,
                                                    documents)) {}

loop::Task<http::Response> Metadata::answer(const http::Request& request) {
  const bool has_public = co_await applications_.exist();
  co_return co_await (has_public ? with_public_ : without_public_).answer(request);
}

}  // namespace svc::endpoints
