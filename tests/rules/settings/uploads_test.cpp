// pages.md: the page of an account's uploads. What nginx does is in e2e/test_nginx_uploads.py, what
// svc-ingest does in integration/ingest/.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "media/media.h"
#include "rules/settings/settings.h"
#include "stores/catalog/commit.h"
#include "text/rfc3339.h"

namespace svc::rules {
namespace {

const std::string kUploads = "/settings/accounts/1001/media";
const std::string kUploadForm = kUploads + "/upload";
const std::string kUploadQuestion = "/upload-permission" + kUploadForm;

class UploadsPage : public WithSettings {
 protected:
  using Status = media::Status;

  explicit UploadsPage(std::vector<std::string> settings = {})
      : WithSettings(std::move(settings)) {}

  // Adds a media, as the newest upload of Acme Films.
  void add(const std::string& id, Status status, std::int64_t account = 1001) {
    media::Media one;
    one.id = *media::HashedId::parse(id);
    one.account = {account};
    one.type = "Video";
    one.name = "Film <" + id + ">";
    one.status = status;
    if (status == Status::Failed) one.failure = "It is no film & no sound.";
    if (status == Status::Ready) one.native = media::Dimensions{640, 360};
    one.created = one.updated = text::to_rfc3339(++uploads_);
    stores().command({"ZADD", "ingest:bytes:1001", "0", id});
    put(one);
    stores().command({"ZADD", "ingest:uploads:1001", std::to_string(uploads_), id});
  }
  void weigh(stores::Commit::Weight weight, const std::string& id, std::uint64_t bytes) {
    stores::Commit commit({1001});
    commit.weigh(weight, *media::HashedId::parse(id), bytes);
    EXPECT_EQ(stores().run(commit.run(stores().redis())), stores::Commit::Outcome::Done);
  }
  // The query of the form's address, which has its token.
  static std::string token_in(const Answer& page) {
    const std::size_t at = page.body.find("action=\"" + kUploadForm + "?");
    if (at == std::string::npos) return "none";
    const std::size_t begin = at + 8 + kUploadForm.size();
    return page.body.substr(begin, page.body.find('"', begin) - begin);
  }
  std::string token() { return token_in(browser_.ask(kUploads)); }
  // What nginx asks before it reads a body.
  Ask question(const std::string& query, const std::string& path = kUploadQuestion) {
    std::string cookies;
    for (const auto& [name, value] : browser_.cookies) cookies = name + "=" + value;
    return Ask("POST " + path + query).with("Cookie", cookies).with("Origin", "null");
  }
  int may_send(const std::string& query) { return site_.ask_pool("web", question(query)).status; }
  // The response to a form that nginx refused, for a browser ("html") or the page's script.
  Answer refused(const std::string& query, const std::string& answer) {
    return site_.ask_pool("web", question(query, kUploadForm).with("UPLOAD_ANSWER", answer));
  }

  int uploads_ = 1'780'000'000;
};

TEST_F(UploadsPage, PagesW12HasAFormForAFile) {
  const Answer page = browser_.ask(kUploads);
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.has("enctype=\"multipart/form-data\"")) << page.body;
  EXPECT_TRUE(page.has("<bdi>Acme Films</bdi>"));
  EXPECT_FALSE(page.has("http-equiv=\"refresh\"")) << "a chosen file would be lost";
  const Answer form = browser_.ask(kUploadForm + token());
  EXPECT_EQ(form.status, 303);
  EXPECT_EQ(form.header("Location"), kUploads);
}

TEST_F(UploadsPage, PagesW13ListsTheStateOfUploads) {
  add("deleted001", Status::Ready);
  remove("deleted001");
  add("ready00001", Status::Ready);
  add("failed0001", Status::Failed);
  add("foreign001", Status::Ready, 1002);
  add("process001", Status::Processing);
  add("queued0001", Status::Queued);
  stores().command({"SET", "ingest:progress:process001", "425"});
  const Answer page = browser_.ask(kUploads);
  for (const std::string& part :
       {std::string("Waiting to be processed."), std::string("Processing: 42 %."),
        std::string("value=\"425\""), std::string("Failed. It is no film &amp; no sound."),
        std::string("Film &lt;ready00001&gt;"), std::string("id=\"code-ready00001\""),
        std::string("href=\"https://embed.svc.example:8443/medias/ready00001\""),
        "data-poll=\"" + kUploads + "/queued0001.json\""})
    EXPECT_TRUE(page.has(part)) << part << page.body;
  EXPECT_FALSE(page.has("foreign001"));
  EXPECT_FALSE(page.has("deleted001"));
  EXPECT_LT(page.body.find("queued0001"), page.body.find("ready00001")) << "the newest first";
}

TEST_F(UploadsPage, PagesW13ShowsOneUploadUntilItHasAnEnd) {
  add("process001", Status::Processing);
  stores().command({"SET", "ingest:progress:process001", "500"});
  const std::string path = kUploads + "/process001";
  const Answer page = browser_.ask(path);
  EXPECT_TRUE(page.has("<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>"));
  EXPECT_TRUE(page.has("<progress"));
  const Answer json = browser_.ask(path + ".json");
  EXPECT_EQ(json.type, "application/json; charset=utf-8");
  EXPECT_EQ(json.header("Cache-Control"), "no-store");
  EXPECT_EQ(
      json.body,
      R"({"hashed_id":"process001","name":"Film \u003cprocess001\u003e",)"
      R"("status":"processing","progress":0.5,"words":"Processing: 50 %.","embedCode":null})");
  add("process001", Status::Failed);
  EXPECT_TRUE(browser_.ask(path + ".json").has(R"("failure":"It is no film \u0026 no sound.")"));
  EXPECT_TRUE(browser_.ask(path).has("Failed. It is no film &amp; no sound."));
  add("process001", Status::Ready);
  const Answer ready = browser_.ask(path);
  EXPECT_FALSE(ready.has("http-equiv"));
  EXPECT_TRUE(ready.has("Embed code"));
  EXPECT_TRUE(browser_.ask(path + ".json").has(R"("embedCode":"\u003c)"));
}

TEST_F(UploadsPage, PagesW13MediaAndAccountsOfOthersAreNotFound) {
  add("foreign001", Status::Ready, 1002);
  for (const std::string& path :
       {kUploads + "/foreign001", kUploads + "/nothing001", kUploads + "/", kUploads + "/a/b",
        std::string("/settings/accounts/9999/media"), std::string("/settings/accounts/1002/media"),
        std::string("/settings/accounts/1002/media/foreign001"),
        std::string("/settings/accounts/01001/media"), std::string("/settings/accounts/x/media")}) {
    const Answer page = browser_.ask(path);
    EXPECT_EQ(page.status, 404) << path;
    EXPECT_TRUE(page.has("Page not found")) << path;
  }
  const Answer json = browser_.ask(kUploads + "/foreign001.json");
  EXPECT_EQ(json.status, 404);
  EXPECT_EQ(json.body, R"({"error":"It was deleted."})");
}

TEST_F(UploadsPage, PagesW12IsForOwnersAndManagers) {
  import_paula();
  browser_.log_in(kPaulasId);
  EXPECT_EQ(browser_.ask("/settings/accounts/1002/media").status, 200) << "a manager";
  const Answer user = browser_.ask("/settings/accounts/1004/media");
  EXPECT_EQ(user.status, 403);
  EXPECT_TRUE(user.has("You are a user of this account."));
  const Answer closed = browser_.ask("/settings/accounts/1003/media");
  EXPECT_EQ(closed.status, 403);
  EXPECT_TRUE(closed.has("uploads are not enabled for this account.")) << closed.body;
  EXPECT_FALSE(closed.has("multipart"));
  EXPECT_FALSE(closed.has("OAuth"));
}

TEST_F(UploadsPage, PagesW12UploadsHaveASwitchOfTheirOwn) {
  import_paula();
  browser_.log_in(kPaulasId);
  stores().edit("catalog:account:1003", R"("oauth_enabled":false)",
                R"("oauth_enabled":false,"uploads_enabled":true)");
  const Answer open = browser_.ask("/settings/accounts/1003/media");
  EXPECT_EQ(open.status, 200) << "without OAuth";
  EXPECT_TRUE(open.has("multipart"));
  EXPECT_EQ(browser_.ask("/settings/accounts/1003/stats").status, 200);
  EXPECT_TRUE(browser_.ask("/settings").has("href=\"/settings/accounts/1003/media\""));
  const std::string form = token();
  EXPECT_EQ(may_send(form), 204);

  stores().edit("catalog:account:1001", R"("oauth_enabled":true)",
                R"("oauth_enabled":true,"uploads_enabled":false)");
  const Answer closed = browser_.ask(kUploads);
  EXPECT_EQ(closed.status, 200) << "its media are still there";
  EXPECT_TRUE(closed.has("Uploads are not enabled for this account.")) << closed.body;
  EXPECT_FALSE(closed.has("multipart"));
  EXPECT_EQ(may_send(form), 403);
  const Answer page = refused(form, "html");
  EXPECT_EQ(page.status, 403);
  EXPECT_TRUE(page.has("Uploads are not enabled for this account.")) << page.body;
  EXPECT_EQ(refused(form, "json").body, R"({"error":"Uploads are not enabled for this account. )"
                                        R"(Ask the operator of this service to enable them."})");
}

class NewFile : public UploadsPage {
 protected:
  // A media with files of svc-ingest in its folder.
  void film(const std::string& id, const std::string& type = "Video", std::int64_t account = 1001) {
    media::Media one;
    one.id = *media::HashedId::parse(id);
    one.account = {account};
    one.type = type;
    one.name = "Film " + id;
    one.status = Status::Ready;
    one.native = media::Dimensions{640, 360};
    one.created = one.updated = text::to_rfc3339(++uploads_);
    media::Asset& asset = one.assets.emplace_back();
    asset.type = media::AssetType::Mp4;
    asset.url = "/files/" + id + "/video.mp4";
    asset.size = media::Dimensions{640, 360};
    asset.bandwidth = 1000;
    put(one);
  }
  Answer send(const std::string& id, const std::string& accept = "application/json") {
    return browser_.ask(
        Ask("POST " + kUploadForm + token() + "&replaces=" + id)
            .with("Origin", "null")
            .with("Accept", accept)
            .with("Content-Type", "multipart/form-data; boundary=b")
            .with_body("--b\r\nContent-Disposition: form-data; name=file; filename=new.mp4\r\n\r\n"
                       "film\r\n--b--\r\n"));
  }
  static std::string member(const Answer& sent, const std::string& key) {
    const std::string begin = "\"" + key + "\":\"";
    const std::size_t at = sent.body.find(begin);
    if (at == std::string::npos) return "none";
    return sent.body.substr(at + begin.size(),
                            sent.body.find('"', at + begin.size()) - at - begin.size());
  }
  static std::string upload_of(const Answer& sent) { return member(sent, "hashed_id"); }
  // What svc-ingest does.
  void convert(const std::string& id, const std::string& type = "Video") { film(id, type); }
  void fail(const std::string& id) { add(id, Status::Failed); }
  std::string record(const std::string& id) {
    return std::string(stores().command({"GET", "catalog:media:" + id}).text().value_or("gone"));
  }
  Answer page(const std::string& id) { return browser_.ask(kUploads + "/" + id); }
};

TEST_F(NewFile, PagesW165AFileReplacesThatOfTheMediaOnceItIsReady) {
  film("film000001");
  const Answer before = page("film000001");
  EXPECT_TRUE(before.has("replaces=film000001\" enctype=\"multipart/form-data\"")) << before.body;
  const Answer sent = send("film000001");
  ASSERT_EQ(sent.status, 201) << sent.body;
  const std::string upload = upload_of(sent);
  EXPECT_EQ(member(sent, "visibility"), "unlisted");
  EXPECT_TRUE(page("film000001").has("Waiting to be processed.")) << page("film000001").body;
  site_.run_periodic_tasks();
  EXPECT_NE(record("film000001").find("/files/film000001/video.mp4"), std::string::npos);
  convert(upload);
  site_.run_periodic_tasks();
  EXPECT_NE(record("film000001").find("/files/" + upload + "/video.mp4"), std::string::npos);
  EXPECT_NE(record("film000001").find("Film film000001"), std::string::npos);
  EXPECT_EQ(record(upload), "gone");
  const Answer after = page("film000001");
  EXPECT_FALSE(after.has("A new file is on its way"));
  EXPECT_FALSE(after.has("could not take the place"));
}

TEST_F(NewFile, PagesW165APlainFormLeadsBackToTheMedia) {
  film("film000001");
  const Answer sent = send("film000001", "text/html");
  EXPECT_EQ(sent.status, 303);
  EXPECT_EQ(sent.header("Location"), kUploads + "/film000001");
  EXPECT_TRUE(page("film000001").has("http-equiv=\"refresh\""));
}

TEST_F(NewFile, PagesW165OnlyAMediaOfTheAccountThatIsReadyGetsAFile) {
  film("foreign001", "Video", 1002);
  add("process001", Status::Processing);
  for (const auto& [id, status] : {std::pair<std::string, int>("foreign001", 404),
                                   {"nothing001", 404},
                                   {"-", 404},
                                   {"process001", 409}}) {
    const Answer refused = send(id);
    EXPECT_EQ(refused.status, status) << id << refused.body;
    EXPECT_TRUE(refused.has(R"({"error":)")) << refused.body;
  }
  EXPECT_EQ(stores().command({"HLEN", "web:replacements"}).integer(), 0);
}

TEST_F(NewFile, PagesW165TheUploadIsAsPrivateAsTheMedia) {
  film("film000001");
  stores().edit("catalog:media:film000001", R"("status":"ready")",
                R"("status":"ready","visibility":"private","links_from":77)");
  const Answer sent = send("film000001");
  EXPECT_EQ(member(sent, "visibility"), "private");
  EXPECT_NE(record(upload_of(sent)).find(R"("links_from":77)"), std::string::npos)
      << "its folder accepts the same addresses";
}

TEST_F(NewFile, PagesW166AFileThatFailsLeavesTheFormerOne) {
  film("film000001");
  const std::string broken = upload_of(send("film000001"));
  fail(broken);
  site_.run_periodic_tasks();
  EXPECT_NE(record("film000001").find("/files/film000001/video.mp4"), std::string::npos);
  EXPECT_NE(record(broken), "gone") << "its conversion can be repeated";
  EXPECT_TRUE(page("film000001").has("It is no film &amp; no sound."));
  const std::string sound = upload_of(send("film000001"));
  EXPECT_FALSE(page("film000001").has("It is no film &amp; no sound.")) << "another one began";
  convert(sound, "Audio");
  site_.run_periodic_tasks();
  EXPECT_EQ(record(sound), "gone");
  EXPECT_TRUE(page("film000001").has("It is of the type Audio, and this one of the type Video."));
}

TEST_F(NewFile, PagesW166TheFailureIsForgottenOnceTheMediaTakesTheFileOfAnother) {
  film("film000001");
  film("other00001");
  fail(upload_of(send("film000001")));
  site_.run_periodic_tasks();
  const Answer failed = page("film000001");
  EXPECT_TRUE(failed.has("It is no film &amp; no sound.")) << failed.body;
  const std::string path = kUploads + "/film000001/replace";
  const Answer taken =
      browser_.follow(browser_.submit(browser_.ask(path), path, {{"replacement", "other00001"}}));
  EXPECT_TRUE(taken.has("The file is replaced.")) << taken.body;
  EXPECT_FALSE(taken.has("could not take the place")) << taken.body;
}

TEST_F(NewFile, PagesW166ThePageOfTheMediaIsThereThoughTheRecordOfItsUploadCannotBeRead) {
  film("film000001");
  const std::string upload = upload_of(send("film000001"));
  stores().command({"SET", "catalog:media:" + upload, "{"});
  const Answer shown = page("film000001");
  EXPECT_EQ(shown.status, 200);
  EXPECT_TRUE(shown.has("What has become of it cannot be read")) << shown.body;
}

TEST_F(NewFile, PagesW166OfTwoFilesTheLaterOneCounts) {
  film("film000001");
  const std::string first = upload_of(send("film000001"));
  site_.pass(1);
  const std::string second = upload_of(send("film000001"));
  convert(first);
  site_.run_periodic_tasks();
  EXPECT_EQ(record(first), "gone");
  EXPECT_NE(record("film000001").find("/files/film000001/video.mp4"), std::string::npos);
  convert(second);
  site_.run_periodic_tasks();
  EXPECT_NE(record("film000001").find("/files/" + second + "/video.mp4"), std::string::npos);
}

TEST_F(NewFile, PagesW166TheUploadEndsWithTheMedia) {
  film("film000001");
  const std::string upload = upload_of(send("film000001"));
  remove("film000001");
  site_.run_periodic_tasks();
  EXPECT_EQ(record(upload), "gone");
  EXPECT_EQ(stores().command({"HLEN", "web:replacements"}).integer(), 0);
}

TEST_F(UploadsPage, PagesW12AFormBecomesAnUploadOrIsRefusedWithItsReason) {
  const auto part = [](const std::string& head, const std::string& data) {
    return "--b\r\nContent-Disposition: form-data; name=" + head + "\r\n\r\n" + data + "\r\n";
  };
  const auto send = [&](const std::string& body, const std::string& accept,
                        const std::string& type = "multipart/form-data; boundary=b") {
    return browser_.ask(Ask("POST " + kUploadForm + token())
                            .with("Origin", "null")
                            .with("Accept", accept)
                            .with("Content-Type", type)
                            .with_body(body + "--b--\r\n"));
  };
  const std::string file = "file; filename=a.mp4";
  const std::string film = part("name", "My <film>") + part(file, "film");
  const Answer sent = send(film, "text/html");
  EXPECT_EQ(sent.status, 303) << sent.body;
  EXPECT_EQ(sent.header("Cache-Control"), "no-store");
  ASSERT_TRUE(sent.header("Location").starts_with(kUploads + "/"));
  const Answer page = browser_.follow(sent);
  EXPECT_TRUE(page.has("<h1><bdi class=\"clamp\">My &lt;film&gt;</bdi></h1>")) << page.body;
  EXPECT_TRUE(page.has("Waiting to be processed."));
  const Answer unnamed = browser_.follow(send(part(file, "film"), "text/html"));
  EXPECT_TRUE(unnamed.has("<h1><bdi class=\"clamp\">a</bdi></h1>")) << "not a.mp4";
  const Answer json = send(film, "application/json");
  EXPECT_EQ(json.status, 201);
  EXPECT_TRUE(json.has(R"("status":"queued")")) << json.body;
  for (const auto& [body, says] :
       {std::pair(part("name", "a"), "no file"), std::pair(part(file, ""), "the file is empty"),
        std::pair(part("name", std::string(2049, 'a')) + part(file, "x"), "name must be")}) {
    SCOPED_TRACE(says);
    const Answer told = send(body, "text/html");
    EXPECT_EQ(told.status, 422);
    EXPECT_TRUE(told.has("Nothing was uploaded"));
    EXPECT_TRUE(told.has(says)) << told.body;
    EXPECT_TRUE(told.has("href=\"" + kUploads + "\""));
    EXPECT_NE(told.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
    const Answer refused = send(body, "application/json");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.header("Cache-Control"), "no-store");
    EXPECT_TRUE(refused.body.starts_with(R"({"error":")") && refused.has(says)) << refused.body;
  }
  for (const char* accept : {"text/html", "application/json"})
    EXPECT_EQ(send("a=b", accept, "application/x-www-form-urlencoded").status, 415) << accept;
}

TEST_F(UploadsPage, ApiN10TheFormIgnoresAnIdempotencyKey) {
  const auto send = [&] {
    return browser_.ask(Ask("POST " + kUploadForm + token())
                            .with("Origin", "null")
                            .with("Accept", "application/json")
                            .with("Idempotency-Key", "one")
                            .with("Content-Type", "multipart/form-data; boundary=b")
                            .with_body("--b\r\nContent-Disposition: form-data; name=file; "
                                       "filename=a.mp4\r\n\r\nfilm\r\n--b--\r\n"));
  };
  const Answer first = send();
  const Answer second = send();
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(second.status, 201) << second.body;
  EXPECT_NE(first.body, second.body);
}

TEST_F(UploadsPage, PagesW12PermitsNoOtherFormAndStatesWhy) {
  const std::string right = token();
  Browser manuel(site_);
  manuel.log_in(kManuelsId);
  const std::string cookie = "__Host-svc_session=" + manuel.cookies["__Host-svc_session"];
  struct Case {
    std::string name;
    Ask ask;
    int page = 403, json = 403;
    std::string says = "This page is too old";
  };
  for (const Case& c : {
           Case{"no token", question("")},
           Case{"a wrong token", question("?form=" + std::string(64, '0'))},
           Case{"another field", question("?csrf=" + right.substr(6))},
           Case{"another site", question(right).with("Origin", "https://evil.example")},
           Case{"another session", question(right).with("Cookie", cookie)},
           Case{"another account",
                question(right, "/upload-permission/settings/accounts/1002/media/upload")},
           Case{"no session", question(right).with("Cookie", ""), 200, 401, "Log in"},
       }) {
    SCOPED_TRACE(c.name);
    const Answer no = site_.ask_pool("web", c.ask);
    EXPECT_EQ(no.status, 403);
    EXPECT_EQ(no.header("X-Svc-Account"), "none");
    Ask refused = c.ask;
    refused.target.erase(0, sizeof("/upload-permission") - 1);
    const Answer page = site_.ask_pool("web", refused.with("UPLOAD_ANSWER", "html"));
    EXPECT_EQ(page.status, c.page);
    EXPECT_TRUE(page.has(c.says)) << page.body;
    const Answer json = site_.ask_pool("web", refused.with("UPLOAD_ANSWER", "json"));
    EXPECT_EQ(json.status, c.json);
    EXPECT_TRUE(json.has(R"({"error":")")) << json.body;
  }
  EXPECT_EQ(site_.ask_pool("web", question(right, "/upload-permission" + kUploads)).status, 403);
  Ask get = question(right);
  get.method = "GET";
  EXPECT_EQ(site_.ask_pool("web", get).status, 403);
  EXPECT_EQ(stores().events(), Events{});
  EXPECT_EQ(refused(right, "html").status, 503) << "the permission was not asked for";
  const Answer json = refused(right, "json");
  EXPECT_EQ(json.status, 503);
  EXPECT_EQ(json.body, R"({"error":"temporarily unavailable"})");
}

// The form's token is in the body, which is not read yet: a session is enough to send one.
TEST_F(UploadsPage, PagesW12OnlyAUserMaySendALongText) {
  const std::string text = "/upload-permission" + kUploads + "/l4unchf1lm/captions";
  for (const char* end : {"", "/new", "/en"}) {
    EXPECT_EQ(site_.ask_pool("web", question("", text + end)).status, 204) << end;
    EXPECT_EQ(site_.ask_pool("web", question("", text + end).with("Cookie", "")).status, 403)
        << end;
  }
  Ask get = question("", text);
  get.method = "GET";
  EXPECT_EQ(site_.ask_pool("web", get).status, 403);
  for (const char* other :
       {"/l4unchf1lm", "/l4unchf1lm/captionsx", "/l4unchf1lm/chapters", "/captions"})
    EXPECT_EQ(site_.ask_pool("web", question("", "/upload-permission" + kUploads + other)).status,
              403)
        << other;
}

TEST_F(UploadsPage, PagesW12CountsAsAFormOfTheSettings) {
  const std::string right = token();
  stores().command({"SET", "web:settings_forms:501", "120", "EX", "30"});
  EXPECT_EQ(may_send(right), 403);
  EXPECT_EQ(refused(right, "html").status, 429);
  const Answer json = refused(right, "json");
  EXPECT_EQ(json.status, 429);
  EXPECT_EQ(json.header("Retry-After"), "30");
  stores().command({"DEL", "web:settings_forms:501"});
  EXPECT_EQ(stores().events(), Events{});
  const Answer yes =
      site_.ask_pool("web", question(right).with("Origin", "https://app.svc.example"));
  EXPECT_EQ(yes.status, 204) << yes.body;
  EXPECT_EQ(yes.header("X-Svc-Account"), "1001");
  ASSERT_EQ(stores().events().size(), 1u);
  EXPECT_TRUE(stores().events().front().starts_with("upload.permitted 501 request-"));
}

TEST_F(UploadsPage, PagesW12AMemberWhoLostTheRoleIsNotPermitted) {
  const std::string right = token();
  stores().edit("catalog:contact:501", "owner\"", "user\"");
  EXPECT_EQ(may_send(right), 403);
  for (const char* answer : {"html", "json"}) {
    const Answer told = refused(right, answer);
    EXPECT_EQ(told.status, 403);
    EXPECT_TRUE(told.has("You are a user of this account.")) << told.body;
  }
}

class UploadLimits : public UploadsPage {
 protected:
  UploadLimits() : UploadsPage({"--uploads-per-account=4", "--uploads-unfinished=2"}) {}
};

TEST_F(UploadLimits, PagesW12OneAccountHasLimits) {
  site_.request_id = "same";  // has one place
  const std::string right = token();
  add("upload01", Status::Queued);
  EXPECT_EQ(may_send(right), 204);
  add("upload02", Status::Processing);
  EXPECT_EQ(may_send(right), 403);
  const Answer busy = refused(right, "html");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("Retry-After"), "60");
  EXPECT_TRUE(busy.has("Nothing was uploaded"));
  EXPECT_TRUE(busy.has("2 uploads of the account are under way, wait or are being converted"));
  EXPECT_TRUE(busy.has("href=\"" + kUploads + "\""));
  add("upload03", Status::Ready);
  add("upload04", Status::Failed);
  EXPECT_EQ(may_send(right), 403);
  for (const char* answer : {"html", "json"}) {
    const Answer full = refused(right, answer);
    EXPECT_EQ(full.status, 507);
    EXPECT_TRUE(
        full.has("The account has 4 uploads, and 4 are allowed. Delete some by the API, "
                 "or ask the operator of this service."))
        << full.body;
  }
}

TEST_F(UploadsPage, OperationsU37OneAccountHasABudget) {
  const std::string right = token();
  weigh(stores::Commit::Weight::LargeRecord, "large00001", 16 << 20);
  EXPECT_EQ(may_send(right), 403);
  const Answer full = refused(right, "json");
  EXPECT_EQ(full.status, 507);
  EXPECT_TRUE(full.has("names, descriptions and captions")) << full.body;
}

class UploadBytes : public UploadsPage {
 protected:
  UploadBytes() : UploadsPage({"--bytes-per-account=5000000000"}) {}
};

TEST_F(UploadBytes, PagesW12TheFilesOfOneAccountHaveALimit) {
  site_.request_id = "same";  // has one place
  const std::string right = token();
  EXPECT_TRUE(browser_.ask(kUploads).has("take no bytes of the 5 GB that are allowed."));
  weigh(stores::Commit::Weight::Files, "film000001", 3'000'000'000);
  EXPECT_TRUE(browser_.ask(kUploads).has("take 3 GB of the 5 GB that are allowed."));
  const auto may_send_more = [&](const std::string& length) {
    return site_.ask_pool("web", question(right).with("UPLOAD_LENGTH", length)).status;
  };
  EXPECT_EQ(may_send_more("2000000000"), 204);
  EXPECT_EQ(may_send_more(""), 204) << "not known";
  EXPECT_EQ(may_send_more("2000000001"), 403);
  weigh(stores::Commit::Weight::Files, "film000002", 2'000'000'000);
  EXPECT_EQ(may_send(right), 403);
  for (const char* answer : {"html", "json"}) {
    const Answer full = refused(right, answer);
    EXPECT_EQ(full.status, 507);
    EXPECT_TRUE(full.has("take 5000000000 bytes, and 5000000000 are allowed. Delete some"))
        << full.body;
  }
}

// Only an application with all permissions could.
TEST_F(UploadsPage, PagesW34AnUploadThatIsNotReadyIsDeletedOnItsPage) {
  for (const auto& [id, status] : {std::pair<std::string, Status>("failed0001", Status::Failed),
                                   {"queued0001", Status::Queued},
                                   {"process001", Status::Processing}}) {
    SCOPED_TRACE(id);
    add(id, status);
    const std::string path = kUploads + "/" + id;
    const Answer page = browser_.ask(path);
    EXPECT_TRUE(after(browser_, page, path).has("The video is deleted."));
    EXPECT_EQ(browser_.ask(path).status, 404);
    EXPECT_EQ(stores().events("media.removed 501 media " + id), 1u);
    EXPECT_EQ(browser_.submit(page, path).status, 303) << "sent twice";
  }
  EXPECT_EQ(stores().events().size(), 3u);
  // It became ready while its page was open.
  add("late000001", Status::Processing);
  const std::string path = kUploads + "/late000001";
  const Answer open = browser_.ask(path);
  add("late000001", Status::Ready);
  const Answer ready = after(browser_, open, path);
  EXPECT_FALSE(ready.has("action=\"" + path + "\""));
  EXPECT_EQ(browser_.post(path, {{"csrf", "x"}}).status, 403);
  EXPECT_EQ(stores().events().size(), 3u);
}

TEST_F(UploadsPage, OauthF5AnAccountThatRequiresASecondFactorTakesNoFile) {
  const std::string right = token();
  EXPECT_EQ(may_send(right), 204);
  stores().command({"HSET", "web:login_required:accounts", "1001", "1"});
  EXPECT_EQ(may_send(right), 403);
  const Answer for_script = refused(right, "json");
  EXPECT_EQ(for_script.status, 403);
  EXPECT_TRUE(for_script.has("requires a second factor"));
  EXPECT_EQ(refused(right, "html").header("Location"), kUploads);
}

}  // namespace
}  // namespace svc::rules
