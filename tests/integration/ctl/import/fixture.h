// Import: a store, a key ring, and lines to import.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/unique_fd.h"
#include "ctl/import/check.h"
#include "ctl/import/import.h"
#include "ctl/import/write.h"
#include "fakes/temporary_directory.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "oauth/client.h"
#include "oauth/limits.h"
#include "oauth/stores.h"

namespace svc::integration {

// Lines of an import file. Times and other fields that no test depends on are constants.
inline std::string account_line(int id) {
  const std::string number = std::to_string(id);
  return R"({"kind":"account","id":)" + number + R"(,"name":"Account )" + number +
         R"(","host":"a)" + number + R"(.svc.localhost","url":"https://a)" + number +
         R"(.svc.localhost"})";
}
inline std::string user_line(int id, const std::string& email, int account,
                             const std::string& more = "") {
  return R"({"kind":"user","id":)" + std::to_string(id) + R"(,"name":"Somebody","email":")" +
         email + R"(","memberships":[{"account_id":)" + std::to_string(account) +
         R"(,"role":"owner"}])" + more + "}";
}
inline std::string project_line(const std::string& id, int account) {
  return R"({"kind":"project","id":")" + id + R"(","account_id":)" + std::to_string(account) +
         R"(,"name":"Films","created":"2026-01-05T09:00:00Z","updated":"2026-01-05T09:00:00Z"})";
}
inline std::string media_line(const std::string& id, int account, const std::string& project = "",
                              const std::string& name = "Film") {
  return R"({"kind":"media","id":")" + id + R"(","account_id":)" + std::to_string(account) +
         (project.empty() ? "" : R"(,"project_id":")" + project + "\"") +
         R"(,"type":"Video","name":")" + name +
         R"(","status":"ready","created":"2026-01-05T09:00:00Z",)"
         R"("updated":"2026-01-05T09:00:00Z","assets":[]})";
}
inline std::string playlist_line(const std::string& id, int account,
                                 const std::vector<std::string>& media_ids) {
  std::string ids;
  for (const std::string& media_id : media_ids)
    ids += (ids.empty() ? "\"" : ",\"") + media_id + "\"";
  return R"({"kind":"playlist","id":")" + id + R"(","account_id":)" + std::to_string(account) +
         R"(,"name":"List","media_ids":[)" + ids + "]}";
}
inline std::string application_line(const std::string& id, int account, const std::string& secret) {
  return R"({"kind":"application","client_id":")" + id + R"(","client_secret":")" + secret +
         R"(","account_id":)" + std::to_string(account) +
         R"(,"name":"App","redirect_uri":"https://app.example/cb","scopes":["media:read"],)"
         R"("created":"2026-01-05T09:00:00Z"})";
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline std::string with_password(const std::string& password, int id = 1,
                                 const std::string& email = "a@b.example") {
  return user_line(id, email, 1, R"(,"password":")" + password + "\"");
}
inline std::string with_hash(const std::string& hash, int id = 1,
                             const std::string& email = "a@b.example") {
  return user_line(id, email, 1, R"(,"password_hash":")" + hash + "\"");
}
// Two hashes that an import accepts.
inline const std::string kHash =
    "scrypt$14$8$5$" + std::string(32, '1') + "$" + std::string(64, '2');
inline const std::string kOtherHash =
    "scrypt$14$8$5$" + std::string(32, '3') + "$" + std::string(64, '4');

// Keeps each event as "what client detail".
class RememberedAudit : public oauth::Audit {
 public:
  std::vector<std::string> said;
  loop::Task<> record(const oauth::AuditEvent& event) override {
    said.push_back(std::string(event.what) + " " + std::string(event.client) + " " +
                   std::string(event.detail));
    co_return;
  }
};

class Import : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  using Problems = std::vector<std::string>;  // "3: reason"
  using Dump = std::map<std::string, std::string>;

  // Calls `meanwhile` once: after an import has read the stored records of a batch with a new
  // secret or password, and before it writes the batch.
  struct InterruptedEntropy : base::SystemEntropy {
    std::function<void()> meanwhile;
    void fill(std::span<unsigned char> out) override {
      if (const auto call = std::exchange(meanwhile, nullptr)) call();
      SystemEntropy::fill(out);
    }
  };

  static bool go_on(std::uint64_t, std::uint64_t) { return true; }
  std::string path() const { return directory_.path("catalog.jsonl"); }

  // The problems that a check of these lines finds.
  Problems check(const Lines& lines,
                 std::size_t max_playlist_medias = media::kDefaultPlaylistMedias);
  // Checks these lines, which must be valid, and writes them until `progress` returns false.
  bool write(const Lines& lines, const ctl::Progress& progress = go_on,
             const ctl::CredentialReset* reset = nullptr);
  // The same with --reset-credentials.
  bool reset(const Lines& lines);

  struct Ran {
    int status = 0;
    std::string out;
    std::string err;
  };
  // `svcctl import` with these arguments.
  Ran run(const std::vector<std::string>& arguments);
  // The same of a file with these lines.
  Ran import(const Lines& lines, std::vector<std::string> more = {});

  // The references in a dump of the store to missing keys, and the keys of other kinds.
  static Lines dangling(const Dump& dump);
  oauth::Client client(const std::string& id);
  std::string password_hash(int id);

  fakes::TemporaryDirectory directory_;
  RedisServer server_;
  Store redis_{server_};
  const ctl::Store store_{redis_.loop(), redis_.redis()};
  std::optional<base::KeyRing> keys_ = *base::KeyRing::parse("k1:" + std::string(64, '1'));
  InterruptedEntropy entropy_;
  RememberedAudit audit_;
  redis::Store* cache_ = nullptr;
  ctl::KeptCredentials kept_;  // by the last write() or reset()
};

}  // namespace svc::integration
