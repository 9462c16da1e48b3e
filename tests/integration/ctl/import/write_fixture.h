// ImportWrite: the fixture of the tests of ctl::ImportWrite, and what they import.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/password_hash.h"
#include "base/unavailable.h"
#include "ctl/import/write.h"
#include "integration/ctl/import/dangling.h"
#include "integration/ctl/import/fixture.h"
#include "oauth/applications.h"
#include "oauth/client.h"
#include "redis/client_registry.h"

namespace svc::integration::import_write {

using integration::account_line;
using integration::application_line;
using integration::dangling;
using integration::joined;
using integration::media_line;
using integration::playlist_line;
using integration::project_line;
using integration::user_line;

using Dump = std::map<std::string, std::string>;

class ImportWrite : public integration::ImportFixture {
 protected:
  // The breaker answers for a store that was just lost, for some milliseconds.
  void wait_for_the_store() {
    for (int tries = 0; tries < 1000; ++tries) {
      try {
        store_.run(store_.redis.read({"PING"}));
        return;
      } catch (const base::Unavailable&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    ADD_FAILURE() << "the store does not come back";
  }

  oauth::Client client(const std::string& id) {
    text::json::Document document;
    const std::string value = server_.text({"GET", "oauth:client:" + id});
    text::JsonRecord record(*document.parse(value));
    return *oauth::client_from_record(record);
  }
  std::string password_hash(int id) {
    text::json::Document document;
    const std::string value = server_.text({"GET", "catalog:contact:" + std::to_string(id)});
    const auto hash = document.parse(value)->find("password_hash");
    return hash ? std::string(*hash->string()) : "";
  }
};

// More than any batch holds.
inline constexpr int kOfEach = 1100;
inline constexpr int kFilms = 2 * kOfEach;

// kOfEach lines of every kind without secrets, which cost time; lines come before those they refer
// to.
inline std::vector<std::string> large_catalog(const std::string& name = "Film") {
  std::vector<std::string> lines;
  for (int i = 0; i < kOfEach; ++i) {
    const std::string id = std::to_string(i);
    lines.push_back(
        playlist_line("l" + id, 1 + i % kOfEach, {"m" + id, "m" + std::to_string(kFilms - 1 - i)}));
  }
  for (int i = 0; i < kFilms; ++i) {
    const std::string id = std::to_string(i);
    lines.push_back(media_line("m" + id, 1 + i % kOfEach, "p" + std::to_string(i % kOfEach), name));
  }
  for (int i = 0; i < kOfEach; ++i) lines.push_back(project_line("p" + std::to_string(i), 1 + i));
  for (int i = 0; i < kOfEach; ++i) {
    lines.push_back(user_line(i + 1, "u" + std::to_string(i) + "@b.example", 1 + i));
  }
  for (int i = 0; i < kOfEach; ++i) lines.push_back(account_line(1 + i));
  return lines;
}

// The same in reverse: every line comes after those it refers to.
inline std::vector<std::string> large_catalog_in_order() {
  std::vector<std::string> lines = large_catalog();
  std::reverse(lines.begin(), lines.end());
  return lines;
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
inline const std::string kContactHash =
    "scrypt$14$8$5$" + std::string(32, '1') + "$" + std::string(64, '2');
inline const std::string kOtherHash =
    "scrypt$14$8$5$" + std::string(32, '3') + "$" + std::string(64, '4');

}  // namespace svc::integration::import_write
