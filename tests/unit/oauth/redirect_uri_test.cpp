#include "oauth/redirect_uri.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::oauth {
namespace {

using Part = RedirectPart;

constexpr std::string_view name_of(Part part) {
  switch (part) {
    case Part::Form: return "form";
    case Part::UserInfo: return "userinfo";
    case Part::Fragment: return "fragment";
    case Part::Scheme: return "scheme";
    case Part::Host: return "host";
    case Part::Port: return "port";
    case Part::Path: return "path";
    case Part::Query: return "query";
    case Part::ExtraParameter: return "extra";
  }
  return "";
}

// Returns the name of the part that differs, or "matches".
std::string compare(std::string_view registered, std::string_view requested,
                    ExtraParameters extra = ExtraParameters::Allowed) {
  const auto mismatch = mismatch_of(registered, requested, extra);
  return mismatch ? std::string(name_of(mismatch->part)) : "matches";
}

TEST(RedirectUri, OauthU1ComparesByteByByteAndNormalisesNothing) {
  constexpr std::string_view kPlain = "https://client.example/oauth/callback";
  ASSERT_FALSE(why_not_registered(kPlain));
  struct Case {
    std::string_view name, requested, expected;
  };
  for (const Case& c : {
           Case{"itself", "https://client.example/oauth/callback", "matches"},
           Case{"nothing", "", "form"},
           Case{"a path", "/oauth/callback", "form"},
           Case{"without scheme", "//client.example/oauth/callback", "form"},
           Case{"a word", "callback", "form"},
           // Scheme
           Case{"http", "http://client.example/oauth/callback", "scheme"},
           Case{"upper-case scheme", "HTTPS://client.example/oauth/callback", "scheme"},
           Case{"script", "javascript://client.example/oauth/callback", "scheme"},
           Case{"script without slashes", "javascript:alert(1)", "form"},
           Case{"data", "data:text/html,<b>", "form"},
           Case{"data with slashes", "data://client.example/oauth/callback", "scheme"},
           Case{"an application's scheme", "myapp://client.example/oauth/callback", "scheme"},
           Case{"a space before it", " https://client.example/oauth/callback", "form"},
           // Host
           Case{"another host", "https://evil.example/oauth/callback", "host"},
           Case{"upper-case host", "https://Client.example/oauth/callback", "host"},
           Case{"a dot behind the host", "https://client.example./oauth/callback", "host"},
           Case{"a subdomain", "https://a.client.example/oauth/callback", "host"},
           Case{"the host as a prefix", "https://client.example.evil.example/oauth/callback",
                "host"},
           Case{"the host as a suffix", "https://evilclient.example/oauth/callback", "host"},
           Case{"no host", "https:///oauth/callback", "host"},
           Case{"an encoded letter in the host", "https://%63lient.example/oauth/callback", "host"},
           Case{"an encoded dot in the host", "https://client%2eexample/oauth/callback", "host"},
           Case{"an encoded slash in the host", "https://client.example%2f@evil.example/",
                "userinfo"},
           // Port
           Case{"the default port", "https://client.example:443/oauth/callback", "port"},
           Case{"another port", "https://client.example:8443/oauth/callback", "port"},
           Case{"an empty port", "https://client.example:/oauth/callback", "port"},
           // Path
           Case{"another path", "https://client.example/oauth/other", "path"},
           Case{"no path", "https://client.example", "path"},
           Case{"more behind the path", "https://client.example/oauth/callback/more", "path"},
           Case{"a slash behind it", "https://client.example/oauth/callback/", "path"},
           Case{"letters behind it", "https://client.example/oauth/callbackevil", "path"},
           Case{"upper-case path", "https://client.example/OAuth/callback", "path"},
           Case{"two slashes", "https://client.example//oauth/callback", "path"},
           Case{"dot segments", "https://client.example/x/../oauth/callback", "path"},
           Case{"a dot segment", "https://client.example/./oauth/callback", "path"},
           Case{"dot segments behind it", "https://client.example/oauth/callback/../../evil",
                "path"},
           Case{"a parameter of the path", "https://client.example/oauth/callback;x=1", "path"},
           Case{"dots and a parameter", "https://client.example/oauth/callback/..;/evil", "path"},
           Case{"an encoded letter", "https://client.example/oauth/c%61llback", "path"},
           Case{"encoded dots", "https://client.example/oauth/callback/%2e%2e/evil", "path"},
           Case{"an encoded slash", "https://client.example/oauth%2fcallback", "path"},
           Case{"an encoded question mark", "https://client.example/oauth/callback%3fx=1", "path"},
           // Characters
           Case{"a backslash", "https://client.example\\oauth/callback", "form"},
           Case{"a backslash before another host",
                "https://evil.example\\.client.example/oauth/callback", "form"},
           Case{"a line end", "https://client.example/oauth/callback\r\nLocation: x", "form"},
           Case{"a tab", "https://client.example/\toauth/callback", "form"},
           Case{"NUL", std::string_view("https://client.example/oauth/callback\0", 38), "form"},
           Case{"a space", "https://client.example/oauth/callback?a=b c", "form"},
           Case{"a quote", "https://client.example/oauth/callback?a=\"", "form"},
           Case{"another alphabet", "https://client.example/oauth/callback?a=é", "form"},
           Case{"half an escape", "https://client.example/oauth/callback?a=%4", "form"},
           Case{"no escape", "https://client.example/oauth/callback?a=%zz", "form"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(compare(kPlain, c.requested), c.expected);
  }
}

TEST(RedirectUri, OauthU1RefusesUserInfoAndFragmentsAndAllowsExtraParameters) {
  constexpr std::string_view kPlain = "https://client.example/cb";
  constexpr std::string_view kQuery = "https://client.example/cb?tenant=42";
  struct Case {
    std::string_view name, registered, requested, expected;
  };
  for (const Case& c : {
           // Refused before anything else.
           Case{"a user", kPlain, "https://user@client.example/cb", "userinfo"},
           Case{"user and password", kPlain, "https://user:pw@client.example/cb", "userinfo"},
           Case{"our host as a user", kPlain, "https://client.example@evil.example/cb", "userinfo"},
           Case{"several", kPlain, "https://client.example@evil.example@client.example/cb",
                "userinfo"},
           Case{"an empty one", kPlain, "https://@client.example/cb", "userinfo"},
           Case{"our host and port as a user", kPlain, "https://client.example:80@evil.example/cb",
                "userinfo"},
           Case{"behind a backslash", kPlain, "https://evil.example\\@client.example/cb",
                "userinfo"},
           Case{"with another scheme", kPlain, "http://user@evil.example/x", "userinfo"},
           Case{"a fragment", kPlain, "https://client.example/cb#x", "fragment"},
           Case{"an empty fragment", kPlain, "https://client.example/cb#", "fragment"},
           Case{"our host in a fragment", kPlain, "https://evil.example#@client.example/cb",
                "fragment"},
           Case{"a fragment behind a query", kPlain, "https://client.example/cb?a=1#x", "fragment"},
           Case{"an at sign in the path is none", kPlain, "https://client.example/@cb", "path"},
           Case{"one in the query is none", kPlain, "https://client.example/cb?mail=a@b.example",
                "matches"},
           // Extra parameters.
           Case{"one", kPlain, "https://client.example/cb?my=1", "matches"},
           Case{"several, one twice", kPlain, "https://client.example/cb?a=1&b=2&a=3", "matches"},
           Case{"escapes", kPlain, "https://client.example/cb?a=%0d%0a%2f%E9", "matches"},
           Case{"an address", kPlain, "https://client.example/cb?next=https://x.example/?a",
                "matches"},
           Case{"without a value", kPlain, "https://client.example/cb?a", "matches"},
           Case{"a bare question mark", kPlain, "https://client.example/cb?", "query"},
           Case{"a bare ampersand", kPlain, "https://client.example/cb?a=1&", "query"},
           Case{"an ampersand first", kPlain, "https://client.example/cb?&a=1", "query"},
           Case{"two ampersands", kPlain, "https://client.example/cb?a=1&&b=2", "query"},
           Case{"the registered query", kQuery, kQuery, "matches"},
           Case{"one behind it", kQuery, "https://client.example/cb?tenant=42&a=1", "matches"},
           Case{"without it", kQuery, "https://client.example/cb", "query"},
           Case{"one in place of it", kQuery, "https://client.example/cb?a=1", "query"},
           Case{"one before it", kQuery, "https://client.example/cb?a=1&tenant=42", "query"},
           Case{"more of its value", kQuery, "https://client.example/cb?tenant=423", "query"},
           Case{"another value", kQuery, "https://client.example/cb?tenant=43", "query"},
           Case{"an ampersand behind it", kQuery, "https://client.example/cb?tenant=42&", "query"},
           Case{"another escape of it", kQuery, "https://client.example/cb?tenant=%342", "query"},
           Case{"a question mark behind it", kQuery, "https://client.example/cb?tenant=42?a=1",
                "query"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(compare(c.registered, c.requested), c.expected);
  }
}

TEST(RedirectUri, OauthU1RefusesTooLongUris) {
  const std::string registered = "https://client.example/cb";
  const std::string fill(kMaxRedirectUri - registered.size() - 3, 'x');
  EXPECT_EQ(compare(registered, registered + "?a=" + fill), "matches");
  EXPECT_EQ(compare(registered, registered + "?a=" + fill + "x"), "form");
}

TEST(RedirectUri, RefusesExtraParametersNamedLikeThoseOfTheResponse) {
  for (const std::string_view name :
       {"code", "state", "iss", "error", "error_description", "error_uri", "account_id",
        "account_url", "account_name", "account_", "account_anything", "contact_id", "contact_name",
        "contact_email", "contact_phone", "scope", "token_type", "access_token",
        // Encoded, and as other servers parse names.
        "c%6fde", "%63%6F%64%65", "account%5Fid", "account%5f", "error%5fdescription", "code[]",
        "code%5B%5D", "state[a]", "+error", "%20state", "account.id", "contact+name", "code%00",
        // As PHP reads them.
        "access[token", "access.token", "access+token", "access%5Btoken", "error.description",
        "error[description", "error[uri", "token[type", "account[id", "account[", "contact[x.y",
        // As ASP.NET reads them.
        "Code", "CODE", "sTaTe", "ISS", "Error_Description", "Access_Token", "ACCOUNT_ID",
        "Contact.Email", "Scope[]", "Access[Token", "c%4Fde",
        // As Rack and Express read them.
        "[code]", "%5Bcode%5D", "[code]x", "[code][x]", "[[code]]", "[code[x]", "[code", "]code",
        "code]", "code]]x", "[State]", "+[code]", "[access.token]", "[account_id]"}) {
    SCOPED_TRACE(name);
    const std::string uri = "https://client.example/cb";
    EXPECT_EQ(compare(uri, uri + "?" + std::string(name) + "=x"), "extra");
    EXPECT_EQ(compare(uri, uri + "?" + std::string(name)), "extra") << "without a value";
    EXPECT_EQ(compare(uri, uri + "?a=1&" + std::string(name) + "=x"), "extra") << "behind another";
    EXPECT_EQ(compare(uri, uri + "?a=1;" + std::string(name) + "=x"), "extra") << "behind a ;";
  }
  for (const std::string_view name : {"codes",         "my_code",      "account",    "accountid",
                                      "contact",       "states",       "issuer",     "x",
                                      "%2563ode",      "refresh",      "access",     "token",
                                      "access[token]", "account[id]",  "[x]",        "[codes]",
                                      "x[code]",       "code.x",       "code[x",     "_code",
                                      ".code",         "account-id",   "x]code",     "x%00code",
                                      "%09code",       "filter[name]", "utm.source", "Page"}) {
    SCOPED_TRACE(name);
    const std::string uri = "https://client.example/cb";
    EXPECT_EQ(compare(uri, uri + "?" + std::string(name) + "=code"), "matches");
  }
}

TEST(RedirectUri, RefusesExtraParametersThatTheRegisteredQueryHas) {
  const std::string registered = "https://client.example/cb?tenant=42&r%61w=1";
  for (const std::string_view extra :
       {"tenant=43", "tenant", "t%65nant=1", "raw=1", "a=1&tenant=2", "Tenant=43", "TENANT[]=1",
        "+tenant=1", "raw[x][y=1", "[tenant]=1", "%5Braw%5D=1", "tenant]=1"})
    EXPECT_EQ(compare(registered, registered + "&" + std::string(extra)), "extra") << extra;
  EXPECT_EQ(compare(registered, registered + "&tenants=43&tenant[a=1"), "matches");
  const std::string dotted = "https://client.example/cb?App.Id=1&list[a]=2";
  for (const std::string_view extra : {"app_id=2", "APP.ID=2", "app[id=2", "List=1", "list[b]=1"})
    EXPECT_EQ(compare(dotted, dotted + "&" + std::string(extra)), "extra") << extra;
}

TEST(RedirectUri, RefusesAllExtraParametersIfTheApplicationForbidsThem) {
  const std::string uri = "https://client.example/cb";
  EXPECT_EQ(compare(uri, uri, ExtraParameters::Refused), "matches");
  EXPECT_EQ(compare(uri, uri + "?a=1", ExtraParameters::Refused), "query");
  EXPECT_EQ(compare(uri + "?t=1", uri + "?t=1", ExtraParameters::Refused), "matches");
  EXPECT_EQ(compare(uri + "?t=1", uri + "?t=1&a=1", ExtraParameters::Refused), "query");
}

TEST(RedirectUri, OauthU3LeavesThePortOpenOnLoopback) {
  struct Case {
    std::string_view name, registered, requested, expected;
  };
  for (const Case& c : {
           Case{"the same port", "http://127.0.0.1:9090/cb", "http://127.0.0.1:9090/cb", "matches"},
           Case{"another port", "http://127.0.0.1:9090/cb", "http://127.0.0.1:50123/cb", "matches"},
           Case{"no port any more", "http://127.0.0.1:9090/cb", "http://127.0.0.1/cb", "matches"},
           Case{"registered without", "http://127.0.0.1/cb", "http://127.0.0.1:50123/cb",
                "matches"},
           Case{"IPv6", "http://[::1]/cb", "http://[::1]:50123/cb", "matches"},
           Case{"IPv6 with a port", "http://[::1]:1/cb", "http://[::1]:2/cb", "matches"},
           Case{"with extra parameters", "http://127.0.0.1/cb", "http://127.0.0.1:5/cb?a=1",
                "matches"},
           Case{"another path", "http://127.0.0.1/cb", "http://127.0.0.1:50123/evil", "path"},
           Case{"another scheme", "http://127.0.0.1/cb", "https://127.0.0.1:50123/cb", "scheme"},
           Case{"the other loopback", "http://127.0.0.1/cb", "http://[::1]:50123/cb", "host"},
           Case{"its name", "http://127.0.0.1/cb", "http://localhost:50123/cb", "host"},
           Case{"another loopback address", "http://127.0.0.1/cb", "http://127.0.0.2/cb", "host"},
           Case{"another spelling", "http://127.0.0.1/cb", "http://127.1:50123/cb", "host"},
           Case{"another spelling of IPv6", "http://[::1]/cb", "http://[0:0:0:0:0:0:0:1]/cb",
                "host"},
           Case{"as a user", "http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb",
                "userinfo"},
           Case{"as a prefix", "http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", "host"},
           Case{"port 0", "http://127.0.0.1/cb", "http://127.0.0.1:0/cb", "port"},
           Case{"a port too high", "http://127.0.0.1/cb", "http://127.0.0.1:65536/cb", "port"},
           Case{"an empty port", "http://127.0.0.1/cb", "http://127.0.0.1:/cb", "port"},
           Case{"letters for a port", "http://127.0.0.1/cb", "http://127.0.0.1:8x/cb", "port"},
           Case{"two ports", "http://127.0.0.1/cb", "http://127.0.0.1:80:90/cb", "port"},
           Case{"behind the brackets", "http://[::1]/cb", "http://[::1]evil.example/cb", "host"},
           Case{"localhost is a name", "https://localhost:9090/cb", "https://localhost:1/cb",
                "port"},
           Case{"loopback for another", "https://client.example/cb", "https://127.0.0.1/cb",
                "host"},
       }) {
    SCOPED_TRACE(c.name);
    ASSERT_FALSE(why_not_registered(c.registered));
    EXPECT_EQ(compare(c.registered, c.requested), c.expected);
  }
}

TEST(RedirectUri, NamesTheReasonWhyAUriCannotBeRegistered) {
  constexpr std::string_view kCharacters =
      "must contain only characters of a URI: no spaces, backslashes, control characters or "
      "letters with accents, and %XX for every other byte";
  constexpr std::string_view kAbsolute =
      "must be an absolute URI, such as https://app.example/callback";
  constexpr std::string_view kSecure =
      "must begin with https://, because others on the network could read the response; http:// is "
      "allowed only on "
      "127.0.0.1 and [::1]";
  constexpr std::string_view kFragment =
      "must not have a fragment, the part from # on: the response is appended to the URI, and "
      "after a # it would never reach your application";
  constexpr std::string_view kUser =
      "must not have a user name or password, the part up to @ before the host: it makes one host "
      "look like another";
  constexpr std::string_view kPort = "must have a port from 1 to 65535 after the host, or none";
  constexpr std::string_view kHost = "must have a plain host name or an IP address after https://";
  const auto itself = [](std::string scheme) {
    return "must not begin with " + scheme +
           ":, which a browser runs or opens itself instead of sending the response to your "
           "application; it must begin with https://";
  };
  const auto scheme = [](std::string begins) {
    return "must begin with https://, in lower case; it begins with " + begins + "://";
  };
  const auto localhost = [](std::string instead) {
    return "must not be http:// on localhost, a name that may resolve to another machine; "
           "register " +
           instead + " instead, and let your application use it too";
  };
  constexpr std::string_view kPiece = "must not have a ? or & without a parameter after it";
  struct Case {
    std::string_view uri;
    std::string expected;
  };
  const auto same = [](std::string_view text) { return std::string(text); };
  for (const Case& c : {
           Case{"https://app.example/cb", "none"},
           Case{"https://app.example", "none"},
           Case{"https://app.example:8443/cb?a=b&c", "none"},
           Case{"https://xn--bcher-kva.example/%C3%A9", "none"},
           Case{"http://127.0.0.1/cb", "none"},
           Case{"http://[::1]:4000/cb", "none"},
           Case{"", same(kAbsolute)},
           Case{"/cb", same(kAbsolute)},
           Case{"javascript:alert(1)", itself("javascript")},
           Case{"JavaScript:alert(1)#", itself("javascript")},
           Case{"data:text/html,x y", itself("data")},
           Case{"javascript://app.example/%0aalert(1)", itself("javascript")},
           Case{"myapp://cb", scheme("myapp")},
           Case{"javascripts://cb", scheme("javascripts")},
           Case{"HTTPS://app.example/cb", scheme("HTTPS")},
           Case{"http://app.example/cb", same(kSecure)},
           Case{"http://localhost/cb", localhost("http://127.0.0.1/cb")},
           Case{"http://LOCALHOST:3000/cb?a=b", localhost("http://127.0.0.1:3000/cb?a=b")},
           Case{"http://localhost.example/cb", same(kSecure)},
           Case{"http://127.0.0.2/cb", same(kSecure)},
           Case{"http://127.0.0.1.evil.example/cb", same(kSecure)},
           Case{"https://app.example/cb#", same(kFragment)},
           Case{"https://user@app.example/cb", same(kUser)},
           Case{"https://app.example:443:80/cb", same(kPort)},
           Case{"https://app.example:/cb", same(kPort)},
           Case{"https://app.example:0/cb", same(kPort)},
           Case{"https://app.example:65536/cb", same(kPort)},
           Case{"https:///cb", same(kHost)},
           Case{"https://app%2eexample/cb", same(kHost)},
           Case{"https://app..example/cb", same(kHost)},
           Case{"https://app.example./cb", same(kHost)},
           Case{"https://[::1", same(kHost)},
           Case{"https://app.example/c b", same(kCharacters)},
           Case{"https:\\\\app.example/cb", same(kCharacters)},
           Case{"https://app.example/\n", same(kCharacters)},
           Case{"https://app.example/é", same(kCharacters)},
           Case{"https://app.example/%e", same(kCharacters)},
           Case{"https://app.example/cb?", same(kPiece)},
           Case{"https://app.example/cb?a=1&", same(kPiece)},
           Case{"https://app.example/cb?c%6fde=1",
                "must not have a parameter called code, which is one of the answer"},
           Case{"https://app.example/cb?Access[Token=1",
                "must not have a parameter called access_token, which is one of the answer"},
           Case{"https://app.example/cb?[code]=1",
                "must not have a parameter called code, which is one of the answer"},
           Case{"https://app.example/cb?account_x=1",
                "must not have a parameter called account_…, which is one of the answer"},
       }) {
    SCOPED_TRACE(c.uri);
    EXPECT_EQ(why_not_registered(c.uri).value_or("none"), c.expected);
  }
  const std::string longest = "https://app.example/" + std::string(kMaxRedirectUri - 20, 'x');
  EXPECT_FALSE(why_not_registered(longest));
  EXPECT_EQ(why_not_registered(longest + "x"), "must not be longer than 2048 bytes");
}

TEST(RedirectUri, OfAPublicApplicationMayBeLocalOrOfAPrivateUseScheme) {
  for (const char* uri :
       {"https://app.example/cb", "http://127.0.0.1/cb", "http://[::1]:5/cb", "http://localhost/cb",
        "http://localhost:8080/cb?a=b", "com.example.app:/cb", "com.example.app://cb",
        "com.example.app:/cb?a=b", "com.example-2.app9:/oauth/cb"}) {
    EXPECT_EQ(why_not_registered(uri, ClientType::Public).value_or("none"), "none") << uri;
    const bool is_for_all = std::string_view(uri).starts_with("https") ||
                            std::string_view(uri).find("1/") != std::string_view::npos ||
                            std::string_view(uri).find("[::1]") != std::string_view::npos;
    EXPECT_EQ(!why_not_registered(uri, ClientType::Confidential), is_for_all) << uri;
  }
  struct Case {
    std::string uri;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"com.example.app:", "must have a path after its scheme"},
           Case{"com.example.app:cb", "must have a path after its scheme"},
           Case{"com.example.app:/", "must have a path after its scheme"},
           Case{"com.example.app://", "must have a path after its scheme"},
           Case{"com.example.app:///cb", "must have a path after its scheme"},
           Case{"com.example.app:/?a=b", "must have a path after its scheme"},
           Case{"com.example.app:/cb#", "must not have a fragment"},
           Case{"com.example.app:/c b", "must contain only characters of a URI"},
           Case{"com.example.app:/cb?", "must not have a ? or &"},
           Case{"com.example.app:/cb?code=1", "must not have a parameter called code"},
           Case{"com.example.app://user@host/cb", "must not have a user name"},
           Case{"myapp:/cb", "a domain of yours in reverse order"},
           Case{"myapp://cb", "a domain of yours in reverse order"},
           Case{"Com.example.app:/cb", "a domain of yours in reverse order"},
           Case{"com..app:/cb", "a domain of yours in reverse order"},
           Case{".com.app:/cb", "a domain of yours in reverse order"},
           Case{"com.app.:/cb", "a domain of yours in reverse order"},
           Case{"com.example+app:/cb", "a domain of yours in reverse order"},
           Case{"9com.app:/cb", "a domain of yours in reverse order"},
           Case{"javascript:alert(1)", "must not begin with javascript:"},
           Case{"http://LOCALHOST/cb", "localhost"},
           Case{"http://localhost.example/cb", "must begin with https://"},
           Case{"http://app.example/cb", "must begin with https://"},
       }) {
    const std::string why = why_not_registered(c.uri, ClientType::Public).value_or("none");
    EXPECT_NE(why.find(c.says), std::string::npos) << c.uri << ": " << why;
  }
}

TEST(RedirectUri, OneOfSeveralMatches) {
  const std::vector<std::string> registered{"https://app.example/cb", "http://localhost/cb",
                                            "com.example.app:/cb"};
  for (const char* uri : {"https://app.example/cb", "http://localhost:9/cb", "com.example.app:/cb"})
    EXPECT_FALSE(mismatch_of(registered, uri, ExtraParameters::Refused)) << uri;
  const auto nearest =
      mismatch_of(registered, "http://localhost:9/other", ExtraParameters::Refused);
  ASSERT_TRUE(nearest);
  EXPECT_EQ(nearest->part, RedirectPart::Path);
  EXPECT_NE(nearest->text.find("of the 3 registered ones, the nearest"), std::string::npos);
  EXPECT_TRUE(
      mismatch_of(std::vector<std::string>(), "https://app.example/cb", ExtraParameters::Refused));
}

TEST(RedirectUri, ItsTargetDecidesWhatIsShown) {
  EXPECT_EQ(redirect_target("https://app.example/cb"), RedirectTarget::Server);
  EXPECT_EQ(redirect_target("http://[::1]:5/cb"), RedirectTarget::Loopback);
  EXPECT_EQ(redirect_target("com.example.app:/cb"), RedirectTarget::PrivateScheme);
  EXPECT_EQ(redirect_host("com.example.app:/cb"), "com.example.app:");
  EXPECT_EQ(redirect_origin("com.example.app://cb/x"), "com.example.app:");
}

// The advice is followed, and is not refused in turn.
TEST(RedirectUri, AnInternationalHostIsRefusedWithTheAcceptedSpelling) {
  struct Case {
    std::string_view uri, accepted;
  };
  for (const Case& c : {
           Case{"https://bücher.example/cb", "https://xn--bcher-kva.example/cb"},
           Case{"https://BÜCHER.Example:8443/cb?a=b", "https://xn--bcher-kva.example:8443/cb?a=b"},
           Case{"https://bu\u0308cher.example", "https://xn--bcher-kva.example"},
           Case{"https://b%C3%BCcher.example/cb", "https://xn--bcher-kva.example/cb"},
           Case{"https://straße.example/größe?ü=%C3%A4",
                "https://xn--strae-oqa.example/gr%C3%B6%C3%9Fe?%C3%BC=%C3%A4"},
           Case{"https://日本。example/cb", "https://xn--wgv71a.example/cb"},
           Case{"https://ａｐｐ.example/cb", "https://app.example/cb"},
       }) {
    SCOPED_TRACE(c.uri);
    EXPECT_EQ(why_not_registered(c.uri), "must have its host as DNS has it, in ASCII: register " +
                                             std::string(c.accepted) +
                                             " instead, and let your application use it too");
    EXPECT_FALSE(why_not_registered(c.accepted));
    const auto mismatch = mismatch_of(c.accepted, c.uri, ExtraParameters::Allowed);
    ASSERT_TRUE(mismatch) << "no request is compared by meaning";
  }
  EXPECT_EQ(mismatch_of("https://xn--bcher-kva.example/cb", "https://bücher.example/cb",
                        ExtraParameters::Allowed)
                ->text,
            "it has characters that no URI has: it must be in ASCII, as the registered one");
  EXPECT_TRUE(why_not_registered("http://bücher.example/cb")
                  ->ends_with("; but that must begin with https://, because others on the network "
                              "could read the response; http:// is allowed only on 127.0.0.1 and "
                              "[::1]"));
  for (const std::string_view none :
       {"https://\xff.example/cb", "https://ü ü.example/cb", "https://a%2Fü/cb", "https://ü%3Ab/",
        "https://bücher.example/c d", "https://%C3%BC%00.example/"}) {
    EXPECT_EQ(why_not_registered(none), "must have its host as DNS has it, in ASCII") << none;
  }
}

// Workers of earlier versions store every URI in full, and compare it so.
TEST(RedirectUri, IsStoredAsADigestIfItIsLong) {
  const std::string shorter = "https://app.example/cb?" + std::string(233, 'a');
  const std::string longer = shorter + "a";
  ASSERT_EQ(longer.size(), 257U);
  EXPECT_EQ(to_stored_redirect(shorter), shorter);
  EXPECT_EQ(to_stored_redirect(longer).size(), 65U);
  for (const std::string& uri : {shorter, longer}) {
    EXPECT_TRUE(is_stored_redirect(to_stored_redirect(uri), uri)) << uri;
    EXPECT_TRUE(is_stored_redirect(uri, uri)) << "in full: " << uri;
    EXPECT_FALSE(is_stored_redirect(to_stored_redirect(uri), uri + "a")) << uri;
  }
}

TEST(RedirectUri, IsOfPagesOfItsOriginOnLoopbackWithAnyPort) {
  struct Case {
    const char* uri;
    const char* origin;
    bool is_of;
  };
  for (const Case& c : {
           Case{"https://app.example/cb", "https://app.example", true},
           Case{"https://app.example/cb", "https://app.example:8443", false},
           Case{"http://localhost/cb", "http://localhost:5173", true},
           Case{"http://localhost:3000/cb", "http://localhost:5173", true},
           Case{"http://localhost:3000/cb", "http://localhost", true},
           Case{"http://localhost/cb", "https://localhost:5173", false},
           Case{"http://localhost/cb", "http://127.0.0.1:5173", false},
           Case{"https://localhost/cb", "https://localhost:5173", false},
           Case{"http://127.0.0.1/cb", "http://127.0.0.1:1", true},
           Case{"http://[::1]:5/cb", "http://[::1]:6", true},
           Case{"http://[::1]:5/cb", "null", false},
           Case{"com.example.app:/cb", "", false},
       }) {
    EXPECT_EQ(is_origin_of(c.uri, c.origin), c.is_of) << c.uri << " " << c.origin;
  }
}

TEST(RedirectUri, HasTheOriginThatBrowsersWrite) {
  for (const auto& [uri, origin] : {std::pair("https://app.example/cb?x=1", "https://app.example"),
                                    {"HTTPS://App.Example:443/cb", "https://app.example"},
                                    {"https://app.example:80/cb", "https://app.example:80"},
                                    {"http://127.0.0.1:80/", "http://127.0.0.1"},
                                    {"http://localhost:5173/cb", "http://localhost:5173"},
                                    {"http://[::1]:5/cb", "http://[::1]:5"},
                                    {"https://app.example", "https://app.example"},
                                    {"com.example.app:/cb", ""},
                                    {"com.example.app://cb", ""},
                                    {"https://user@app.example/", ""},
                                    {"null", ""},
                                    {"", ""}})
    EXPECT_EQ(web_origin(uri), origin) << uri;
  EXPECT_EQ(web_origins({"https://a.example/1", "com.example.app:/cb", "https://b.example/",
                         "https://A.example/2"}),
            (std::vector<std::string>{"https://a.example", "https://b.example"}));
}

}  // namespace
}  // namespace svc::oauth
