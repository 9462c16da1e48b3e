// The format of everything that outlives a worker: during a rolling upgrade,
// workers of the next version read it. A change must show in review, so all of
// it is in tests/data/stored_formats.txt. If the change is intended, copy the
// text that this test prints into that file.

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/password_hash.h"
#include "integration/every_store.h"
#include "login/return_path.h"
#include "login/visitors.h"
#include "oauth/transaction.h"
#include "stores/catalog/index_block.h"

namespace svc {
namespace {

using integration::EveryStore;

// The name of this key contains the current day of the system clock.
std::string without_day(const std::string& key) {
  return std::regex_replace(key, std::regex(R"(^(usage:manifest:)\d{4}-\d\d-\d\d$)"), "$1<today>");
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (std::isprint(static_cast<unsigned char>(c)) != 0) {
      out += c;
    } else {
      out += "\\?";
    }
  }
  return out;
}

// A job's time of upload is the machine's.
std::string without_time(std::string_view job) {
  return std::regex_replace(std::string(job), std::regex("since \\d+"), "since <ms>");
}

class StoredFormats : public testing::Test {
 protected:
  // One line per value: "  field = value".
  std::string value_of(const std::string& key) {
    const std::string type = server_.text({"TYPE", key});
    std::ostringstream out;
    const auto pairs = [&](const redis::ReplyView& all) {
      std::map<std::string, std::string> sorted;
      for (std::size_t i = 0; i + 1 < all.size(); i += 2)
        sorted.emplace(*all.at(i).text(), *all.at(i + 1).text());
      for (auto& [name, value] : sorted) {
        if (key.starts_with("embed:")) value.replace(0, value.find(' '), "<ms>");
        if (key == "ingest:guards_again") value = "<us>";
        if (key.starts_with("catalog:index:") && name == "epoch") value = "<epoch>";
        out << "  " << printable(name) << " = " << printable(value) << "\n";
      }
    };
    if (key.starts_with("catalog:block:")) {
      // Compressed: the bytes differ between versions of the library.
      const auto block = stores::block_of(server_.text({"GET", key}));
      const std::vector<stores::IndexEntry>& entries = block.value().entries;
      out << "  " << entries.size() << " entries, the last one:\n";
      if (!entries.empty())
        out << "  " << printable(entries.back().key) << " = " << printable(entries.back().value)
            << "\n";
      out << "  end " << printable(block->end) << "\n";
    } else if (type == "string") {
      out << "  " << printable(server_.text({"GET", key})) << "\n";
    } else if (type == "hash") {
      pairs(server_.command({"HGETALL", key}));
    } else if (type == "zset") {
      pairs(server_.command({"ZRANGE", key, "0", "-1", "WITHSCORES"}));
    } else if (type == "set") {
      const redis::Reply all = server_.command({"SORT", key, "ALPHA"});
      for (std::size_t i = 0; i < all.size(); ++i) out << "  " << *all.at(i).text() << "\n";
    } else if (type == "list") {
      const redis::Reply all = server_.command({"LRANGE", key, "0", "-1"});
      for (std::size_t i = 0; i < all.size(); ++i)
        out << "  " << printable(without_time(*all.at(i).text())) << "\n";
    } else if (type == "stream") {
      const redis::Reply all = server_.command({"XRANGE", key, "-", "+"});
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string id(*all.at(i).at(0).text());
        out << "  entry "
            << (key.starts_with("audit") || key.starts_with("ingest") ? "<ms>-<n>" : id) << "\n";
        const redis::ReplyView fields = all.at(i).at(1);
        for (std::size_t field = 0; field + 1 < fields.size(); field += 2) {
          out << "    " << *fields.at(field).text() << " = "
              << (*fields.at(field).text() == "since" ? "<ms>"
                                                      : printable(*fields.at(field + 1).text()))
              << "\n";
        }
      }
    }
    // The time to live has begun to run, a few seconds ago at most; that of
    // renderings varies.
    const std::int64_t ttl = server_.command({"PTTL", key}).integer();
    const std::int64_t seconds = ((ttl - 1) / 1000 + 10) / 10 * 10;
    std::string lives = ttl < 0 ? "for ever" : "about " + std::to_string(seconds) + " s";
    if (key.starts_with("embed:")) lives = ttl > 0 ? "for a limited time" : "for ever";
    return type + ", lives " + lives + "\n" + out.str();
  }

  integration::RedisServer server_;
};

TEST_F(StoredFormats, MatchTheDataFile) {
  EveryStore life(server_);
  life.write();
  std::map<std::string, std::string> keys;
  const redis::Reply names = server_.command({"KEYS", "*"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string key(*names.at(i).text());
    keys.emplace(without_day(key), key);
  }
  std::string actual = "Redis\n";
  for (const auto& [shown, key] : keys) actual += "\n" + shown + ": " + value_of(key);

  // Values that browsers store or send back.
  fakes::FixedEntropy entropy;
  fakes::ManualWallClock time;
  stores::Sessions sessions(life.state(), life.keys(), entropy, time, {});
  login::Visitors visitors(sessions, life.keys(), entropy, true);
  const http::Request request;
  const login::Visitor visitor = life.run(visitors.of(request));
  media::Contact contact;
  contact.id = {501};
  contact.password_hash = "hash";
  const auto line = [&](const std::string& name, const std::string& value) {
    actual += name + ": " + printable(value) + "\n";
  };
  actual += "\nBrowsers\n";
  line("cookie of a visitor", visitor.set_cookie);
  line("cookie of a session", life.run(visitors.log_in(visitor, contact, request)));
  line("what forms of that visitor are bound to", visitor.binding);
  line("form token", login::form_token(life.keys(), visitor, "purpose"));
  const std::string sealed = oauth::seal({.secret = std::string(64, 'a'),
                                          .begun = time.now(),
                                          .account = {1001},
                                          .permission_version = 3,
                                          .query = "client_id=app-1"},
                                         visitor.binding, life.keys(), entropy);
  line("transaction, sealed", sealed);
  line("transaction, open", life.keys().open(sealed, "authorization transaction").value());
  line("return path, sealed",
       login::seal({"/settings", "https://app.example", "App"}, life.keys(), entropy, visitor));
  actual += "\nSecrets\n";
  line("password hash", base::hash_password("password", entropy));
  line("sealed under a key", life.keys().seal("secret", "context", entropy));
  for (const oauth::TokenKind kind :
       {oauth::TokenKind::Code, oauth::TokenKind::Access, oauth::TokenKind::Refresh}) {
    const oauth::Holder holder{{501}, {1001}};
    const oauth::Token token = oauth::Token::mint(kind, {std::string(32, 'f')}, entropy, holder);
    line(std::string(token.label()), token.to_text());
    line("its name in the store", life.keys().mac(token.label(), token.text));
  }

  std::ifstream file(SVC_SOURCE_DIR "/tests/data/stored_formats.txt");
  std::ostringstream expected;
  expected << file.rdbuf();
  // EXPECT_EQ shows the difference; the whole text follows, ready to be copied.
  EXPECT_EQ(expected.str(), actual);
  if (expected.str() != actual) std::cout << "---8<---\n" << actual << "--->8---\n";
}

}  // namespace
}  // namespace svc
