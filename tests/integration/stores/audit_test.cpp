#include "stores/audit.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/audit_trail.h"

namespace svc {
namespace {

class Audit : public testing::Test {
 protected:
  static loop::Task<bool> go_on() { co_return true; }

  void record(const oauth::AuditEvent& event) { store_.run(audit_.record(event)); }

  // The kinds and sequence numbers of the newest `count` entries, each followed
  // by a space.
  std::string read(std::int64_t count) {
    std::string all;
    const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
      all += std::string(entry.field("what")) + entry.id.substr(entry.id.find('-')) + " ";
      return go_on();
    };
    store_.run(trail_.newest(count, std::nullopt, see));
    return all;
  }
  // Adds an entry with this id, as an earlier version or in another second.
  void add(std::string_view stream, std::string_view id, std::string_view what) {
    server_.command({"XADD", stream, id, "what", what});
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::Audit audit_{store_.redis()};
  stores::AuditTrail trail_{store_.redis()};
};

// Regression: a logged-in user could flush the trail with 1 500 entries per
// second.
TEST_F(Audit, KeepsRareEventsDespiteManyFrequentEvents) {
  constexpr std::string_view kRare[] = {"revoked", "secret.rotated", "password.changed"};
  record({.what = oauth::event_named<"revoked">()});
  record({.what = oauth::event_named<"secret.rotated">()});
  record({.what = oauth::event_named<"password.changed">()});
  server_.command({"EVAL",
                   "for i = 1, 105000 do for _, kind in ipairs({'login', 'failure', 'session', "
                   "'denial', 'token', 'shown'}) do "
                   "if kind ~= 'session' or i <= 25000 then "
                   "redis.call('XADD', 'audit:' .. kind, '*', 'what', 'x') end end end",
                   "0"});
  record({.what = oauth::event_named<"login">()});
  record({.what = oauth::event_named<"login.failed">()});
  record({.what = oauth::event_named<"session.ended">()});
  record({.what = oauth::event_named<"denied">()});
  record({.what = oauth::event_named<"tokens.revoked">()});
  record({.what = oauth::event_named<"secret.shown">()});
  std::size_t found = 0;
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    for (const std::string_view rare : kRare) found += entry.field("what") == rare ? 1 : 0;
    return go_on();
  };
  store_.run(trail_.from(0, see));
  EXPECT_EQ(found, 3U);
  for (const auto& [kind, limit] : {std::pair("login", 100'000), {"session", 20'000}}) {
    const std::int64_t length = server_.command({"XLEN", "audit:" + std::string(kind)}).integer();
    EXPECT_GE(length, limit) << kind;
    EXPECT_LT(length, limit + 500) << "whole nodes of 100 entries";
  }
}

// Regression: one account's edits evicted all others', and who had made a film public.
TEST_F(Audit, OauthK7OneAccountEvictsNeitherWhoMayWatchNorTheEditsOfAnother) {
  const media::AccountId noisy{41};
  const media::AccountId quiet{42};
  for (const char* detail : {"media abc name", "media abc description", "media abc chapters"})
    record({.what = oauth::event_named<"media.changed">(), .account = quiet, .detail = detail});
  record({.what = oauth::event_named<"media.access_changed">(),
          .account = noisy,
          .detail = "media abc visibility=public"});
  record({.what = oauth::event_named<"media.access_changed">(),
          .account = quiet,
          .detail = "media abc visibility=public"});
  server_.command({"EVAL",
                   "for i = 1, 120000 do redis.call('XADD', KEYS[1], 'MAXLEN', '~', '10000', '*', "
                   "'what', 'media.changed', 'account', '41') end",
                   "1", "audit:edit:9"});
  record({.what = oauth::event_named<"media.changed">(),
          .account = noisy,
          .detail = "media newest name"});
  std::map<std::string, int> found;
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    ++found[std::string(entry.field("account")) + " " + std::string(entry.field("what"))];
    return go_on();
  };
  store_.run(trail_.from(0, see));
  EXPECT_EQ(found["42 media.changed"], 3);
  EXPECT_EQ(found["42 media.access_changed"], 1);
  EXPECT_EQ(found["41 media.access_changed"], 1);
  EXPECT_LT(found["41 media.changed"], 10'500) << "evicted by itself";
  EXPECT_EQ(server_.command({"XLEN", "audit:edit:9"}).integer(), found["41 media.changed"]);
}

TEST_F(Audit, ReadsOneKindAlsoAsEarlierVersionsWroteIt) {
  add("audit:edit", "1000-0", "former");
  add("audit:edit:3", "2000-0", "third");
  add("audit:edit:15", "3000-0", "last");
  add("audit:access:3", "2500-0", "other");
  EXPECT_EQ(read(100), "former-0 third-0 other-0 last-0 ");
  stores::AuditTrail edits(store_.redis(), "edit");
  std::string all;
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    all += entry.field("what");
    return go_on();
  };
  store_.run(edits.newest(100, std::nullopt, see));
  EXPECT_EQ(all, "formerthirdlast");
}

TEST_F(Audit, ReadsAllStreamsInTheOrderOfTime) {
  add("audit", "1000-0", "old");  // written by an earlier version
  add("audit:grant", "2000-1", "a");
  add("audit:login", "2000-0", "b");
  add("audit:session", "2000-1", "c");
  add("audit:login", "10000-0", "d");
  add("audit:failure", "9000-5", "e");
  EXPECT_EQ(read(100), "old-0 b-0 c-1 a-1 e-5 d-0 ");
  for (const std::string_view newest : {"d-0 ", "e-5 d-0 ", "a-1 e-5 d-0 ", "c-1 a-1 e-5 d-0 "})
    EXPECT_EQ(read(static_cast<std::int64_t>(newest.size()) / 4), newest);
  EXPECT_EQ(read(0), "");
  std::string since;
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    since += entry.field("what");
    return go_on();
  };
  store_.run(trail_.from(9, see));
  EXPECT_EQ(since, "ed");
  store_.run(trail_.mark());
  add("audit:grant", "11000-0", "f");
  add("audit", "10500-0", "g");
  std::string followed;
  for (const stores::AuditEntry& entry : store_.run(trail_.wait_after()))
    followed += entry.field("what");
  EXPECT_EQ(followed, "gf");
  add("audit:grant", "12000-0", "h");
  EXPECT_EQ(store_.run(trail_.wait_after()).size(), 1U) << "nothing twice";
}

TEST_F(Audit, IsReadInBatchesWithoutGaps) {
  server_.command({"EVAL",
                   "for i = 1, 1500 do redis.call('XADD', i % 3 == 0 and 'audit:login' or "
                   "'audit:grant', '7-' .. i, 'what', i) end",
                   "0"});
  std::int64_t next = 501;
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    EXPECT_EQ(entry.field("what"), std::to_string(next++));
    return go_on();
  };
  store_.run(trail_.newest(1000, std::nullopt, see));
  EXPECT_EQ(next, 1501);
}

}  // namespace
}  // namespace svc
