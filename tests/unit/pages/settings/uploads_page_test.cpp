#include "pages/settings/uploads_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/unavailable.h"
#include "fakes/memory_catalog.h"
#include "fakes/memory_uploads.h"
#include "fakes/settings.h"

namespace svc::pages {
namespace {

using fakes::header;

const std::string kList = "/settings/accounts/1001/media";
const std::string kForm = kList + "/upload";
const std::string kQuestion = "/upload-permission" + kForm;

class UploadsPageTest : public fakes::SettingsTest {
 protected:
  // Adds a media of that account, and lists it as the account's newest upload.
  void add(const std::string& id, media::Status status, std::int64_t account = 1001) {
    media::Media one;
    one.id = *media::HashedId::parse(id);
    one.account = {account};
    one.type = "Video";
    one.name = "Film <" + id + ">";
    one.status = status;
    one.created = "2026-03-01T10:00:00Z";
    if (status == media::Status::Failed) one.failure = "It is no film & no sound.";
    if (status == media::Status::Ready) one.native = media::Dimensions{640, 360};
    catalog_.add(one);
    uploads_.last.insert(uploads_.last.begin(), one.id);
  }
  // The token in the address of the form.
  std::string token() {
    const http::Response page = get(page_, kList);
    const std::string before = "action=\"" + kForm + "?form=";
    const std::size_t at = page.body.find(before);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + before.size();
    return page.body.substr(begin, page.body.find('"', begin) - begin);
  }
  http::Response may_i(const std::string& query, std::string_view origin = "null") {
    return ask(page_, "POST", kQuestion + "?" + query, "", origin);
  }
  // The response to a form that nginx refused; `answer` as nginx sends it.
  http::Response refused(const std::string& query, std::string_view answer,
                         const std::string& path = kForm) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.query = query;
    request.host = "app.home.example";
    request.cookie = cookie_;
    request.origin = "null";
    request.upload_answer = answer;
    return fakes::now(page_.answer(request));
  }

  fakes::MemoryCatalog catalog_;
  fakes::MemoryUploads uploads_;
  UploadsPage page_{parts_, catalog_, uploads_, {.uploads = 4, .unfinished = 2}};
};

TEST_F(UploadsPageTest, PagesW12HasAFormForAFile) {
  const http::Response page = get(page_, kList);
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(has(page, "enctype=\"multipart/form-data\"")) << page.body;
  EXPECT_TRUE(has(page, "Nothing was uploaded yet."));
  EXPECT_TRUE(has(page, "Acme &amp; &lt;Films&gt;"));
  EXPECT_FALSE(has(page, "http-equiv=\"refresh\"")) << "a chosen file would be lost";
  EXPECT_NE(header(page, "Content-Security-Policy").find("connect-src 'self'"), std::string::npos);
}

TEST_F(UploadsPageTest, PagesW13ListsTheLastUploadsOfTheAccount) {
  add("ready00001", media::Status::Ready);
  add("failed0001", media::Status::Failed);
  add("foreign001", media::Status::Ready, 1002);
  add("process001", media::Status::Processing);
  add("queued0001", media::Status::Queued);
  uploads_.last.push_back(*media::HashedId::parse("deleted001"));
  uploads_.how_far = 0.425;
  const http::Response page = get(page_, kList);
  EXPECT_TRUE(has(page, "Waiting to be processed."));
  EXPECT_TRUE(has(page, "Processing: 42 %."));
  EXPECT_TRUE(has(page, "value=\"425\""));
  EXPECT_TRUE(has(page, "Failed. It is no film &amp; no sound."));
  EXPECT_TRUE(has(page, "Film &lt;ready00001&gt;"));
  EXPECT_TRUE(has(page, "id=\"code-ready00001\""));
  EXPECT_TRUE(has(page, site_.media_page("ready00001")));
  EXPECT_TRUE(has(page, "data-poll=\"" + kList + "/queued0001.json\""));
  EXPECT_FALSE(has(page, "foreign001"));
  EXPECT_FALSE(has(page, "deleted001"));
  EXPECT_LT(page.body.find("queued0001"), page.body.find("ready00001")) << "the newest first";
}

TEST_F(UploadsPageTest, PagesW13ShowsOneUploadUntilItHasAnEnd) {
  add("process001", media::Status::Processing);
  uploads_.how_far = 0.5;
  const http::Response page = get(page_, kList + "/process001");
  EXPECT_TRUE(has(page, "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>"))
      << page.body;
  EXPECT_TRUE(has(page, "<progress"));
  const http::Response json = get(page_, kList + "/process001.json");
  EXPECT_EQ(json.content_type, "application/json; charset=utf-8");
  EXPECT_EQ(
      json.body,
      R"({"hashed_id":"process001","name":"Film \u003cprocess001\u003e","status":"processing",)"
      R"("progress":0.5,"words":"Processing: 50 %.","embedCode":null})");
  add("process001", media::Status::Ready);
  const http::Response ready = get(page_, kList + "/process001");
  EXPECT_FALSE(has(ready, "http-equiv"));
  EXPECT_TRUE(has(ready, "Embed code"));
  EXPECT_TRUE(has(get(page_, kList + "/process001.json"), R"("embedCode":"\u003c)"));
}

TEST_F(UploadsPageTest, PagesW13MediaAndAccountsOfOthersAreNotFound) {
  add("foreign001", media::Status::Ready, 1002);
  for (const std::string& path :
       {kList + "/foreign001", kList + "/nothing001", kList + "/", kList + "/a/b",
        std::string("/settings/accounts/9999/media"), std::string("/settings/accounts/01001/media"),
        std::string("/settings/accounts/x/media")}) {
    const http::Response page = get(page_, path);
    EXPECT_EQ(page.status, 404) << path;
    EXPECT_TRUE(has(page, "There is nothing here")) << path;
  }
  const http::Response json = get(page_, kList + "/foreign001.json");
  EXPECT_EQ(json.status, 404);
  EXPECT_EQ(json.body, R"({"error":"It was deleted."})");
}

TEST_F(UploadsPageTest, PagesW12IsForOwnersAndManagers) {
  EXPECT_EQ(get(page_, "/settings/accounts/1002/media").status, 200) << "a manager";
  const http::Response user = get(page_, "/settings/accounts/1004/media");
  EXPECT_EQ(user.status, 403);
  EXPECT_TRUE(has(user, "You are a user of this account."));
  const http::Response closed = get(page_, "/settings/accounts/1003/media");
  EXPECT_EQ(closed.status, 403);
  EXPECT_TRUE(has(closed, "OAuth is not enabled for this account."));
  EXPECT_FALSE(has(closed, "multipart"));
}

TEST_F(UploadsPageTest, PagesW12PermitsAFormOfThePage) {
  const http::Response yes = may_i("form=" + token(), "https://app.home.example");
  EXPECT_EQ(yes.status, 204) << yes.body;
  EXPECT_EQ(header(yes, "X-Svc-Account"), "1001");
  ASSERT_EQ(audit_.events.size(), 1u);
  EXPECT_EQ(audit_.events.front(), "upload.permitted 501 0123456789abcdef");
}

TEST_F(UploadsPageTest, PagesW12PermitsNoOtherForm) {
  const std::string right = "form=" + token();
  struct Case {
    std::string_view name;
    std::string query;
    std::string_view origin;
    std::string path;
  };
  for (const Case& c : {
           Case{"no token", "", "null", kQuestion},
           Case{"a wrong token", "form=" + std::string(64, '0'), "null", kQuestion},
           Case{"another field", "csrf=" + right.substr(5), "null", kQuestion},
           Case{"another site", right, "https://evil.example", kQuestion},
           Case{"another account", right, "null",
                "/upload-permission/settings/accounts/1002/media/upload"},
           Case{"another path", right, "null", "/upload-permission" + kList},
       }) {
    SCOPED_TRACE(c.name);
    const http::Response no = ask(page_, "POST", c.path + "?" + c.query, "", c.origin);
    EXPECT_EQ(no.status, 403);
    EXPECT_EQ(header(no, "X-Svc-Account"), "none");
  }
  EXPECT_EQ(ask(page_, "GET", kQuestion + "?" + right).status, 403);
  form_limit_.seconds = 30;
  EXPECT_EQ(may_i(right).status, 403);
  form_limit_.seconds.reset();
  log_in(502);
  EXPECT_EQ(may_i(right).status, 403) << "the token of another session";
  cookie_ = "";
  EXPECT_EQ(may_i(right).status, 403);
  EXPECT_TRUE(audit_.events.empty());
}

TEST_F(UploadsPageTest, PagesW12AMemberWhoLostTheRoleIsNotPermitted) {
  const std::string right = "form=" + token();
  people_.contacts[0].memberships[0].role = media::Role::User;
  EXPECT_EQ(may_i(right).status, 403);
  const http::Response page = refused(right, "html");
  EXPECT_EQ(page.status, 403);
  EXPECT_TRUE(has(page, "You are a user of this account."));
  const http::Response json = refused(right, "json");
  EXPECT_EQ(json.status, 403);
  EXPECT_TRUE(has(json, R"({"error":"You are a user of this account.)"));
}

TEST_F(UploadsPageTest, PagesW12OneAccountHasLimits) {
  const std::string right = "form=" + token();
  add("upload01", media::Status::Queued);
  EXPECT_EQ(may_i(right).status, 204);
  add("upload02", media::Status::Processing);
  EXPECT_EQ(may_i(right).status, 403);
  const http::Response busy = refused(right, "html");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(header(busy, "Retry-After"), "60");
  EXPECT_TRUE(has(busy, "Nothing was uploaded"));
  EXPECT_TRUE(has(busy, "2 uploads of the account wait or are being converted"));
  EXPECT_TRUE(has(busy, "/settings/accounts/1001/media"));
  add("upload03", media::Status::Ready);
  add("upload04", media::Status::Failed);
  EXPECT_EQ(may_i(right).status, 403);
  const http::Response full = refused(right, "json");
  EXPECT_EQ(full.status, 507);
  EXPECT_TRUE(has(full, R"({"error":"The account has 4 uploads, and 4 are allowed.)"));
}

TEST_F(UploadsPageTest, OperationsU37OneAccountHasABudget) {
  const std::string right = "form=" + token();
  uploads_.large_bytes = 16 << 20;
  EXPECT_EQ(may_i(right).status, 403);
  const http::Response full = refused(right, "json");
  EXPECT_EQ(full.status, 507);
  EXPECT_TRUE(has(full, "names, descriptions and captions")) << full.body;
}

// Only an application with all permissions could.
TEST_F(UploadsPageTest, PagesW34AnUploadThatFailedIsDeletedOnItsPage) {
  struct Case {
    std::string id;
    media::Status status;
    bool deletable;
  };
  for (const Case& c : {Case{"failed0001", media::Status::Failed, true},
                        Case{"queued0001", media::Status::Queued, true},
                        Case{"process001", media::Status::Processing, true},
                        Case{"ready00001", media::Status::Ready, false}}) {
    SCOPED_TRACE(c.id);
    add(c.id, c.status);
    uploads_.removed.clear();
    const std::string path = kList + "/" + c.id;
    const http::Response page = get(page_, path);
    EXPECT_EQ(has(page, "action=\"" + path + "\""), c.deletable);
    const http::Response sent = send(page_, page, path);
    if (!c.deletable) {
      EXPECT_EQ(sent.status, 403) << "there is no token for it";
      EXPECT_TRUE(uploads_.removed.empty());
      continue;
    }
    EXPECT_EQ(uploads_.removed, std::vector{c.id});
    EXPECT_TRUE(has(follow(page_, sent), "It is deleted."));
    EXPECT_EQ(send(page_, page, path).status, 303) << "sent twice";
  }
  // It became ready while its page was open.
  add("late000001", media::Status::Processing);
  const http::Response open = get(page_, kList + "/late000001");
  add("late000001", media::Status::Ready);
  uploads_.removed.clear();
  EXPECT_TRUE(has(follow(page_, send(page_, open, kList + "/late000001")), "Only an application"));
  EXPECT_TRUE(uploads_.removed.empty());

  add("foreign001", media::Status::Failed, 1002);
  uploads_.removed.clear();
  EXPECT_EQ(get(page_, kList + "/foreign001").status, 404);
  EXPECT_EQ(ask(page_, "POST", kList + "/failed0001", "csrf=x").status, 403);
  EXPECT_TRUE(uploads_.removed.empty());
}

TEST_F(UploadsPageTest, PagesW12SaysWhyAFormWasRefused) {
  const std::string right = "form=" + token();
  EXPECT_TRUE(has(refused("", "html"), "This page is too old"));
  EXPECT_EQ(refused("", "json").status, 403);
  EXPECT_THROW(refused(right, "html"), base::Unavailable) << "the question was not answered";
  http::Request by_script;
  by_script.upload_answer = "json";
  EXPECT_EQ(page_.unavailable(by_script)->body, R"({"error":"temporarily unavailable"})");
  form_limit_.seconds = 30;
  EXPECT_EQ(refused(right, "html").status, 429);
  const http::Response often = refused(right, "json");
  EXPECT_EQ(often.status, 429);
  EXPECT_EQ(header(often, "Retry-After"), "30");
  cookie_ = "";
  EXPECT_TRUE(has(refused(right, "html"), "the login page"));
  EXPECT_EQ(prompt_.return_path, kList);
  EXPECT_EQ(refused(right, "json").status, 401);
}

TEST_F(UploadsPageTest, PagesW12AForGetLeadsToTheForm) {
  const http::Response response = get(page_, kForm + "?form=x");
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(header(response, "Location"), kList);
}

TEST_F(UploadsPageTest, PagesW12ARefusalOfTheUploadPoolIsAPage) {
  http::Request request;
  request.upload_account = "1001";
  const http::Response page = refused_upload_page(request, site_, 422, "the file is <empty>");
  EXPECT_EQ(page.status, 422);
  EXPECT_TRUE(has(page, "The upload was refused: the file is &lt;empty&gt;."));
  EXPECT_TRUE(has(page, "href=\"" + kList + "\""));
  EXPECT_EQ(refused_upload_page(request, site_, 503, "").status, 503);
}

}  // namespace
}  // namespace svc::pages
