// A key of a type that we never write, in every place that the stores read: its
// readers are unavailable, and no caller gets another's reply. operations.md
// operations-D1.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "integration/every_store.h"
#include "redis/scan.h"

namespace svc {
namespace {

using integration::EveryStore;

// The key without its ids: catalog:media:abc → catalog:media.
std::string family_of(const std::string& key) {
  const std::size_t area = key.find(':');
  return key.substr(0, key.find(':', area + 1));
}

class WrongTypes : public testing::Test {
 protected:
  std::set<std::string> all_keys() {
    integration::Store probe(server_);
    redis::Scan scan(probe.redis(), "*");
    std::set<std::string> all;
    while (true) {
      const std::vector<std::string> keys = probe.run(scan.next());
      if (keys.empty()) return all;
      all.insert(keys.begin(), keys.end());
    }
  }

  integration::RedisServer server_;
};

TEST_F(WrongTypes, OperationsD1NoCallerSeesAnothersReply) {
  {
    EveryStore life(server_);
    life.write();
  }
  const std::set<std::string> keys = all_keys();
  std::set<std::string> families;
  for (const std::string& key : keys) families.insert(family_of(key));
  // Every kind of key in worker/redis/keys.h.
  for (const char* family :
       {"catalog:account",      "catalog:contact",      "catalog:contact_email",
        "catalog:project",      "catalog:media",        "catalog:playlist",
        "oauth:client",         "oauth:deleted_client", "oauth:account_clients",
        "oauth:grant",          "oauth:code",           "oauth:access",
        "oauth:refresh",        "oauth:grant_used",     "oauth:once",
        "oauth:contact_grants", "oauth:client_grants",  "oauth:guess",
        "usage:manifest",       "embed:rendering",      "web:session",
        "web:contact_sessions", "web:login_pair",       "web:login_email",
        "web:login_known",      "web:login_address",    "web:login_network",
        "oauth:account_grants", "oauth:ending_clients", "audit:failure",
        "web:settings_forms",   "ingest:incoming",      "ingest:jobs",
        "ingest:dead",          "ingest:progress",      "ingest:uploads",
        "ingest:failed",        "ingest:large",         "ingest:deletions",
        "oauth:codes"}) {
    EXPECT_TRUE(families.contains(family)) << family;
  }
  std::set<std::string> refused;
  for (const std::string& wrong : keys) {
    SCOPED_TRACE(wrong);
    server_.command({"FLUSHALL"});
    EveryStore life(server_);
    life.write();
    ASSERT_EQ(all_keys(), keys) << "the same in every life";
    server_.command({"DEL", wrong});
    // One store writes a list, and no store a set of that name.
    server_.command({wrong == "ingest:incoming" ? "SADD" : "RPUSH", wrong, "of another type"});
    int said = 0;
    for (const EveryStore::Action& action : life.actions()) {
      SCOPED_TRACE(action.name);
      try {
        action.run();
      } catch (const base::Unavailable&) {
        refused.insert(family_of(wrong));
      }
      // The next requests on these connections must get their own replies.
      for (redis::Store* channel : {&life.state(), &life.cache()}) {
        for (int i = 0; i < 2; ++i) {
          const std::string own = "reply " + std::to_string(++said);
          ASSERT_EQ(life.echo(*channel, own), own);
        }
      }
    }
  }
  // The other keys are only written, or their failed reads are only warnings in
  // the log.
  std::erase_if(families, [&](const std::string& family) { return refused.contains(family); });
  EXPECT_EQ(families,
            (std::set<std::string>{"embed:rendering", "oauth:deleted_client", "oauth:once"}));
}

}  // namespace
}  // namespace svc
