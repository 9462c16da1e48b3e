#include "oauth/document_client.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::oauth {
namespace {

constexpr std::string_view kId = "https://app.example/client.json";

ScopeSet scopes(std::string_view text) { return *ScopeSet::parse(text); }

// Returns "" if the URL is allowed.
std::string judged(std::string_view url, std::vector<std::string> hosts, bool loopback = false) {
  return why_not_document_url(url, {std::move(hosts), scopes("media:read"), loopback}).value_or("");
}

TEST(DocumentUrl, HasAPathAndTheNameOfAnAllowedHost) {
  struct Case {
    std::string url;
    std::string why;
  };
  const std::string host = "must have the name of a host, in lower case";
  const std::string dots = "must not have . or .. in its path";
  for (const Case& c : {
           Case{"https://app.example/client.json", ""},
           Case{"https://app.example/", ""},
           Case{"https://app.example/a.b/..c/d?v=1", ""},
           Case{"https://app.example/%C3%A9", ""},
           Case{"http://app.example/client.json", "must begin with https://, in lower case"},
           Case{"HTTPS://app.example/client.json", "must begin with https://, in lower case"},
           Case{"https:/app.example/x", "must begin with https://, in lower case"},
           Case{"https://app.example", "must have a path"},
           Case{"https://app.example?x", "must have a path"},
           Case{"https://app.example/x#y", "must not have a fragment"},
           Case{"https://app.example/#", "must not have a fragment"},
           Case{"https://a@app.example/x", "must not have a user name or password"},
           Case{"https://app.example@evil.example/x", "must not have a user name or password"},
           Case{"https://app.example/a/../x", dots},
           Case{"https://app.example/./x", dots},
           Case{"https://app.example/a/..", dots},
           Case{"https://app.example/%2e%2E/x", dots},
           Case{"https://app.example/.%2e", dots},
           Case{"https://app.example:443/x", "must not have a port"},
           Case{"https://app.example:8443/x", "must not have a port"},
           Case{"https://app.example:/x", "must not have a port"},
           Case{"https://App.example/x", host},
           Case{"https://app.example./x", host},
           Case{"https:///x", host},
           Case{"https://127.0.0.1/x", host},
           Case{"https://0x7f.1/x", host},
           Case{"https://[::1]/x", host},
           Case{"https://app.example\\@evil.example/x", "must contain only characters of a URI"},
           Case{"https://app.example/x y", "must contain only characters of a URI"},
           Case{"https://app.example/%zz", "must contain only characters of a URI"},
           Case{"https://app.example/\n", "must contain only characters of a URI"},
           Case{"https://other.example/x", "has a host that this server does not allow"},
           Case{"https://x.app.example/x", "has a host that this server does not allow"},
           Case{"https://app.example.evil/x", "has a host that this server does not allow"},
           Case{"https://app.example/" + std::string(kMaxDocumentUrl, 'a'),
                "must not be longer than 512 bytes"},
       }) {
    EXPECT_EQ(judged(c.url, {"app.example"}), c.why) << c.url;
  }
}

TEST(DocumentUrl, HasAnyHostIfAllAreAllowedAndNoneIfNoneIs) {
  EXPECT_EQ(judged("https://other.example/x", {"*"}), "");
  EXPECT_EQ(judged("https://other.example/x", {"app.example", "other.example"}), "");
  EXPECT_EQ(judged(kId, {}), "is a URL, and this server takes no client ID metadata documents");
}

TEST(DocumentUrl, MayBeOnLoopbackWithAPortIfThatIsAllowed) {
  for (const std::string url :
       {"https://127.0.0.1:8443/x", "https://[::1]:8443/x", "https://localhost:8443/x"}) {
    EXPECT_EQ(judged(url, {"127.0.0.1", "[::1]", "localhost"}, true), "") << url;
    EXPECT_NE(judged(url, {"127.0.0.1", "[::1]", "localhost"}), "") << url;
  }
  EXPECT_EQ(judged("https://app.example:8443/x", {"*"}, true), "must not have a port");
  EXPECT_EQ(judged("https://10.0.0.1/x", {"*"}, true),
            "must have the name of a host, in lower case");
}

// The document with these members after client_id and redirect_uris.
std::string document(const std::string& more = "",
                     const std::string& redirects = R"(["https://app.example/back"])") {
  return R"({"client_id":")" + std::string(kId) + R"(","redirect_uris":)" + redirects +
         (more.empty() ? "" : "," + more) + "}";
}

std::string refusal(const std::string& text) {
  const auto read = read_client_document(kId, text, scopes("media:read"));
  return read ? "" : read.error();
}

TEST(ClientDocument, DescribesAPublicClient) {
  const auto read = read_client_document(
      kId,
      document(R"("client_name":" Player ","logo_uri":"https://app.example/logo.svg",)"
               R"("grant_types":["authorization_code","refresh_token","urn:x"],)"
               R"("response_types":["code"],"scope":"media:read mcp:tools openid",)"
               R"("token_endpoint_auth_method":"none","contacts":["a@b"],"unknown":{"a":1})",
               R"(["https://app.example/back","http://127.0.0.1/cb","com.example.app:/x"])"),
      scopes("media:read stats:read"));
  ASSERT_TRUE(read) << read.error();
  const Client& client = read->client;
  EXPECT_EQ(client.id.value(), kId);
  EXPECT_TRUE(client.is_public());
  EXPECT_EQ(client.name, "Player");
  EXPECT_EQ(read->logo, "https://app.example/logo.svg");
  EXPECT_TRUE(read->refreshes);
  EXPECT_EQ(client.scopes, scopes("media:read"));
  EXPECT_EQ(client.redirect_uris.size(), 3U);
  EXPECT_TRUE(client.require_pkce && client.exact_redirect);
  EXPECT_EQ(client.scope_format, ScopeFormat::String);
}

TEST(ClientDocument, NeedsOnlyItsIdAndARedirect) {
  const auto read = read_client_document(kId, document(), scopes("media:read stats:read"));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->client.name, "app.example");
  EXPECT_EQ(read->client.scopes, scopes("media:read stats:read"));
  EXPECT_FALSE(read->refreshes);
}

TEST(ClientDocument, HasAnotherPermissionVersionIfAByteDiffers) {
  const auto version = [](const std::string& text) {
    return read_client_document(kId, text, scopes("media:read"))->client.permission_version;
  };
  EXPECT_EQ(version(document()), version(document()));
  EXPECT_NE(version(document()), version(document() + " "));
  EXPECT_GT(version(document()), 1'000'000);
}

TEST(ClientDocument, OauthM4IsRefusedForWhatItMustNotHave) {
  struct Case {
    std::string text;
    std::string why;
  };
  const std::string redirects = "redirect_uris has no entry that this server takes";
  for (
      const Case& c : {
          Case{"", "the document is not a JSON object"},
          Case{"[]", "the document is not a JSON object"},
          Case{"{}", "client_id is missing"},
          Case{document() + "x", "the document is not a JSON object"},
          Case{"\xff", "the document is not UTF-8"},
          Case{document("\"x\":" + std::string(9, '[') + std::string(9, ']')),
               "the document is nested deeper than 8 levels"},
          Case{document("\"x\":\"" + std::string(kMaxDocument, 'x') + "\""),
               "the document is larger than 5120 bytes"},
          Case{
              R"({"client_id":"https://app.example/other","redirect_uris":["https://a.example/"]})",
              "client_id differs from the URL of the document"},
          Case{
              R"({"client_id":"https://APP.example/client.json","redirect_uris":["https://a.example/"]})",
              "client_id differs from the URL of the document"},
          Case{R"({"client_id":7,"redirect_uris":["https://a.example/"]})",
               "client_id differs from the URL of the document"},
          Case{document(R"("client_id":"https://app.example/client.json")"),
               "client_id is given twice"},
          Case{document(R"("redirect_uris":["https://evil.example/"])"),
               "redirect_uris is given twice"},
          // Authentication
          Case{document(R"("client_secret":"x")"), "client_secret must not be"},
          Case{document(R"("client_secret_expires_at":0)"), "client_secret_expires_at must not be"},
          Case{document(R"("token_endpoint_auth_method":"client_secret_basic")"),
               "token_endpoint_auth_method must not be client_secret_basic"},
          Case{document(R"("token_endpoint_auth_method":"client_secret_jwt")"),
               "token_endpoint_auth_method must not be client_secret_jwt"},
          Case{document(R"("token_endpoint_auth_methods":["none","client_secret_post"])"),
               "token_endpoint_auth_method must not be client_secret_post"},
          Case{document(R"("token_endpoint_auth_method":"private_key_jwt")"),
               "token_endpoint_auth_method is private_key_jwt alone"},
          Case{document(R"("token_endpoint_auth_method":["private_key_jwt"])"),
               "token_endpoint_auth_method is private_key_jwt alone"},
          Case{document(R"("token_endpoint_auth_method":["private_key_jwt","none"])"), ""},
          Case{document(R"("token_endpoint_auth_method":"private_key_jwt",)"
                        R"("token_endpoint_auth_methods_supported":["private_key_jwt","none"])"),
               ""},
          Case{document(R"("token_endpoint_auth_method":"tls_client_auth")"),
               "token_endpoint_auth_method must be none"},
          Case{document(R"("token_endpoint_auth_method":7)"),
               "token_endpoint_auth_method must be a string or a list of strings"},
          Case{document(R"("jwks":{"keys":[{"kty":"EC","x":"1","y":"2"}]})"), ""},
          Case{document(R"("jwks":{"keys":[{"kty":"EC","x":"1","d":"2"}]})"),
               "jwks must not have a private or symmetric key"},
          Case{document(R"("jwks":{"keys":[{"kty":"oct","k":"2"}]})"),
               "jwks must not have a private or symmetric key"},
          Case{document(R"("jwks":[])"), "jwks must be an object"},
          // Redirects
          Case{R"({"client_id":"https://app.example/client.json"})", "redirect_uris is missing"},
          Case{document("", "[]"), "redirect_uris must not be empty"},
          Case{document("", "\"https://app.example/\""), "redirect_uris must be a list"},
          Case{document("", "[1]"), "redirect_uris must be a list"},
          Case{document("", R"(["http://app.example/"])"), redirects},
          Case{document("", R"(["https://app.example/#x"])"), redirects},
          Case{document("", "[\"javascript:alert(1)\"]"), redirects},
          Case{document("", R"(["https://app.example/?code=1"])"), redirects},
          Case{document("", R"(["myapp:/x"])"), redirects},
          Case{document("", R"(["http://localhost:1/x","http://[::1]/y"])"), ""},
          Case{document("", R"(["https://a.example/0",null])"), "redirect_uris must be a list"},
          // Grants and scopes
          Case{document(R"("grant_types":["client_credentials"])"),
               "grant_types must contain authorization_code"},
          Case{document(R"("grant_types":"authorization_code")"), "grant_types must be a list"},
          Case{document(R"("response_types":["token"])"), "response_types must contain code"},
          Case{document(R"("scope":"openid mcp:tools")"), ""},
          Case{document(R"("scope":"all:all")"),
               "scope must contain one that this server allows such applications: media:read"},
          Case{document(R"("scope":["media:read"])"), "scope must be a string"},
          // Texts
          Case{document(R"("client_name":7)"), "client_name must be a string"},
          Case{document(R"("client_name":"a\nb")"), "client_name must be UTF-8 without control"},
          Case{document(R"("client_name":"a\u202eb")"),
               "client_name must be UTF-8 without control"},
          Case{document("\"client_name\":\"" + std::string(101, 'x') + "\""),
               "client_name must have at most 100 characters"},
          Case{document(R"("client_name":"\u200b")"), ""},
          Case{document(R"("logo_uri":"a\u0000b")"), ""},
          Case{document("\"logo_uri\":\"" + std::string(513, 'x') + "\""), ""},
          Case{document(R"("logo_uri":7)"), ""},
      }) {
    const std::string why = refusal(c.text);
    EXPECT_TRUE(c.why.empty() ? why.empty() : why.starts_with(c.why))
        << c.text.substr(0, 200) << "\n"
        << why;
  }
}

TEST(ClientDocument, OauthM4EntriesThatThisServerDoesNotTakeAreAsIfTheyWereNotThere) {
  std::string uris =
      R"("cursor://anysphere.cursor/callback","myapp:/x","http://app.example/","",)"
      R"("javascript:x","https://u@a.example/","https://a.example/?code=1","https://a.example/#x")";
  std::vector<std::string> taken;
  for (int i = 0; i < 100; ++i) {
    taken.push_back("https://a.example/" + std::to_string(i));
    uris += ",\"" + taken.back() + "\"";
  }
  const auto read = read_client_document(kId, document("", "[" + uris + "]"), scopes("media:read"));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->client.redirect_uris, taken);
}

TEST(DocumentClient, IsKnownToTheTokenEndpointWhileItsHostIsAllowed) {
  const auto found = [](std::vector<std::string> hosts) {
    return client_without_document(kId, {std::move(hosts), scopes("media:read"), false});
  };
  ASSERT_TRUE(found({"app.example"}));
  EXPECT_TRUE(found({"*"})->is_public());
  EXPECT_EQ(found({"app.example"})->id.value(), kId);
  EXPECT_FALSE(found({"other.example"}));
  EXPECT_FALSE(found({}));
}

}  // namespace
}  // namespace svc::oauth
