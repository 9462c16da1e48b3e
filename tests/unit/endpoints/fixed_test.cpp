#include "endpoints/fixed.h"

#include <gtest/gtest.h>

#include "fakes/examples.h"
#include "fakes/headers.h"
#include "fakes/tasks.h"

namespace svc {
namespace {

TEST(AuthorizationServerMetadata, OauthD1ListsOnlySupportedFeatures) {
  EXPECT_EQ(
      endpoints::authorization_server_json(fakes::example_site(), "https://issuer.example"),
      R"({"issuer":"https://issuer.example",)"
      R"("authorization_endpoint":"https://app.home.example/oauth/authorize",)"
      R"("token_endpoint":"https://api.home.example:8443/oauth/token",)"
      R"("revocation_endpoint":"https://api.home.example:8443/oauth/revoke",)"
      R"("introspection_endpoint":"https://api.home.example:8443/oauth/introspect",)"
      R"("scopes_supported":["all:all","all:read","media:read","stats:read","media:upload"],)"
      R"("response_types_supported":["code"],"response_modes_supported":["query","form_post"],)"
      R"("grant_types_supported":["authorization_code","refresh_token"],)"
      R"("token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"],)"
      R"("revocation_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"],)"
      R"("introspection_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"],)"
      R"("code_challenge_methods_supported":["S256"],)"
      R"("authorization_response_iss_parameter_supported":true})");
}

TEST(AuthorizationServerMetadata, OauthD1IssuerDoesNotDependOnTheRequest) {
  endpoints::Fixed metadata("application/json", endpoints::authorization_server_json(
                                                    fakes::example_site(), "https://a.example"));
  http::Request request;
  request.method = "GET";
  request.host = "evil.example";
  const http::Response response = fakes::now(metadata.answer(request));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body.find("evil"), std::string::npos);
}

}  // namespace
}  // namespace svc
