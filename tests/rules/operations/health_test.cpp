// operations.md, Health. unit/app/service_test.cpp has the responses while the store is
// unavailable.
#include <gtest/gtest.h>

#include "rules/rules.h"

namespace svc::rules {
namespace {

using Health = Rules;

TEST_F(Health, APoolWhoseStoresReplyIsReady) {
  for (const char* role : {"embed", "grant", "web", "upload"}) {
    const Answer ready = site_.ask_pool(role, "/readyz");
    EXPECT_EQ(ready.status, 200) << role;
    EXPECT_EQ(ready.body, R"({"status":"ok"})");
    EXPECT_EQ(ready.header("Cache-Control"), "no-store");
    EXPECT_EQ(site_.ask_pool(role, "HEAD /readyz").status, 200) << role;
  }
}

// The upload pool uses no Redis: the pool that makes media of its files reports unready instead.
TEST_F(Health, OperationsU50TheUploadPoolIsReadyWithoutAStore) {
  site_.restart({"--redis-state=unix:///nonexistent", "--redis-cache=unix:///nonexistent"});
  EXPECT_EQ(site_.ask_pool("upload", "/readyz").status, 200);
  EXPECT_EQ(site_.ask_pool("grant", "/readyz").status, 503);
}

}  // namespace
}  // namespace svc::rules
