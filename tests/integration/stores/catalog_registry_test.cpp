#include "stores/catalog/catalog_registry.h"

#include <gtest/gtest.h>

#include <string>

#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/record_scan.h"

namespace svc {
namespace {

class CatalogRegistry : public testing::Test {
 protected:
  void set(const std::string& key, const std::string& value) {
    server_.command({"SET", key, value});
  }
  static std::string contact(const std::string& name, const std::string& more = "") {
    return R"({"id":7,"name":")" + name + R"(","email":"N@Example.com","memberships":[])" + more +
           "}";
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::CatalogRegistry registry_{store_.redis()};
};

TEST_F(CatalogRegistry, RetriesIfAnotherWriterChangesTheRecord) {
  set("catalog:contact:7", contact("First"));
  int calls = 0;
  const auto changed = store_.run(registry_.change_contact({7}, [&](media::Contact& one) {
    if (++calls == 1) set("catalog:contact:7", contact("Second"));
    one.disabled = true;
  }));
  ASSERT_TRUE(changed);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(changed->before.name, "Second");
  EXPECT_TRUE(changed->after.disabled);
  EXPECT_EQ(server_.text({"GET", "catalog:contact:7"}), contact("Second", R"(,"disabled":true)"));
}

TEST_F(CatalogRegistry, ChangesOnlyRecordsThatExist) {
  EXPECT_FALSE(store_.run(registry_.change_contact({7}, [](media::Contact&) {})));
  EXPECT_FALSE(store_.run(registry_.change_account({7}, [](media::Account&) {})));
  set("catalog:contact:7", "{");
  EXPECT_THROW(store_.run(registry_.change_contact({7}, [](media::Contact&) {})), base::Unreadable);
  EXPECT_EQ(server_.text({"GET", "catalog:contact:7"}), "{");
}

// svc-ingest may not run scripts, so nothing is compared in the store.
TEST_F(CatalogRegistry, AMediaKeepsTheSimultaneousChangeOfAnotherWriter) {
  const auto id = *media::HashedId::parse("a");
  media::Media first;
  first.id = id;
  first.account = {1};
  first.type = "Video";
  first.name = "first";
  first.created = first.updated = "2026-03-01T10:00:00Z";
  media::Media second = first;
  second.name = "second";
  struct Case {
    std::string name;
    bool changes_first;
    bool changes_second;
    std::string failure;  // in the end
  };
  for (const Case& c :
       {Case{"both", true, true, "changed"}, Case{"only the first", true, false, ""},
        Case{"only the second", false, true, ""}}) {
    SCOPED_TRACE(c.name);
    set("catalog:media:a", to_record(first));
    int calls = 0;
    const auto changed = store_.run(registry_.change_media(id, [&](media::Media& media) {
      if (++calls == 1) set("catalog:media:a", to_record(second));
      media.failure = "changed";
      return media.name == "first" ? c.changes_first : c.changes_second;
    }));
    media::Media expected = second;
    expected.failure = c.failure;
    EXPECT_EQ(server_.text({"GET", "catalog:media:a"}), to_record(expected));
    EXPECT_EQ(changed.has_value(), c.changes_first && c.changes_second);
  }
  // Another writer deletes the media during the change: it does not come back.
  EXPECT_FALSE(store_.run(registry_.change_media(id, [&](media::Media& media) {
    server_.command({"DEL", "catalog:media:a"});
    media.name = "third";
    return true;
  })));
  EXPECT_EQ(server_.text({"GET", "catalog:media:a"}), "(nil)");
}

}  // namespace
}  // namespace svc
