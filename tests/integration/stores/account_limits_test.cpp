// The limits of an account: of 64 writers at the same time exactly as many succeed as have room.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/access/account_tokens.h"
#include "stores/access/client_registry.h"
#include "stores/access/repetitions.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/commit.h"
#include "stores/catalog/project_registry.h"
#include "stores/catalog/uploads.h"

namespace svc {
namespace {

constexpr int kWriters = 64;
constexpr int kPlaces = 5;
constexpr media::AccountId kLimited{7};
constexpr std::int64_t kNow = 1'780'000'000;
const char* const kCreated = "2026-03-01T10:00:00Z";

enum class Written { Yes, Full, No };

media::HashedId id_of(int number) { return *media::HashedId::parse("w" + std::to_string(number)); }

Written written(bool is_full) { return is_full ? Written::Full : Written::Yes; }
Written written(stores::Commit::Outcome outcome) {
  if (outcome == stores::Commit::Outcome::Done) return Written::Yes;
  return outcome == stores::Commit::Outcome::Full ? Written::Full : Written::No;
}

// Each weighs 10 of kPlaces * 10 + 9 bytes.
constexpr std::uint64_t kEach = 10;
constexpr std::uint64_t kWeight = kPlaces * kEach + kEach - 1;

loop::Task<Written> weigh_captions(redis::Store& store, int number) {
  stores::Commit commit(kLimited);
  commit.weigh(stores::Commit::Weight::Captions, id_of(number), kEach);
  commit.limit(stores::Commit::Weight::Captions, kWeight);
  const stores::Commit::Outcome outcome = co_await commit.run(store);
  co_return written(outcome);
}

loop::Task<Written> add_project(redis::Store& store, int number) {
  stores::ProjectRegistry projects(store);
  const media::Project project{.id = *media::ProjectId::parse("p" + std::to_string(number)),
                               .account = kLimited,
                               .name = "Name",
                               .description = "",
                               .created = kCreated,
                               .updated = kCreated};
  const bool is_added = co_await projects.add_project(project, kPlaces);
  co_return written(!is_added);
}

loop::Task<Written> add_application(redis::Store& store, int number) {
  stores::ClientRegistry registry(store);
  oauth::Client client;
  client.id = {"app-" + std::to_string(number)};
  client.account = kLimited;
  client.name = "An app";
  client.redirect_uris = {"https://app.example/cb"};
  client.scopes.add("media:read");
  client.created = kCreated;
  const std::optional<oauth::ApplicationRefusal> refusal = co_await registry.add(client, kPlaces);
  if (refusal && refusal != oauth::ApplicationRefusal::TooManyApplications) co_return Written::No;
  co_return written(refusal.has_value());
}

loop::Task<Written> add_token(redis::Store& store, int number) {
  fakes::ManualWallClock clock;
  base::SystemEntropy entropy;
  const base::KeyRing keys = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  stores::AccountTokens tokens(store, keys, clock);
  const oauth::AccountToken token = oauth::AccountToken::mint({{500 + number}, kLimited}, entropy);
  const oauth::AccountTokenRecord record{
      token.id, "A token", {500 + number}, *oauth::ScopeSet::parse("media:read"), 1, 0, 0};
  const bool is_added = co_await tokens.add(token, record, kPlaces);
  co_return written(!is_added);
}

loop::Task<Written> begin_repetition(redis::Store& store, int number) {
  stores::Repetitions repetitions(store);
  const oauth::Repetitions::Owner owner{oauth::GrantId{"grant"}, kLimited};
  const std::string name = "name" + std::to_string(number);
  const oauth::Repetitions::Begun begun =
      co_await repetitions.begin(owner, name, "body", name, kNow);
  co_return written(begun.state == oauth::Repetitions::State::Full);
}

loop::Task<Written> add_link(redis::Store& store, int number) {
  stores::CatalogRegistry records(store);
  bool is_added = false;
  std::function<bool(media::Media&)> change = [&](media::Media& media) {
    media::WatchLink link{.name = std::to_string(number), .domain = "", .ends = kNow + 1};
    is_added = media::add_link(media, link, 1);
    return is_added;
  };
  const std::optional<media::Media> found =
      co_await records.edit_media(id_of(0), std::move(change));
  co_return found ? written(!is_added) : Written::No;
}

loop::Task<Written> add_site(redis::Store& store, int number) {
  stores::CatalogRegistry records(store);
  bool is_added = false;
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    media::AllowedDomains domains = account.site_rule().domains;
    domains.push_back("new" + std::to_string(number) + ".example");
    is_added = static_cast<bool>(media::canonical_domains(domains));
    if (is_added) account.allowed_domains = std::move(domains);
    return is_added;
  };
  const std::optional<media::Account> found =
      co_await records.edit_account(kLimited, std::move(change));
  co_return found ? written(!is_added) : Written::No;
}

media::UploadPlace place_of(int number, const media::UploadLimits& limits) {
  return {.name = "place" + std::to_string(number), .limits = limits, .now = kNow, .bytes = kEach};
}
loop::Task<Written> take_place(redis::Store& store, int number, media::UploadLimits limits) {
  stores::Uploads uploads(store);
  media::UploadPlace place = place_of(number, limits);
  const std::optional<media::OverLimit> over =
      co_await uploads.take_place(kLimited, std::move(place));
  co_return written(over.has_value());
}
// As an upload whose place has ended.
loop::Task<Written> add_upload(redis::Store& store, int number, media::UploadLimits limits) {
  stores::Uploads uploads(store);
  media::Media media;
  media.id = id_of(number);
  media.account = kLimited;
  media.type = "Video";
  media.name = "Film";
  media.created = media.updated = kCreated;
  std::optional<media::UploadPlace> place = place_of(number, limits);
  media::UploadedFile file{"film.mp4", 0, kEach};
  const std::optional<media::Uploads::NotAdded> refused =
      co_await uploads.add(std::move(media), std::move(file), std::move(place));
  if (refused && !refused->over) co_return Written::No;
  co_return written(refused.has_value());
}
// Under way or there already, by turns.
loop::Task<Written> upload(redis::Store& store, int number, media::UploadLimits limits) {
  return number % 2 == 0 ? take_place(store, number, limits) : add_upload(store, number, limits);
}
loop::Task<Written> upload_of_few(redis::Store& store, int number) {
  return upload(store, number, {.uploads = kPlaces});
}
loop::Task<Written> upload_unfinished(redis::Store& store, int number) {
  return upload(store, number, {.unfinished = kPlaces});
}
loop::Task<Written> upload_bytes(redis::Store& store, int number) {
  return upload(store, number, {.bytes = kWeight});
}

// A connection with a loop of its own.
class LimitedWriter {
 public:
  explicit LimitedWriter(const integration::RedisServer& server) : store_(server) {
    store_.run(store_.redis().ping());
  }
  template <class Write>
  void begin(Write write, int number) {
    written_.reset();
    store_.tasks().spawn(keep(write(store_.redis(), number)));
  }
  void turn() { store_.loop().turn(std::chrono::milliseconds(0)); }
  const std::optional<Written>& outcome() const { return written_; }

 private:
  loop::Task<> keep(loop::Task<Written> task) { written_ = co_await task; }

  integration::Store store_;
  std::optional<Written> written_;
};

class AccountLimits : public testing::Test {
 protected:
  AccountLimits() {
    for (int i = 0; i < kWriters; ++i) writers_.push_back(std::make_unique<LimitedWriter>(server_));
  }

  // Limits that are constants, and cannot be kPlaces.
  void prepare() {
    media::Media media;
    media.id = id_of(0);
    media.account = kLimited;
    media.type = "Video";
    media.name = "Film";
    media.created = media.updated = kCreated;
    for (std::size_t i = kPlaces; i < media::kMaxLinks; ++i) {
      media::WatchLink link{.name = "", .domain = "", .ends = kNow + 1};
      EXPECT_TRUE(media::add_link(media, link, 1));
    }
    server_.command({"SET", "catalog:media:" + media.id.value(), to_record(media)});
    media::Account account;
    account.id = kLimited;
    account.name = "An account";
    account.host = "a.svc.localhost";
    account.url = "https://a.svc.localhost";
    account.allowed_domains.emplace();
    for (std::size_t i = kPlaces; i < media::kMaxDomains; ++i)
      account.allowed_domains->push_back("d" + std::to_string(i) + ".example");
    server_.command({"SET", "catalog:account:7", to_record(account)});
    using Repetitions = oauth::Repetitions;
    constexpr std::size_t kRunning = Repetitions::kNameBytes + Repetitions::kMostKept;
    server_.command({"HSET", "oauth:repetition_bytes:{7}", "all",
                     std::to_string(Repetitions::kMostBytes - kPlaces * kRunning)});
  }

  // Returns how many of the writers wrote.
  template <class Write>
  std::int64_t race(Write write, int first = 0) {
    for (int i = 0; i < kWriters; ++i)
      writers_[static_cast<std::size_t>(i)]->begin(write, first + i);
    const auto has_ended = [](const auto& writer) { return writer->outcome().has_value(); };
    while (!std::ranges::all_of(writers_, has_ended)) {
      for (const auto& writer : writers_) writer->turn();
    }
    for (const auto& writer : writers_) EXPECT_NE(writer->outcome(), Written::No);
    return std::ranges::count_if(
        writers_, [](const auto& writer) { return writer->outcome() == Written::Yes; });
  }

  integration::RedisServer server_;
  std::vector<std::unique_ptr<LimitedWriter>> writers_;
};

TEST_F(AccountLimits, OperationsN83OfManyWritersOnlyThoseThatHaveRoomSucceed) {
  struct Case {
    const char* name;
    loop::Task<Written> (*write)(redis::Store&, int);
  };
  for (const Case& each : {
           Case{"bytes of captions", weigh_captions},
           Case{"projects", add_project},
           Case{"applications", add_application},
           Case{"account tokens", add_token},
           Case{"requests with an Idempotency-Key", begin_repetition},
           Case{"links of a media", add_link},
           Case{"sites", add_site},
           Case{"uploads", upload_of_few},
           Case{"uploads that are unfinished", upload_unfinished},
           Case{"bytes of files", upload_bytes},
       }) {
    SCOPED_TRACE(each.name);
    prepare();
    EXPECT_EQ(race(each.write), kPlaces);
    EXPECT_EQ(race(each.write, kWriters), 0) << "exactly as many were stored";
    server_.command({"FLUSHDB"});
  }
}

// While an account is converted, or its index made again.
TEST_F(AccountLimits, HoldWhileTheNumbersAreNotKept) {
  server_.command({"HSET", "catalog:index:{7}", "format", "building"});
  EXPECT_EQ(race(weigh_captions), kPlaces);
}

// A place is that of one upload, until it is added, is refused, or takes too long.
TEST_F(AccountLimits, OperationsN84AnUploadUnderWayHasAPlace) {
  integration::Store store(server_);
  stores::Uploads uploads(store.redis());
  const media::UploadLimits limits{.uploads = 1, .longest = 100};
  const auto takes = [&](int number, std::int64_t later = 0) {
    media::UploadPlace place = place_of(number, limits);
    place.now += later;
    return !store.run(uploads.take_place(kLimited, place));
  };
  EXPECT_TRUE(takes(1));
  EXPECT_TRUE(takes(1)) << "a repetition";
  EXPECT_FALSE(takes(2));
  EXPECT_EQ(store.run(add_upload(store.redis(), 2, limits)), Written::Full) << "without a place";
  store.run(uploads.free_place(kLimited, place_of(1, limits)));
  EXPECT_TRUE(takes(2));
  EXPECT_FALSE(takes(3, 99));
  EXPECT_TRUE(takes(3, 100)) << "the client has gone";
  EXPECT_EQ(store.run(add_upload(store.redis(), 3, limits)), Written::Yes);
  EXPECT_EQ(server_.command({"HEXISTS", "catalog:index:{7}", "places"}).integer(), 0);
  EXPECT_FALSE(takes(3, 1000)) << "it was added";
}

// Uploads that are finished, failed or deleted are no longer among those that are not.
TEST_F(AccountLimits, OperationsN84AnUploadIsUnfinishedUntilItIsConverted) {
  integration::Store store(server_);
  const media::UploadLimits limits{.unfinished = 1};
  stores::CatalogRegistry records(store.redis());
  stores::Uploads uploads(store.redis());
  int number = 0;
  for (const media::Status status : {media::Status::Ready, media::Status::Failed}) {
    EXPECT_EQ(store.run(add_upload(store.redis(), ++number, limits)), Written::Yes);
    EXPECT_EQ(store.run(add_upload(store.redis(), 9, limits)), Written::Full);
    for (const media::Status next : {media::Status::Processing, status}) {
      EXPECT_EQ(store.run(take_place(store.redis(), 9, limits)), Written::Full);
      store.run(records.change_media(id_of(number), [&](media::Media& media) {
        media.status = next;
        return true;
      }));
    }
  }
  EXPECT_EQ(store.run(add_upload(store.redis(), ++number, limits)), Written::Yes);
  store.run(uploads.remove(id_of(number), kLimited));
  EXPECT_EQ(store.run(take_place(store.redis(), 9, limits)), Written::Yes);
}

// An import may have media that another service converts.
TEST_F(AccountLimits, OperationsN84ImportedMediaAreNotUnfinishedUploads) {
  integration::Store store(server_);
  media::Media media;
  media.id = id_of(1);
  media.account = kLimited;
  media.type = "Video";
  media.name = "Film";
  media.status = media::Status::Queued;
  media.created = media.updated = kCreated;
  stores::Commit commit(kLimited);
  commit.change("catalog:media:" + media.id.value(), "", to_record(media));
  commit.note({stores::Indexed::Media, media.id.value()}, std::nullopt,
              stores::indexed_fields(media));
  EXPECT_EQ(store.run(commit.run(store.redis())), stores::Commit::Outcome::Done);
  const media::UploadLimits limits{.unfinished = 1};
  EXPECT_EQ(store.run(add_upload(store.redis(), 2, limits)), Written::Yes);
  server_.command({"HDEL", "catalog:index:{7}", "unfinished", "numbers"});
  EXPECT_EQ(store.run(take_place(store.redis(), 3, {.unfinished = 2})), Written::Yes);
  stores::CatalogIndex index(store.redis());
  EXPECT_EQ(store.run(index.disagreement(kLimited)), "");
}

// Of an index that did not have the number yet.
TEST_F(AccountLimits, OperationsN84UnfinishedUploadsAreCountedOnce) {
  integration::Store store(server_);
  const media::UploadLimits limits{.unfinished = 2};
  EXPECT_EQ(store.run(add_upload(store.redis(), 1, limits)), Written::Yes);
  EXPECT_EQ(store.run(add_upload(store.redis(), 2, limits)), Written::Yes);
  server_.command({"HDEL", "catalog:index:{7}", "unfinished", "numbers"});
  EXPECT_EQ(store.run(take_place(store.redis(), 3, limits)), Written::Full);
  stores::CatalogIndex index(store.redis());
  EXPECT_EQ(store.run(index.disagreement(kLimited)), "");
  server_.command({"HSET", "catalog:index:{7}", "unfinished", "1"});
  EXPECT_EQ(store.run(index.disagreement(kLimited)), "the number of unfinished");
}

TEST_F(AccountLimits, RefuseOnlyWhatGrows) {
  server_.command({"ZADD", "catalog:captioned:7", "1000", "w1"});
  server_.command({"HSET", "catalog:index:{7}", "format", "1", "captions", "1000"});
  integration::Store store(server_);
  stores::Commit more(kLimited);
  more.weigh(stores::Commit::Weight::Captions, id_of(1), 1001);
  more.limit(stores::Commit::Weight::Captions, 10);
  EXPECT_EQ(store.run(more.run(store.redis())), stores::Commit::Outcome::Full);
  EXPECT_EQ(more.full().field, "captions");
  EXPECT_EQ(more.full().has, 1000);
  stores::Commit less(kLimited);
  less.weigh(stores::Commit::Weight::Captions, id_of(1), 999);
  less.limit(stores::Commit::Weight::Captions, 10);
  EXPECT_EQ(store.run(less.run(store.redis())), stores::Commit::Outcome::Done);
  EXPECT_EQ(server_.text({"HGET", "catalog:index:{7}", "captions"}), "999");
}

}  // namespace
}  // namespace svc
