#include "endpoints/upload_permission.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "fakes/fixed_entropy.h"
#include "fakes/headers.h"
#include "fakes/memory_catalog.h"
#include "fakes/memory_tokens.h"
#include "fakes/memory_uploads.h"
#include "fakes/tasks.h"
#include "http/router.h"

namespace svc {
namespace {

using endpoints::UploadPermission;
using fakes::header;
using http::Response;

class Permission : public testing::Test {
 protected:
  Permission() {
    router_.add(base::paths::kUploadPermission.pattern, endpoint_);
    router_.add(base::paths::kUploadRefused.pattern, endpoint_);
  }
  std::string token_for(std::string_view scopes) {
    const auto grant = oauth::GrantId::of({7}, {1001}, {"app"});
    const auto token = oauth::Token::mint(oauth::TokenKind::Access, grant, entropy_);
    grants_.tokens[token.text] = {{"app"}, {7}, {1001}, *oauth::ScopeSet::parse(scopes)};
    return token.text;
  }
  Response ask(std::string_view path, const std::string& query, std::string_view authorization = "",
               std::string_view method = "POST") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.authorization = authorization;
    request.request_id = "request-1";
    return fakes::now(router_.answer(request));
  }

  fakes::FixedEntropy entropy_;
  fakes::MemoryTokens grants_;
  fakes::MemoryStandings standings_;
  fakes::RememberedAudit audit_;
  fakes::MemoryUploads uploads_;
  fakes::MemoryCatalog catalog_;
  UploadPermission endpoint_{grants_,  standings_, audit_,
                             uploads_, catalog_,   {.uploads = 4, .unfinished = 2}};
  http::Router router_;
};

TEST_F(Permission, OauthS2IsGivenToTwoScopes) {
  for (const char* scopes : {"all:all", "media:upload", "stats:read media:upload"}) {
    for (const char* name : {"access_token=", "bearer_token="}) {
      const Response response =
          ask(base::paths::kUploadPermission.pattern, name + token_for(scopes));
      EXPECT_EQ(response.status, 204);
      EXPECT_EQ(header(response, "X-Svc-Account"), "1001");
      EXPECT_EQ(header(response, "Cache-Control"), "no-store");
    }
  }
  EXPECT_EQ(audit_.said.size(), 6u);
  EXPECT_EQ(audit_.said.front(), "upload.permitted app request-1");
}

// nginx understands 403 only; the path that clients see has the reason.
TEST_F(Permission, OauthS2IsRefusedWithAReason) {
  const std::string good = token_for("media:upload");
  struct Case {
    std::string_view name;
    std::string query;
    std::string authorization;
    std::string_view method;
    int status;
    std::string_view body;  // how it begins
  };
  for (const Case& c : {
           Case{"no token", "", "", "POST", 401, R"({"error_description")"},
           Case{"unknown", "access_token=abc", "", "POST", 401, R"({"error":"invalid_token")"},
           Case{"in a header", "", "Bearer " + good, "POST", 400, R"({"error":"invalid_request")"},
           Case{"in both", "access_token=" + good, "Bearer " + good, "POST", 400,
                R"({"error":"invalid_request")"},
           Case{"both names", "access_token=" + good + "&bearer_token=" + good, "", "POST", 400,
                R"({"error":"invalid_request")"},
           Case{"another scope", "access_token=" + token_for("all:read"), "", "POST", 403,
                R"({"error":"insufficient_scope")"},
       }) {
    SCOPED_TRACE(c.name);
    const Response question =
        ask(base::paths::kUploadPermission.pattern, c.query, c.authorization, c.method);
    EXPECT_EQ(question.status, 403);
    EXPECT_EQ(question.body, "");
    const Response reason =
        ask(base::paths::kUploadRefused.pattern, c.query, c.authorization, c.method);
    EXPECT_EQ(reason.status, c.status);
    EXPECT_TRUE(reason.body.starts_with(c.body)) << reason.body;
    EXPECT_EQ(header(reason, "X-Svc-Account"), "none");
  }
  EXPECT_TRUE(audit_.said.empty());
  EXPECT_TRUE(
      header(ask(base::paths::kUploadRefused.pattern, "access_token=" + token_for("all:read")),
             "WWW-Authenticate")
          .ends_with(R"(scope="all:all media:upload")"));
}

// nginx asks there after a failure, which may be over by then.
TEST_F(Permission, OauthS2NeverTakesAnUploadItself) {
  const Response response =
      ask(base::paths::kUploadRefused.pattern, "access_token=" + token_for("media:upload"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(header(response, "Retry-After"), "1");
  const std::string query = "access_token=" + token_for("media:upload");
  grants_.away = true;
  EXPECT_EQ(ask(base::paths::kUploadPermission.pattern, query).status, 503);
}

TEST_F(Permission, OauthS2OneAccountHasLimits) {
  const std::string query = "access_token=" + token_for("media:upload");
  const auto add = [&](const std::string& id, media::Status status) {
    media::Media media;
    media.id = *media::HashedId::parse(id);
    media.account = {1001};
    media.status = status;
    catalog_.add(media);
    uploads_.last.insert(uploads_.last.begin(), media.id);
  };
  add("upload01", media::Status::Queued);
  EXPECT_EQ(ask(base::paths::kUploadPermission.pattern, query).status, 204);
  add("upload02", media::Status::Ready);
  EXPECT_EQ(ask(base::paths::kUploadPermission.pattern, query).status, 204)
      << "one of two is finished";
  add("upload03", media::Status::Processing);
  EXPECT_EQ(ask(base::paths::kUploadPermission.pattern, query).status, 403);
  const Response busy = ask(base::paths::kUploadRefused.pattern, query);
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(header(busy, "Retry-After"), "60");
  EXPECT_EQ(busy.body,
            R"({"error":"2 uploads of the account wait or are being converted, the most allowed. )"
            R"(Try again when one is done."})");
  add("upload04", media::Status::Failed);
  EXPECT_EQ(ask(base::paths::kUploadPermission.pattern, query).status, 403);
  const Response full = ask(base::paths::kUploadRefused.pattern, query);
  EXPECT_EQ(full.status, 507);
  EXPECT_EQ(header(full, "Retry-After"), "none");
  EXPECT_EQ(full.body,
            R"({"error":"The account has 4 uploads, and 4 are allowed. Delete some by the API, or )"
            R"(ask the operator of this service."})");
}

}  // namespace
}  // namespace svc
