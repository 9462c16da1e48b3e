// ImportFixture: a store, a key ring, and lines to import.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/unique_fd.h"
#include "ctl/import/check.h"
#include "ctl/import/import.h"
#include "ctl/import/write.h"
#include "fakes/memory_tokens.h"
#include "fakes/temporary_directory.h"
#include "integration/redis_server.h"
#include "integration/store.h"

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

class ImportFixture : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  using Problems = std::vector<std::string>;  // "3: reason"

  ImportFixture() : keys_(*some_keys()) {}

  static std::optional<base::KeyRing> some_keys();

  base::UniqueFd file(std::string_view content);
  static bool go_on(std::uint64_t, std::uint64_t) { return true; }

  // The problems that a check of these lines finds.
  Problems check(const Lines& lines, bool has_keys = true);

  // Checks these lines, which must be valid, and writes them until `progress` returns false.
  bool write(const Lines& lines, ctl::ImportCheck::Progress progress = go_on);
  // The same with --reset-credentials.
  bool reset(const Lines& lines, ctl::ImportCheck::Progress progress = go_on);
  bool import_lines(const Lines& lines, ctl::ImportCheck::Progress progress,
                    const ctl::CredentialReset* reset);

  struct Ran {
    int status = 0;
    std::string out;
    std::string err;
  };
  // `svcctl import` with these arguments.
  Ran run(const std::vector<std::string>& arguments,
          const std::optional<base::KeyRing>& keys = std::nullopt);
  std::string path() const { return directory_.path("catalog.jsonl"); }

  fakes::TemporaryDirectory directory_;
  RedisServer server_;
  Store redis_{server_};
  const ctl::Store store_{redis_.loop(), redis_.redis()};
  base::KeyRing keys_;
  base::SystemEntropy entropy_;
  fakes::RememberedAudit audit_;
  ctl::KeptCredentials kept_;  // by the last write() or reset()
};

}  // namespace svc::integration
