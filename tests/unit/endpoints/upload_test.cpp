#include "endpoints/upload.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/paths.h"
#include "fakes/examples.h"
#include "fakes/fixed_entropy.h"
#include "fakes/headers.h"
#include "fakes/memory_catalog.h"
#include "fakes/memory_uploads.h"
#include "fakes/temporary_directory.h"
#include "http/router.h"

namespace svc {
namespace {

namespace fs = std::filesystem;
using fakes::header;
using http::Response;

constexpr std::string_view kUploadForm =
    "--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nA film\r\n"
    "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.mp4\"\r\n\r\n"
    "0123456789\r\n--B--\r\n";

Response refusal(const http::Request&, const embed::Site&, int status, std::string_view why) {
  Response page;
  page.status = status;
  page.content_type = "text/html";
  page.body = why;
  page.with("Cache-Control", "no-store");
  return page;
}

class UploadTest : public testing::Test {
 protected:
  UploadTest() {
    fs::create_directories(folder_ + "/incoming");
    router_.add(base::paths::kUpload.pattern, upload_);
    media::Project project;
    project.id = {"p1"};
    project.account = {1001};
    project.name = "One";
    catalog_.add(project);
    project.id = {"p2"};
    project.account = {1002};
    catalog_.add(project);
  }
  std::string body(std::string_view text = kUploadForm, const std::string& name = "0001") {
    const std::string path = folder_ + "/incoming/" + name;
    std::ofstream(path, std::ios::binary) << text;
    chmod(path.c_str(), 0600);
    return path;
  }
  static std::string form_with(const std::string& field, const std::string& value) {
    return "--B\r\nContent-Disposition: form-data; name=\"" + field + "\"\r\n\r\n" + value +
           "\r\n" + std::string(kUploadForm);
  }
  Response send(const std::string& file,
                const std::string& type = "multipart/form-data; boundary=B",
                const std::string& account = "1001", const std::string& id = "request-1",
                std::string_view answer = "") {
    http::Request request;
    request.method = "POST";
    request.path = base::paths::kUpload.pattern;
    request.content_type = type;
    request.upload_account = account;
    request.body_file = file;
    request.request_id = id;
    request.upload_answer = answer;
    return loop_.run_until_done(router_.answer(request));
  }
  // Files in the folder of uploads, without incoming/.
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    }
    return names;
  }

  const fakes::TemporaryDirectory directory_;
  const std::string folder_ = directory_.path("uploads");
  const embed::Site site_ = fakes::example_site();
  const base::SteadyClock steady_;
  const base::SystemClock clock_;
  loop::Loop loop_{steady_};
  fakes::FixedEntropy entropy_;
  fakes::MemoryCatalog catalog_;
  fakes::MemoryUploads uploads_;
  endpoints::Upload upload_{site_, folder_, catalog_, uploads_, entropy_, clock_, loop_, refusal};
  http::Router router_;
};

TEST_F(UploadTest, OauthS2IsQueued) {
  const Response response = send(body());
  EXPECT_EQ(response.status, 201) << response.body;
  ASSERT_EQ(uploads_.added.size(), 1u);
  const auto& [media, file] = uploads_.added.front();
  EXPECT_EQ(header(response, "Location"), site_.base_url + "/v1/medias/" + media.id.value());
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_TRUE(response.body.starts_with("{\"hashed_id\":\"" + media.id.value() +
                                        R"(","name":"A film","type":"Video","description":"",)"
                                        R"("status":"queued","progress":0,"duration":null)"))
      << response.body;
  EXPECT_EQ(media.account.value(), 1001);
  EXPECT_EQ(file.name, "f.mp4");
  EXPECT_EQ(kUploadForm.substr(file.offset, file.length), "0123456789");
  EXPECT_EQ(kept(), std::vector<std::string>{media.id.value()});
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/" + media.id.value()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u) << "svc-ingest reads it";
}

TEST_F(UploadTest, PagesW12AFormLeadsToThePageOfTheMedia) {
  const std::string type = "multipart/form-data; boundary=B";
  const Response response = send(body(), type, "1001", "request-1", "html");
  EXPECT_EQ(response.status, 303) << response.body;
  ASSERT_EQ(uploads_.added.size(), 1u);
  EXPECT_EQ(header(response, "Location"),
            "/settings/accounts/1001/media/" + uploads_.added.front().media.id.value());
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_EQ(send(body(kUploadForm, "0002"), type, "1001", "request-2", "json").status, 201);
}

TEST_F(UploadTest, PagesW12ARefusedFormIsAPageAndJsonForAScript) {
  const std::string file = body();
  const Response page = send(file, "text/plain", "1001", "request-1", "html");
  EXPECT_EQ(page.status, 415);
  EXPECT_EQ(page.body, "the body must be multipart/form-data, with a boundary");
  EXPECT_EQ(page.content_type, "text/html");
  const Response json = send(file, "text/plain", "1001", "request-1", "json");
  EXPECT_EQ(json.status, 415);
  EXPECT_TRUE(json.body.starts_with(R"({"error":)")) << json.body;
  uploads_.away = true;
  const Response away = send(file, "multipart/form-data; boundary=B", "1001", "r", "html");
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.content_type, "text/html");
}

// nginx repeats a request whose worker ended.
TEST_F(UploadTest, OauthS2IsOneMediaIfRepeated) {
  const std::string file = body();
  EXPECT_EQ(send(file).status, 201);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(send(file).status, 201);
  ASSERT_EQ(uploads_.added.size(), 2u);
  EXPECT_EQ(uploads_.added[0].media.id, uploads_.added[1].media.id);
  EXPECT_EQ(kept().size(), 1u);
  EXPECT_EQ(send(body(), "multipart/form-data; boundary=B", "1001", "request-2").status, 201);
  EXPECT_EQ(kept().size(), 2u);
}

TEST_F(UploadTest, OauthS2IsRefusedWithoutATrace) {
  struct Case {
    std::string_view name;
    std::string text;
    std::string type;
    std::string account;
    int status;
    std::string_view says;
  };
  const std::string type = "multipart/form-data; boundary=B";
  const std::string form(kUploadForm);
  for (const Case& c : {
           Case{"no permission", form, type, "", 403, "permission"},
           Case{"no account", form, type, "0", 403, "permission"},
           Case{"another type", form, "video/mp4", "1001", 415, "multipart/form-data"},
           Case{"another boundary", form, "multipart/form-data; boundary=C", "1001", 422,
                "malformed"},
           Case{"cut", form.substr(0, form.size() - 20), type, "1001", 422, "cut off"},
           Case{"no file", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--B--", type,
                "1001", 422, "no file"},
           Case{"unknown project", form_with("project_id", "p9"), type, "1001", 422, "project_id"},
           Case{"project of another account", form_with("project_id", "p2"), type, "1001", 422,
                "project_id"},
       }) {
    SCOPED_TRACE(c.name);
    const Response response = send(body(c.text), c.type, c.account);
    EXPECT_EQ(response.status, c.status) << response.body;
    EXPECT_NE(response.body.find(c.says), std::string::npos) << response.body;
  }
  EXPECT_EQ(send(body(form_with("project_id", "p1"))).status, 201);
  EXPECT_EQ(uploads_.added.size(), 1u);
  EXPECT_EQ(kept().size(), 1u);
}

TEST_F(UploadTest, OauthS2ReadsNoFileElsewhere) {
  std::ofstream(directory_.path("secret")) << kUploadForm;
  for (const std::string& path :
       {std::string(), std::string("/etc/passwd"), directory_.path("secret"),
        folder_ + "/incoming/", folder_ + "/incoming/../../secret", folder_ + "/incoming/.."}) {
    EXPECT_EQ(send(path).status, 422) << path;
  }
  fs::create_symlink(directory_.path("secret"), folder_ + "/incoming/0002");
  EXPECT_EQ(send(folder_ + "/incoming/0002").status, 503);
  EXPECT_TRUE(uploads_.added.empty());
}

// The store may have taken the upload: svc-ingest knows, and deletes the file
// otherwise.
TEST_F(UploadTest, OauthS2KeepsTheFileIfTheStoreIsUnavailable) {
  uploads_.away = true;
  const Response response = send(body());
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(header(response, "Retry-After"), "1");
  EXPECT_EQ(kept().size(), 1u);
}

}  // namespace
}  // namespace svc
