#include "oauth/audit_event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace svc::oauth {
namespace {

TEST(AuditEvents, EachHasAKind) {
  std::set<std::string_view> names;
  for (const AuditEventKind& event : audit_events()) {
    EXPECT_TRUE(names.insert(event.what).second) << event.what;
    EXPECT_TRUE(std::ranges::any_of(kAuditKinds, [&](const AuditKind& kind) {
      return kind.name == event.kind;
    })) << event.what;
  }
  EXPECT_EQ(std::string_view(event_named<"revoked">()), "revoked");
  EXPECT_EQ(event_named<"revoked">().kind().name, "grant");
}

// An upload that is aborted costs its client nothing.
TEST(AuditEvents, UploadsEvictNoDeletions) {
  for (const AuditEventKind& event : audit_events())
    EXPECT_EQ(event.kind == "upload", event.what == "upload.permitted") << event.what;
}

// Events that a client or a logged-in user can cause without limit, or that an
// import records.
TEST(AuditEvents, FrequentAndRareEventsHaveDifferentKinds) {
  std::set<std::string_view> often{"login",           "password.given",   "login.failed",
                                   "session.ended",   "denied",           "tokens.revoked",
                                   "secret.shown",    "password.reset",   "secret.reset",
                                   "client.restored", "client.changed",   "second_factor.reset",
                                   "upload.retried",  "upload.permitted", "media.removed"};
  for (const AuditEventKind& event : audit_events()) {
    if (event.kind == "edit" || event.kind == "access") often.insert(event.what);
  }
  for (const AuditEventKind& one : audit_events()) {
    for (const AuditEventKind& other : audit_events()) {
      if (one.kind != other.kind) continue;
      EXPECT_EQ(often.contains(one.what), often.contains(other.what)) << one.what << other.what;
    }
  }
}

// Regression: edits evicted who had made a film public.
TEST(AuditEvents, EditsEvictNoChangesOfWhoMayWatch) {
  const std::set<std::string_view> access{"media.access_changed", "sites.changed", "links.ended"};
  for (const AuditEventKind& event : audit_events())
    EXPECT_EQ(event.kind == "access", access.contains(event.what)) << event.what;
}

}  // namespace
}  // namespace svc::oauth
