#include "ingest/jobs/file_jobs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "fakes/waiting.h"
#include "ingest/sniff.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "keeper/guard_jobs.h"
#include "library/caption_service.h"
#include "library/media_service.h"
#include "library/site_service.h"
#include "library/swap_service.h"
#include "media/guard.h"
#include "stores/audit.h"
#include "stores/catalog/caption_texts.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/people.h"
#include "stores/catalog/uploads.h"

namespace svc::ingest::file_jobs {
namespace {

namespace fs = std::filesystem;
using library::SwapService;
using Turn = media::Guarded::Turn;

constexpr media::AccountId kOwner{7};
constexpr std::int64_t kNever = -1;
constexpr int kKilled = 9;
constexpr int kBroken = 3;
const char* const kCaptionText = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nA\n";

media::HashedId id_of(const std::string& id) { return *media::HashedId::parse(id); }

// Ends the process, as kill -9 does, after that many replies of Redis.
class Killer : public redis::TripObserver {
 public:
  explicit Killer(std::int64_t replies) : left_(replies) {}
  void answered(base::Duration) override {
    if (--left_ == 0) _exit(kKilled);
    on_reply();
  }
  void failed() override {}
  std::function<void()> on_reply = [] {};

 private:
  std::int64_t left_;
};

// The services of a process that changes media, and svc-ingest. The clocks of svc-ingest do not
// wait.
class Service {
 public:
  // `steps`: of svc-ingest, after which the process ends.
  Service(const integration::RedisServer& server, const Folders& folders,
          std::int64_t replies = kNever, std::int64_t steps = kNever)
      : killer_(replies),
        steps_(steps),
        folders_(folders),
        store_(observed(server)),
        ingest_(observed(server), loop_) {}

  // Returns false if it was refused.
  bool swap(const std::string& id, const std::string& other) {
    return bool(store_.run(swaps_.swap(id_of(id), other, {}, actor_)));
  }
  void set_poster(const std::string& id, const std::string& image) {
    library::MediaEdit edit;
    const auto picture = store_.run(medias_.picture_of(image, actor_));
    if (!picture) return;
    edit.poster = library::NewPoster{.picture = *picture};
    must(bool(store_.run(medias_.edit(id_of(id), edit, {}, actor_))));
  }
  void set_own_poster(const std::string& id) {
    library::MediaEdit edit;
    edit.poster.emplace();
    must(bool(store_.run(medias_.edit(id_of(id), edit, {}, actor_))));
  }
  // A picture of the video at that time, in ms, becomes the poster.
  void set_moment(const std::string& id, std::int64_t at) {
    library::MediaEdit edit;
    edit.poster = library::NewPoster{.at = at};
    must(bool(store_.run(medias_.edit(id_of(id), edit, {}, actor_))));
  }
  // An empty list: everywhere; nullopt: as its account.
  // These return false if it was refused.
  bool try_sites(const std::string& id, const std::optional<media::AllowedDomains>& domains) {
    library::MediaEdit edit;
    edit.allowed_domains = domains;
    return bool(store_.run(medias_.edit(id_of(id), edit, {}, actor_)));
  }
  bool try_sites_of_account(const media::AllowedDomains& domains) {
    const media::SiteRule before{store_.run(sites_.list(actor_))};
    const auto replaced = store_.run(sites_.replace(before, {domains}, actor_));
    return replaced && *replaced;
  }
  std::string why_not(const std::string& id, const library::MediaEdit& edit) {
    const auto refused = store_.run(medias_.why_not(*media(id), edit));
    return refused ? refused->why : "";
  }
  void set_sites(const std::string& id, const std::optional<media::AllowedDomains>& domains) {
    must(try_sites(id, domains));
  }
  // Returns false if it was refused.
  bool set_visibility(const std::string& id, media::Visibility visibility) {
    library::MediaEdit edit;
    edit.visibility = visibility;
    return bool(store_.run(medias_.edit(id_of(id), edit, {}, actor_)));
  }
  void set_sites_of_account(const media::AllowedDomains& domains) {
    must(try_sites_of_account(domains));
  }
  // As a writer does before and after it writes a record.
  void announce(const media::Media& media) {
    store_.run(uploads_.announce_guard({{media.account, media.id}}));
  }
  void guard(const media::Guarded& job) { store_.run(uploads_.guard({job})); }
  void end_links(const std::string& id) {
    must(bool(store_.run(medias_.end_links(id_of(id), actor_))));
  }
  void remove(const std::string& id) { store_.run(uploads_.remove(id_of(id), kOwner)); }
  std::optional<media::Media> media(const std::string& id) {
    media::Reads reads;
    return store_.run(catalog_.find_media(id_of(id), media::Detail::All, reads));
  }
  // Returns false if it was refused.
  bool try_captions(const std::string& id, const std::string& language) {
    const auto parsed = captions::Language::parse(language);
    return bool(store_.run(captions_.add(id_of(id), *parsed, kCaptionText, actor_)));
  }
  void add_captions(const std::string& id) { must(try_captions(id, "de")); }
  std::size_t captions_of(const std::string& id) {
    return store_.run(texts_of(store_.redis(), "catalog:captions:" + id));
  }
  static loop::Task<std::size_t> texts_of(redis::Store& store, std::string key) {
    redis::Store::Call call = store.read({"HLEN", key});
    const redis::Reply reply = co_await call;
    co_return static_cast<std::size_t>(reply.integer());
  }
  std::int64_t bytes() { return store_.run(uploads_.bytes(kOwner)); }
  // As an upload whose files have been made.
  void put(const media::Media& media) {
    store_.run(uploads_.add(media, {"film.mp4", 0, 9}, {}));
    store_.run(registry_.edit_media(media.id, [&](media::Media& record) {
      record = media;
      return true;
    }));
  }

  // Whose files are in the folder; "": no media's.
  std::string owner_of(const std::string& folder) {
    const auto owner = store_.run(registry_.owner_of_files(id_of(folder)));
    return owner ? owner->id.value() : "";
  }

  // Does all that need not wait for `seconds`.
  void run_files_jobs(std::int64_t seconds = 0) {
    wall_.advance(std::time(nullptr) + seconds - wall_.now());
    for (int i = 0; i < 4; ++i) {
      files_jobs_.run();
      guard_wall_.advance(std::time(nullptr) + 61 * i - guard_wall_.now());
      mark_folders();
      clock_.advance(std::chrono::seconds(61));
    }
    guard_wall_.advance(std::time(nullptr) - guard_wall_.now());
  }
  std::size_t jobs_left() {
    return store_.run(stores::IngestQueue(store_.redis(), "x").files_jobs(100)).size() +
           guards_left();
  }
  std::size_t guards_left() {
    return store_.run(stores::GuardQueue(store_.redis()).waiting(10'000)).size();
  }
  // Once, without time that passes. Returns true if there is more to do.
  bool look_at_files_jobs() {
    const bool has_more = files_jobs_.run();
    mark_folders();
    return has_more;
  }
  bool take(const media::Guarded& job) { return store_.run(queue_of_guards_.take(job)); }
  void end(const media::Guarded& job) { store_.run(queue_of_guards_.end(job)); }
  // As the process does that marks folders.
  void run_guards() { store_.run(queue_of_guards_.run()); }
  // Called after each reply of Redis.
  void on_reply(std::function<void()> call) { killer_.on_reply = std::move(call); }
  void begin_guards() { guard_jobs_.begin(); }
  bool take_turn() { return guard_jobs_.run_one(); }

 private:
  void mark_folders() {
    while (guard_jobs_.run_one()) {
    }
  }
  static void must(bool is_so) {
    if (!is_so) throw std::runtime_error("a step of the test was refused");
  }
  redis::ConnectionSettings observed(const integration::RedisServer& server) {
    redis::ConnectionSettings settings = server.settings();
    settings.observer = &killer_;
    return settings;
  }

  class MachineTime : public base::WallClock {
   public:
    std::int64_t now() const override { return std::time(nullptr); }
  };

  void step() {
    if (--steps_ == 0) _exit(kKilled);
  }

  Killer killer_;
  std::int64_t steps_;
  const Folders folders_;
  base::SystemEntropy entropy_;
  MachineTime machine_time_;
  integration::Store store_;
  stores::Catalog catalog_{store_.redis()};
  stores::CatalogRegistry registry_{store_.redis()};
  stores::Uploads uploads_{store_.redis()};
  stores::GuardQueue queue_of_guards_{store_.redis()};
  stores::CaptionTexts texts_{store_.redis()};
  stores::Audit audit_{store_.redis()};
  library::CaptionService captions_{catalog_, texts_, audit_, entropy_, machine_time_, {}};
  stores::People people_{store_.redis()};
  stores::CatalogIndex listings_{store_.redis()};
  library::MediaService medias_{catalog_, registry_, uploads_, people_, audit_, machine_time_};
  library::SiteService sites_{people_, listings_, registry_, uploads_, audit_};
  SwapService swaps_{catalog_, uploads_, people_, audit_, machine_time_};
  const library::Actor actor_{.account = kOwner};

  fakes::ManualClock clock_;
  fakes::ManualWallClock wall_;
  loop::Loop loop_{clock_};
  redis::Store ingest_;
  stores::CatalogRegistry ingest_registry_{ingest_};
  stores::IngestQueue queue_{ingest_, "test"};
  keeper::Guards guards_{ingest_registry_, loop_, folders_.media, [this] { step(); }};
  FileJobs files_jobs_{queue_,
                       ingest_registry_,
                       ingest_,
                       guards_,
                       loop_,
                       folders_,
                       folders_.media + "/.work/test",
                       {},
                       wall_,
                       [this] { step(); }};
  fakes::ManualWallClock guard_wall_;
  keeper::GuardJobs guard_jobs_{ingest_,
                                loop_,
                                folders_.media,
                                guard_wall_,
                                {[] { return false; }, [this] { step(); }, [](base::Duration) {}}};
};

using Body = std::function<void(Service&)>;

class FilesOfMedia : public testing::Test {
 protected:
  // Two films and a picture, with their files.
  void reset() {
    server_.command({"FLUSHALL"});
    fs::remove_all(folders_.media);
    fs::create_directories(folders_.media);
    fs::create_directories(folders_.uploads);
    Service service(server_, folders_);
    set_rule({});
    for (const std::string id : {"one", "two"}) {
      media::Media film = media_of(id, "Video");
      media::Asset asset;
      asset.url = file(id, "1/index.m3u8");
      asset.bandwidth = 1000;
      film.assets = {asset};
      film.storyboard = file(id, "storyboard.vtt");
      film.thumbnail = media::Thumbnail{file(id, "poster.jpg"), media::Dimensions{16, 9}};
      film.captions = {{file(id, "captions-0.vtt"), "en", "English"}};
      file(id, "storyboard.jpg");
      service.put(film);
    }
    media::Media image = media_of("picture", "Image");
    image.thumbnail = media::Thumbnail{file("picture", "original.png"), media::Dimensions{8, 6}};
    service.put(image);
  }
  static media::Media media_of(const std::string& id, const std::string& type) {
    media::Media media;
    media.id = id_of(id);
    media.account = kOwner;
    media.type = type;
    media.name = id;
    media.status = media::Status::Ready;
    media.created = media.updated = "2026-03-01T10:00:00Z";
    return media;
  }
  // Writes it, and returns its URL.
  std::string file(const std::string& id, const std::string& name) {
    const fs::path path = fs::path(folders_.media) / id / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << id << " " << name;
    return media::url_of_file(id_of(id), name);
  }
  void set_rule(const media::SiteRule& rule) {
    media::Account owner{
        .id = kOwner, .name = "Owner", .host = "owner.example", .url = "https://owner.example"};
    owner.allowed_domains = rule.domains;
    server_.command({"SET", "catalog:account:7", to_record(owner)});
  }
  bool has_folder(const std::string& id) const { return fs::exists(folders_.media + "/" + id); }
  std::string content_at(const std::string& url) const {
    const auto own = media::own_file(url);
    std::ifstream file(folders_.media + "/" + own->folder.value() + "/" + own->name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Runs it in a process that dies after that many replies. Returns false if it died before its
  // end.
  bool dies_after(std::int64_t replies, const Body& body, std::int64_t steps = kNever) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        Service service(server_, folders_, replies, steps);
        body(service);
        _exit(0);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(kBroken);
      }
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != kBroken) << status;
    return WEXITSTATUS(status) == 0;
  }
  // Every file that a record names exists.
  void expect_files(Service& service) {
    for (const std::string id : {"one", "two", "picture"}) {
      const auto media = service.media(id);
      if (!media) continue;
      for (const std::string_view url : media::urls_of(*media)) {
        if (!media::own_file(url)) continue;
        EXPECT_NE(content_at(std::string(url)), "") << id << " " << url;
      }
    }
  }
  static bool is_of_two(const std::optional<media::Media>& media) {
    return media->assets.front().url.starts_with("/files/two/");
  }
  // A record has the files of one media, never some of each.
  static void expect_whole(const std::optional<media::Media>& media) {
    ASSERT_TRUE(media);
    const std::string folder = is_of_two(media) ? "/files/two/" : "/files/one/";
    EXPECT_TRUE(media->storyboard.starts_with(folder)) << media->storyboard;
    EXPECT_TRUE(media::own_poster(*media)->url.starts_with(folder));
    EXPECT_EQ(media->captions.front().url, "/files/one/captions-0.vtt") << "its own stay";
  }
  void put_three(Service& service) {
    media::Media three = media_of("three", "Video");
    three.assets = service.media("one")->assets;
    three.assets.front().url = file("three", "1/index.m3u8");
    service.put(three);
  }
  // No file is of two media.
  void expect_owners(Service& service) {
    for (const std::string id : {"one", "two", "three", "picture"}) {
      const auto media = service.media(id);
      if (!media) continue;
      for (const std::string_view url : media::urls_of(*media)) {
        const auto own = media::own_file(url);
        if (own) {
          EXPECT_EQ(service.owner_of(own->folder.value()), id) << url;
        }
      }
    }
  }
  // Lets a process swap "one" with "two" and die after each number of replies in turn, until a
  // process completes. `then` looks at the records and files after each.
  void after_each_death_of_a_swap(const Body& then) {
    bool is_done = false;
    for (int replies = 1; !is_done && !HasFatalFailure(); ++replies) {
      SCOPED_TRACE(replies);
      reset();
      is_done = dies_after(replies, [](Service& service) { service.swap("one", "two"); });
      Service service(server_, folders_);
      then(service);
    }
  }
  static constexpr std::int64_t kLater = SwapService::kFormerKept + 3600;

  fakes::TemporaryDirectory directory_;
  const Folders folders_{directory_.path("uploads"), directory_.path("media")};
  integration::RedisServer server_;
};

TEST_F(FilesOfMedia, OperationsD58ASwapThatDiesAfterAnyReplyHasHappenedOrNot) {
  after_each_death_of_a_swap([&](Service& service) {
    const bool is_swapped = is_of_two(service.media("one"));
    expect_whole(service.media("one"));
    EXPECT_EQ(service.media("two").has_value(), !is_swapped);
    EXPECT_EQ(service.owner_of("two"), is_swapped ? "one" : "two");
    EXPECT_EQ(service.jobs_left(), is_swapped ? 1U : 0U);
    EXPECT_EQ(server_.text({"HGET", "catalog:index:{7}", "medias"}), is_swapped ? "2" : "3");
    expect_files(service);
    service.run_files_jobs();
    service.run_files_jobs(kLater);
    expect_whole(service.media("one"));
    expect_files(service);
    EXPECT_EQ(fs::exists(folders_.media + "/one/1"), !is_swapped);
    EXPECT_TRUE(has_folder("two"));
  });
}

TEST_F(FilesOfMedia, ASwapThatDiesAfterAnyReplyIsDoneByTheSameRequest) {
  after_each_death_of_a_swap([&](Service& service) {
    ASSERT_TRUE(service.swap("one", "two"));
    ASSERT_TRUE(is_of_two(service.media("one")));
    EXPECT_FALSE(service.media("two"));
    service.run_files_jobs();
    EXPECT_TRUE(has_folder("one")) << "players may still play it";
    service.run_files_jobs(kLater);
    expect_files(service);
    EXPECT_FALSE(fs::exists(folders_.media + "/one/1")) << "the former film";
    EXPECT_EQ(service.jobs_left(), 0U);
  });
}

// Another process makes its change after any reply to the swap.
TEST_F(FilesOfMedia, OperationsD58ASwapIsBeforeOrAfterAnyOtherChange) {
  struct Row {
    std::string name;
    Body change;
    std::function<bool(Service&)> is_made;  // whatever the swap did
  };
  const auto is_private = [](Service& service, const std::string& id) {
    const auto media = service.media(id);
    return !media || media->is_private();
  };
  const auto is_gone = [](Service& service, const std::string& id) { return !service.media(id); };
  for (const Row& row : std::vector<Row>{
           {"deletion", [](Service& s) { s.remove("one"); },
            [&](Service& s) { return is_gone(s, "one"); }},
           {"deletion of the other", [](Service& s) { s.remove("two"); },
            [&](Service& s) { return is_gone(s, "two"); }},
           {"edit", [](Service& s) { s.set_visibility("one", media::Visibility::Private); },
            [&](Service& s) { return is_private(s, "one"); }},
           {"edit of the other",
            [](Service& s) { s.set_visibility("two", media::Visibility::Private); },
            [&](Service& s) { return is_private(s, "two"); }},
           {"the same swap", [](Service& s) { s.swap("one", "two"); },
            [&](Service& s) { return is_gone(s, "two"); }},
           {"the reverse", [](Service& s) { s.swap("two", "one"); },
            [&](Service& s) { return is_gone(s, "one") != is_gone(s, "two"); }},
           {"of the other", [](Service& s) { s.swap("three", "two"); },
            [&](Service& s) { return is_gone(s, "two"); }},
           {"into the other", [](Service& s) { s.swap("two", "three"); },
            [&](Service& s) { return is_gone(s, "two") || is_gone(s, "three"); }}}) {
    bool is_over = false;
    for (int at = 1; !is_over; ++at) {
      SCOPED_TRACE(row.name + " " + std::to_string(at));
      reset();
      Service service(server_, folders_);
      put_three(service);
      Service other(server_, folders_);
      int replies = 0;
      service.on_reply([&] {
        if (++replies == at) row.change(other);
      });
      service.swap("one", "two");  // or it is refused
      is_over = replies < at;
      service.on_reply([] {});
      if (is_over) row.change(other);
      EXPECT_TRUE(row.is_made(other));
      expect_owners(other);
      expect_files(other);
      other.run_files_jobs();
      other.run_files_jobs(kLater);
      expect_owners(other);
      expect_files(other);
      EXPECT_EQ(other.jobs_left(), 0U);
      for (const std::string folder : {"one", "two", "three"}) {
        EXPECT_TRUE(!has_folder(folder) || !other.owner_of(folder).empty()) << folder;
      }
    }
  }
}

// It marked the records and changed them in steps, and may have ended after any of them.
TEST_F(FilesOfMedia, ASwapThatTheVersionBeforeBeganEndsInOneOfTheTwoStates) {
  for (const bool by_request : {false, true}) {
    for (int steps = 1; steps <= 4; ++steps) {
      SCOPED_TRACE(std::to_string(steps) + (by_request ? " by a request" : ""));
      reset();
      Service service(server_, folders_);
      const std::string until = std::to_string(std::time(nullptr) + SwapService::kFormerKept);
      server_.command({"SET", "catalog:files:two", "one"});
      server_.command({"XADD", "ingest:deletions", "*", "job", "swap-files", "media", "one",
                       "account", "7", "folders", "one", "taken", "two", "until", until});
      if (steps > 1) {
        std::string marked = server_.text({"GET", "catalog:media:two"});
        marked.insert(marked.size() - 1, R"(,"swapped_into":{"media":"one","since":1780000000})");
        server_.command({"SET", "catalog:media:two", marked});
      }
      if (steps > 2) {
        media::Media one = *service.media("one");
        const media::Media two = *service.media("two");
        one.assets = two.assets;
        one.storyboard = two.storyboard;
        one.thumbnail = two.thumbnail;
        one.folders = {two.id};
        service.put(one);
      }
      if (by_request) {
        ASSERT_TRUE(service.swap("one", "two"));
      }
      if (steps > 3) service.remove("two");
      const bool is_swapped = by_request || steps > 2;
      service.run_files_jobs();
      expect_whole(service.media("one"));
      EXPECT_EQ(is_of_two(service.media("one")), is_swapped);
      EXPECT_EQ(service.media("two").has_value(), !is_swapped);
      expect_owners(service);
      service.run_files_jobs(kLater);
      expect_whole(service.media("one"));
      expect_owners(service);
      expect_files(service);
      EXPECT_EQ(fs::exists(folders_.media + "/one/1"), !is_swapped);
      EXPECT_EQ(service.jobs_left(), 0U);
    }
  }
}

TEST_F(FilesOfMedia, SvcIngestMayDieAfterAnyReplyToo) {
  bool is_swap_done = false;
  for (int replies = 1; !is_swap_done; ++replies) {
    bool is_done = false;
    for (int in_jobs = 1; !is_done; in_jobs += 2) {
      SCOPED_TRACE(std::to_string(replies) + " " + std::to_string(in_jobs));
      reset();
      is_swap_done = dies_after(replies, [](Service& service) { service.swap("one", "two"); });
      is_done = dies_after(in_jobs, [](Service& service) {
        service.run_files_jobs();
        service.run_files_jobs(kLater);
      });
      Service service(server_, folders_);
      expect_whole(service.media("one"));
      expect_files(service);
      service.run_files_jobs(kLater);
      expect_files(service);
      const bool is_swapped = is_of_two(service.media("one"));
      EXPECT_EQ(service.media("two").has_value(), !is_swapped);
      EXPECT_EQ(service.jobs_left(), 0U);
    }
  }
}

TEST_F(FilesOfMedia, ADeletionAfterSwapsDeletesAllFolders) {
  reset();
  Service service(server_, folders_);
  ASSERT_TRUE(service.swap("one", "two"));
  service.run_files_jobs(kLater);
  EXPECT_TRUE(has_folder("one")) << "its captions";
  EXPECT_GT(service.bytes(), 0);
  service.remove("one");
  service.run_files_jobs();
  EXPECT_FALSE(has_folder("one"));
  EXPECT_FALSE(has_folder("two"));
  EXPECT_EQ(server_.command({"EXISTS", "catalog:files:two"}).integer(), 0);
  service.remove("picture");
  EXPECT_EQ(service.bytes(), 0);
}

// The files of "three" are those of "two" after the first swap, then those of "one".
TEST_F(FilesOfMedia, FilesMayBeGivenOnSeveralTimes) {
  reset();
  Service service(server_, folders_);
  put_three(service);
  ASSERT_TRUE(service.swap("one", "two"));
  ASSERT_TRUE(service.swap("three", "one"));
  EXPECT_FALSE(service.media("one"));
  EXPECT_EQ(content_at(service.media("three")->assets.front().url), "two 1/index.m3u8");
  service.run_files_jobs(kLater);
  EXPECT_EQ(content_at(service.media("three")->assets.front().url), "two 1/index.m3u8");
  EXPECT_EQ(content_at(service.media("three")->captions.front().url), "one captions-0.vtt");
  EXPECT_FALSE(has_folder("three"));
  EXPECT_FALSE(fs::exists(folders_.media + "/one/1"));
  service.remove("three");
  service.run_files_jobs();
  for (const char* const folder : {"one", "two", "three"}) EXPECT_FALSE(has_folder(folder));
}

// A deletion of the other media begins after any reply to the swap.
TEST_F(FilesOfMedia, ADeletionOfTheOtherAtTheSameTimeTakesNoFilesAway) {
  after_each_death_of_a_swap([&](Service& service) {
    service.remove("two");
    service.swap("one", "two");  // refused, or completed
    service.run_files_jobs(kLater);
    expect_whole(service.media("one"));
    expect_files(service);
    EXPECT_FALSE(service.media("two"));
    EXPECT_EQ(has_folder("two"), is_of_two(service.media("one")));
  });
}

TEST_F(FilesOfMedia, TextsOfCaptionsAreCopiedAndThoseOfTheOtherEnd) {
  reset();
  Service service(server_, folders_);
  service.put(media_of("quiet", "Video"));
  service.add_captions("two");
  ASSERT_EQ(service.captions_of("two"), 1U);
  ASSERT_TRUE(service.swap("quiet", "two"));
  EXPECT_EQ(service.captions_of("quiet"), 1U);
  EXPECT_EQ(service.captions_of("two"), 0U);
  EXPECT_EQ(service.media("quiet")->captions.size(), 2U);
}

// Another process adds them after any reply to the swap.
TEST_F(FilesOfMedia, ASwapTakesCaptionsThatTheOtherGetsMeanwhile) {
  bool is_over = false;
  std::set<bool> seen;
  for (int at = 1; !is_over; ++at) {
    SCOPED_TRACE(at);
    reset();
    Service service(server_, folders_);
    Service other(server_, folders_);
    service.put(media_of("quiet", "Video"));
    service.add_captions("two");
    int replies = 0;
    bool is_added = false;
    service.on_reply([&] {
      if (++replies == at) is_added = other.try_captions("two", "fr");
    });
    ASSERT_TRUE(service.swap("quiet", "two"));
    is_over = replies < at;
    seen.insert(is_added);
    EXPECT_EQ(service.media("quiet")->captions.size(), is_added ? 3U : 2U);
    EXPECT_EQ(service.captions_of("quiet"), is_added ? 2U : 1U);
  }
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(FilesOfMedia, APosterIsCopiedIntoTheFolderOfItsMedia) {
  reset();
  Service service(server_, folders_);
  service.set_poster("one", "picture");
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/picture/original.png") << "at once";
  service.look_at_files_jobs();
  const std::string copy = service.media("one")->thumbnail->url;
  EXPECT_TRUE(copy.starts_with("/files/one/still-") && copy.ends_with(".png")) << copy;
  service.remove("picture");
  service.run_files_jobs();
  EXPECT_FALSE(has_folder("picture"));
  EXPECT_EQ(content_at(copy), "picture original.png");
  expect_files(service);

  service.set_own_poster("one");
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/one/poster.jpg");
  service.run_files_jobs();
  EXPECT_EQ(content_at(copy), "") << "no record shows it";
  expect_files(service);
  EXPECT_EQ(service.jobs_left(), 0U);
  service.remove("one");
  service.run_files_jobs();
  EXPECT_FALSE(has_folder("one"));
}

// A photograph of several megabytes was sent whole to each viewer.
TEST_F(FilesOfMedia, AnImageBecomesAJpegOfTheSizeOfAPoster) {
  struct Row {
    std::string ending, drawn;
    media::Dimensions size;
  };
  for (const Row& row : std::vector<Row>{{"png", "4000x3000", {1920, 1440}},
                                         {"jpg", "3000x4000", {1440, 1920}},
                                         {"webp", "640x360", {640, 360}},
                                         {"gif", "8x6", {8, 6}}}) {
    SCOPED_TRACE(row.ending);
    reset();
    Service service(server_, folders_);
    const std::string name = "original." + row.ending;
    const std::string image = folders_.media + "/picture/" + name;
    const std::string draw = "ffmpeg -v error -y -f lavfi -i testsrc2=s=" + row.drawn +
                             " -frames:v 1 -update 1 " + image;
    ASSERT_EQ(std::system(draw.c_str()), 0);  // NOLINT(cert-env33-c): of our own making
    media::Media picture = *service.media("picture");
    picture.thumbnail->url = media::url_of_file(id_of("picture"), name);
    service.put(picture);
    service.set_poster("one", "picture");
    service.look_at_files_jobs();
    const media::Thumbnail poster = *service.media("one")->thumbnail;
    EXPECT_TRUE(poster.url.ends_with(".jpg")) << poster.url;
    EXPECT_EQ(poster.size, row.size);
    const std::string bytes = content_at(poster.url);
    const Sniffed sniffed = sniff(bytes);
    EXPECT_EQ(sniffed.ending, "jpg");
    EXPECT_EQ(sniffed.size, row.size);
  }
}

TEST_F(FilesOfMedia, APosterIsWholeWhateverDies) {
  bool is_set = false;
  for (int replies = 1; !is_set; ++replies) {
    bool is_done = false;
    for (int in_jobs = 1; !is_done; ++in_jobs) {
      SCOPED_TRACE(std::to_string(replies) + " " + std::to_string(in_jobs));
      reset();
      is_set = dies_after(replies, [](Service& service) { service.set_poster("one", "picture"); });
      const bool shows = Service(server_, folders_).media("one")->set_poster.has_value();
      is_done = dies_after(in_jobs, [](Service& service) { service.look_at_files_jobs(); });
      Service service(server_, folders_);
      service.remove("picture");
      service.run_files_jobs();
      EXPECT_FALSE(has_folder("picture"));
      expect_files(service);
      const auto one = service.media("one");
      EXPECT_EQ(one->set_poster.has_value(), shows);
      EXPECT_EQ(content_at(one->thumbnail->url), shows ? "picture original.png" : "one poster.jpg");
      EXPECT_EQ(service.jobs_left(), 0U);
    }
  }
}

// --- files that nginx guards ---

// What nginx serves of a folder, by its markers (nginx/svc-media.conf).
struct Served {
  explicit Served(const fs::path& folder) {
    if (!fs::exists(folder)) return;
    std::set<std::string> markers;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name.starts_with('.')) markers.insert(name);
    }
    files = !fs::exists(folder / ".guarded");  // also of a link to that of the account
    posters = !markers.contains(".private");
    for (const std::string& name : markers) {
      if (name.starts_with(".guarded-")) number += (number.empty() ? "" : " ") + name.substr(9);
    }
  }
  bool takes(const std::string& signature) const { return files || number == signature; }

  bool files = false;  // without a signature
  bool posters = false;
  std::string number{};  // the number that valid signatures have
};

class GuardedFiles : public FilesOfMedia {
 protected:
  Served served(const std::string& folder) const { return Served(folders_.media + "/" + folder); }
  void expect_open(const std::string& folder) const {
    const Served now = served(folder);
    EXPECT_TRUE(now.files && now.posters) << folder;
  }
  void expect_restricted(const std::string& folder) const {
    const Served now = served(folder);
    EXPECT_TRUE(!now.files && now.posters) << folder;
    EXPECT_EQ(now.number, "0") << folder;
  }
  // As the first process does.
  void link_all() {
    Service service(server_, folders_);
    service.begin_guards();
    service.look_at_files_jobs();
  }
  // That of the account has a marker, which nginx meets by links.
  void expect_rule(bool is_restricted) const {
    EXPECT_EQ(fs::exists(folders_.media + "/.accounts/7/.guarded"), is_restricted);
  }
  // `member`: Lua, by the number i.
  void add_jobs(const std::string& member, int number) {
    server_.command({"EVAL",
                     "for i = 0, ARGV[1] - 1 do redis.call('ZADD', KEYS[1], 0, " + member + ") end",
                     "1", "ingest:guards", std::to_string(number)});
  }
  void expect_private(Service& service, const std::string& folder, const std::string& media) const {
    const Served now = served(folder);
    EXPECT_TRUE(!now.files && !now.posters) << folder;
    EXPECT_EQ(now.number, std::to_string(service.media(media)->links_from.value_or(0))) << folder;
  }
};

TEST_F(GuardedFiles, OembedW11AFolderIsMarkedAsItsRecordSays) {
  reset();
  Service service(server_, folders_);
  service.run_files_jobs();
  expect_open("one");
  service.set_sites("one", media::AllowedDomains{"site.example"});
  service.look_at_files_jobs();
  expect_restricted("one");
  EXPECT_EQ(service.jobs_left(), 0U) << "not late, but once the record is written";
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  service.look_at_files_jobs();
  expect_private(service, "one", "one");
  service.set_sites("one", media::AllowedDomains());
  service.look_at_files_jobs();
  expect_private(service, "one", "one");
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Unlisted));
  service.look_at_files_jobs();
  expect_open("one");
  EXPECT_EQ(served("one").number, "") << "it is for every site, whatever the account's rule";
  expect_open("two");
  EXPECT_EQ(service.jobs_left(), 0U);
}

TEST_F(GuardedFiles, OembedW11ALinkThatHasEndedIsMarkedUntilItsAddressesHaveEnded) {
  reset();
  Service service(server_, folders_);
  const auto is_marked = [&](const std::string& link) {
    return std::filesystem::exists(folders_.media + "/one/.ended-" + link);
  };
  const auto become = [&](const media::Media& media) {
    service.put(media);
    service.guard({kOwner, media.id, Turn::Closing});
    service.look_at_files_jobs();
  };
  media::Media film = *service.media("one");
  set_visibility(film, media::Visibility::Private, 5000);
  for (const std::int64_t id : {6000, 7000}) {
    media::WatchLink& link = film.links.emplace_back();
    link.id = id;
    link.ends = 9;
  }
  film.links.back().refused_until = 8;
  become(film);
  expect_private(service, "one", "one");
  EXPECT_TRUE(is_marked("7000"));
  EXPECT_FALSE(is_marked("6000"));
  film.links.pop_back();
  become(film);
  EXPECT_FALSE(is_marked("7000"));
  film.links.front().refused_until = 8;
  become(film);
  EXPECT_TRUE(is_marked("6000"));
  set_visibility(film, media::Visibility::Public, 6000);
  become(film);
  EXPECT_TRUE(is_marked("6000")) << "the account may get a list of sites";
  expect_open("one");
  film.allowed_domains = media::AllowedDomains();
  become(film);
  EXPECT_FALSE(is_marked("6000"));
  expect_open("one");
}

TEST_F(GuardedFiles, OembedW11ARecordThatIsNotWrittenYetIsAwaited) {
  reset();
  Service service(server_, folders_);
  media::Media after = *service.media("one");
  set_visibility(after, media::Visibility::Private, 5000);
  service.announce(after);
  service.look_at_files_jobs();
  expect_open("one");
  service.put(after);
  service.guard({kOwner, after.id, Turn::Closing});
  service.look_at_files_jobs();
  expect_private(service, "one", "one");
  EXPECT_EQ(service.jobs_left(), 0U);
  // Its writer died, before the record and after it.
  media::Media never = after;
  set_visibility(never, media::Visibility::Public, 6000);
  service.announce(never);
  service.run_files_jobs();
  expect_private(service, "one", "one");
  service.announce(never);
  service.put(never);
  service.look_at_files_jobs();
  expect_private(service, "one", "one");
  service.run_files_jobs();
  expect_open("one");
  EXPECT_EQ(service.jobs_left(), 0U);
}

// From each state to each other: after any step, only files that either state allows are served.
TEST_F(GuardedFiles, OembedW11AnInterruptionOpensNothing) {
  reset();
  const media::Media film = *Service(server_, folders_).media("one");
  std::vector<media::Media> states(5, film);
  states[1].allowed_domains = media::AllowedDomains{"site.example"};
  set_visibility(states[2], media::Visibility::Private, 5000);
  set_visibility(states[3], media::Visibility::Private, 6000);
  states[4].allowed_domains = media::AllowedDomains();
  const auto become = [](const media::Media& state) {
    return [&state](Service& service) {
      service.announce(state);
      service.put(state);
      service.guard({kOwner, state.id});
      service.look_at_files_jobs();
    };
  };
  int deaths = 0;
  for (const std::string site : {"", "site.example"}) {
    const media::SiteRule of_account{site.empty() ? media::AllowedDomains()
                                                  : media::AllowedDomains{site}};
    for (std::size_t pair = 0; pair < states.size() * states.size(); ++pair) {
      const media::Media& from = states[pair / states.size()];
      const media::Media& to = states[pair % states.size()];
      bool is_done = false;
      for (int steps = 1; !is_done; ++steps) {
        SCOPED_TRACE(site + " " + std::to_string(&from - states.data()) + ", then " +
                     std::to_string(&to - states.data()) + ", " + std::to_string(steps) + " steps");
        reset();
        set_rule(of_account);
        Service service(server_, folders_);
        become(from)(service);
        const Served before = served("one");
        is_done = dies_after(kNever, become(to), steps);
        deaths += is_done ? 0 : 1;
        const Served between = served("one");
        become(to)(service);
        const Served after = served("one");
        EXPECT_LE(between.files, before.files || after.files);
        EXPECT_LE(between.posters, before.posters || after.posters);
        for (const std::string signature : {"0", "5000", "6000"})
          EXPECT_LE(between.takes(signature), before.takes(signature) || after.takes(signature));
        const media::Guard guard = guard_of(to, of_account);
        EXPECT_EQ(after.files, !guard.is_guarded);
        EXPECT_EQ(after.posters, !guard.is_private);
        EXPECT_EQ(after.number, guard.is_open() ? "" : std::to_string(guard.links_from));
      }
    }
  }
  EXPECT_GT(deaths, 60);
}

TEST_F(GuardedFiles, OembedW11AWriterMayDieAfterAnyReply) {
  bool is_done = false;
  for (int replies = 1; !is_done; ++replies) {
    SCOPED_TRACE(replies);
    reset();
    is_done = dies_after(replies, [](Service& service) {
      service.set_visibility("one", media::Visibility::Private);
    });
    Service service(server_, folders_);
    service.run_files_jobs();
    if (service.media("one")->is_private()) {
      expect_private(service, "one", "one");
    } else {
      expect_open("one");
    }
    EXPECT_EQ(service.jobs_left(), 0U);
  }
}

TEST_F(GuardedFiles, OembedW11AListOfAnAccountGuardsItsMediaWithoutOne) {
  reset();
  link_all();
  Service service(server_, folders_);
  service.set_sites("two", media::AllowedDomains());
  service.set_sites_of_account({"site.example"});
  service.look_at_files_jobs();
  expect_restricted("one");
  expect_restricted("picture");
  expect_open("two");
  service.set_sites("two", std::nullopt);
  service.look_at_files_jobs();
  expect_restricted("two");
  service.set_sites_of_account({});
  service.set_sites_of_account({"other.example"});
  service.set_sites_of_account({});
  service.look_at_files_jobs();
  for (const std::string id : {"one", "two", "picture"}) expect_open(id);
  EXPECT_EQ(service.jobs_left(), 0U);
  service.run_files_jobs();
  for (const std::string id : {"one", "two", "picture"}) expect_open(id);
}

TEST_F(GuardedFiles, OperationsU43AMediaWaitsOnceAndOnlyIfItsFolderChanges) {
  reset();
  Service service(server_, folders_);
  service.set_sites("two", media::AllowedDomains());
  service.look_at_files_jobs();
  for (int i = 0; i < 3; ++i) service.end_links("two");
  EXPECT_EQ(service.jobs_left(), 0U) << "an open folder has no number";
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  service.look_at_files_jobs();
  for (int i = 0; i < 100; ++i) service.end_links("one");
  EXPECT_EQ(service.jobs_left(), 1U);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(service.set_visibility("one", media::Visibility::Public));
    ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
    service.set_sites_of_account({"site.example"});
    service.set_sites_of_account({});
  }
  EXPECT_EQ(service.jobs_left(), 4U) << "to close the film, another change of it; both of the rule";
  EXPECT_EQ(server_.command({"ZCARD", "ingest:guards_again"}).integer(), 3);
  service.look_at_files_jobs();
  expect_private(service, "one", "one");
  expect_open("two");
}

// 100 000 accounts have a job that opens a film, and an import of this account closes 100 000.
TEST_F(GuardedFiles, OperationsU43AFilmIsClosedByTheNextStepsWhile100000JobsWait) {
  reset();
  Service service(server_, folders_);
  add_jobs("'c ' .. 1000 + i .. ' film'", 100'000);
  add_jobs("'b 7 film' .. i", 100'000);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(service.take_turn());
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  for (int steps = 0; steps < 2; ++steps) ASSERT_TRUE(service.take_turn());
  expect_private(service, "one", "one");
  service.set_sites_of_account({"site.example"});
  for (int steps = 0; steps < 2; ++steps) ASSERT_TRUE(service.take_turn());
  expect_rule(true);
  EXPECT_GT(server_.command({"ZCARD", "ingest:guards"}).integer(), 199'000);
}

TEST_F(GuardedFiles, OperationsU43AnAccountDelaysAnotherByOneTurn) {
  reset();
  Service service(server_, folders_);
  for (const std::string turn : {"b", "c"}) {
    add_jobs("'" + turn + " 6 film' .. i", 1'000);
    add_jobs("'" + turn + " 70 film' .. i", 1'000);
  }
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(service.take_turn());
  media::Media film = *service.media("one");
  set_visibility(film, media::Visibility::Private, 5000);
  service.put(film);
  service.guard({kOwner, film.id, Turn::Closing});
  for (int steps = 0; steps < 4; ++steps) ASSERT_TRUE(service.take_turn());
  expect_private(service, "one", "one");
  EXPECT_GT(service.guards_left(), 3'900U);
  // Jobs that open continue in between, next to a walk over the media of another account.
  service.guard({.account = media::AccountId{6}, .turn = Turn::Again});
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Public));
  const int of_each = keeper::GuardJobs::kClosingsInTurn + 1;
  for (int steps = 0; steps < 9 * of_each; ++steps) ASSERT_TRUE(service.take_turn());
  expect_open("one");
  EXPECT_GT(service.guards_left(), 3'500U);
}

TEST_F(GuardedFiles, OperationsU43TheRuleOfAnAccountIsOneStepForAllItsFilms) {
  reset();
  Service service(server_, folders_);
  service.guard({kOwner, id_of("one")});
  service.look_at_files_jobs();
  const fs::path link = fs::read_symlink(folders_.media + "/one/.guarded");
  std::vector<std::string> all{"one"};
  for (int i = 0; i < 10'000; ++i) {
    all.push_back("film" + std::to_string(i));
    fs::create_directory(folders_.media + "/" + all.back());
    fs::create_symlink(link, folders_.media + "/" + all.back() + "/.guarded");
  }
  const auto open = [&] {
    return std::ranges::count_if(all, [&](const std::string& id) {
      return !fs::exists(folders_.media + "/" + id + "/.guarded");
    });
  };
  EXPECT_EQ(open(), 10'001);
  service.set_sites_of_account({"site.example"});
  ASSERT_TRUE(service.take_turn());
  EXPECT_EQ(open(), 0);
  EXPECT_EQ(service.jobs_left(), 0U);
  service.set_sites_of_account({});
  ASSERT_TRUE(service.take_turn());
  EXPECT_EQ(open(), 10'001);
}

// The process marks after the ninth reply that finds it still waiting.
TEST_F(GuardedFiles, OperationsU43TheAnswerOfARequestWaitsUntilTheFilmIsClosed) {
  reset();
  Service guards(server_, folders_);
  Service service(server_, folders_);
  service.run_guards();
  int waited = 0;
  service.on_reply([&] {
    if (guards.guards_left() > 0 && ++waited == 9) guards.take_turn();
  });
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  expect_private(service, "one", "one");
  waited = 0;
  service.set_sites_of_account({"site.example"});
  expect_rule(true);
  // Nor while it marks.
  waited = 0;
  const media::Guarded job{kOwner, id_of("two"), Turn::Awaited};
  service.on_reply([&] {
    ++waited;
    if (waited == 1) {
      EXPECT_TRUE(guards.take(job));
    }
    if (waited == 9) guards.end(job);
  });
  service.guard(job);
  EXPECT_GE(waited, 9);
  // What opens does not wait, nor anything while no process runs.
  service.on_reply([] {});
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Public));
  EXPECT_EQ(guards.guards_left(), 1U);
  server_.command({"DEL", "ingest:guarding"});
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  EXPECT_EQ(guards.guards_left(), 2U);
}

// An earlier version wrote these folders without a link: the first is open to all, though its
// account has a list now; the second was closed by the list.
TEST_F(GuardedFiles, OembedW11FoldersOfAnEarlierVersionGetTheirLink) {
  bool is_done = false;
  for (int replies = 1; !is_done; ++replies) {
    SCOPED_TRACE(replies);
    reset();
    Service service(server_, folders_);
    set_rule({{"site.example"}});
    for (const std::string marker : {".guarded", ".guarded-0"}) file("two", marker);
    is_done = dies_after(replies, [](Service& other) {
      other.begin_guards();
      other.look_at_files_jobs();
    });
    EXPECT_FALSE(served("two").files);
    service.begin_guards();
    service.look_at_files_jobs();
    for (const std::string id : {"one", "two", "picture"}) expect_restricted(id);
    service.set_sites_of_account({});
    while (service.guards_left() > 0) ASSERT_TRUE(service.take_turn());
    for (const std::string id : {"one", "two", "picture"}) expect_open(id);
  }
}

TEST_F(GuardedFiles, TheGroupMayWriteIntoTheFolderOfAccountsOfANewMachine) {
  reset();
  for (const auto& entry : fs::directory_iterator(folders_.media)) fs::remove_all(entry);
  link_all();
  const std::string accounts = folders_.media + "/.accounts";
  EXPECT_EQ(fs::status(accounts).permissions(), fs::perms(0775));
  EXPECT_TRUE(fs::exists(accounts + "/.linked"));
}

TEST_F(GuardedFiles, OembedW11AListOfAnAccountClosesFoldersThatHaveNoLinkYet) {
  reset();
  Service service(server_, folders_);
  service.begin_guards();
  service.set_sites_of_account({"site.example"});
  service.look_at_files_jobs();
  for (const std::string id : {"one", "two", "picture"}) expect_restricted(id);
}

TEST_F(GuardedFiles, OperationsU43WhatAProcessBeganAnotherDoesAgain) {
  bool is_done = false;
  for (int replies = 1; !is_done; ++replies) {
    SCOPED_TRACE(replies);
    reset();
    Service service(server_, folders_);
    ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
    is_done = dies_after(replies, [](Service& other) { other.look_at_files_jobs(); });
    service.begin_guards();
    service.look_at_files_jobs();
    expect_private(service, "one", "one");
  }
}

// svc-ingest is updated while jobs of the version before wait.
TEST_F(GuardedFiles, OperationsU43JobsOfAnEarlierVersionAreDone) {
  reset();
  Service service(server_, folders_);
  media::Media after = *service.media("one");
  set_visibility(after, media::Visibility::Private, 5000);
  server_.command({"XADD", "ingest:deletions", "*", "job", "guard-files", "media", "one", "account",
                   "7", "state", "private 5000"});
  server_.command({"XADD", "ingest:deletions", "*", "job", "guard-account", "account", "7", "state",
                   "guarded"});
  server_.command({"ZADD", "ingest:guards", "0", "7 0 two", "0", "7 1 ", "0", "7 2 two"});
  server_.command({"ZADD", "ingest:guards_again", "9", "7 2 one"});
  service.begin_guards();
  service.look_at_files_jobs();
  expect_open("one");
  EXPECT_EQ(service.jobs_left(), 0U);
  service.put(after);
  service.run_files_jobs();
  expect_private(service, "one", "one");
}

// Files or records came from a backup.
TEST_F(GuardedFiles, OembedW11AllFoldersAreMarkedAgain) {
  reset();
  Service service(server_, folders_);
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  service.set_sites("two", media::AllowedDomains{"site.example"});
  service.run_files_jobs();
  fs::remove(folders_.media + "/one/.guarded");
  fs::remove(folders_.media + "/two/.guarded");
  std::ofstream(folders_.media + "/picture/.private").flush();
  service.guard({.account = kOwner, .turn = Turn::Again});
  service.look_at_files_jobs();
  expect_private(service, "one", "one");
  expect_restricted("two");
  expect_open("picture");
  service.set_sites_of_account({"site.example"});
  service.look_at_files_jobs();
  expect_restricted("picture");
  fs::remove_all(folders_.media + "/.accounts");
  service.guard({.account = kOwner, .turn = Turn::Again});
  service.look_at_files_jobs();
  expect_restricted("picture");
}

TEST_F(GuardedFiles, OembedW11TheMediaOfAnAccountAreGuardedWhateverDies) {
  bool is_set = false;
  for (int replies = 1; !is_set; ++replies) {
    bool is_done = false;
    for (int in_jobs = 1; !is_done; ++in_jobs) {
      SCOPED_TRACE(std::to_string(replies) + " " + std::to_string(in_jobs));
      reset();
      link_all();
      is_set = dies_after(replies,
                          [](Service& service) { service.set_sites_of_account({"site.example"}); });
      is_done = dies_after(in_jobs, [](Service& service) { service.look_at_files_jobs(); });
      Service service(server_, folders_);
      service.run_files_jobs();
      const redis::Reply record = server_.command({"GET", "catalog:account:7"});
      const bool is_restricted =
          record.text().value_or("").find("site.example") != std::string_view::npos;
      for (const std::string id : {"one", "two", "picture"}) {
        if (is_restricted) {
          expect_restricted(id);
        } else {
          expect_open(id);
        }
      }
      EXPECT_EQ(service.jobs_left(), 0U);
    }
  }
}

TEST_F(GuardedFiles, OembedW11AFolderThatIsSwappedIsMarkedForItsNewMedia) {
  for (const std::string hidden : {"one", "two"}) {
    bool is_done = false;
    for (int replies = 1; !is_done; ++replies) {
      SCOPED_TRACE(hidden + " " + std::to_string(replies));
      reset();
      Service service(server_, folders_);
      ASSERT_TRUE(service.set_visibility(hidden, media::Visibility::Private));
      service.run_files_jobs();
      expect_private(service, hidden, hidden);
      ASSERT_TRUE(service.swap("one", "two"));
      is_done = dies_after(replies, [](Service& other) { other.look_at_files_jobs(); });
      service.look_at_files_jobs();
      for (const std::string folder : {"one", "two"}) {
        if (hidden == "one") {
          expect_private(service, folder, "one");
        } else {
          expect_open(folder);
        }
      }
      service.run_files_jobs(kLater);
      EXPECT_FALSE(fs::exists(folders_.media + "/one/1")) << "the former film";
      if (hidden == "one") expect_private(service, "one", "one");
      expect_files(service);
    }
  }
}

// An import may add a media again whose folder another one got. It gets none of the files.
TEST_F(GuardedFiles, OembedW11AFolderIsAsItsOnlyOwnerDemands) {
  reset();
  Service service(server_, folders_);
  media::Media two = *service.media("two");
  ASSERT_TRUE(service.swap("one", "two"));
  service.run_files_jobs();
  two.assets.front().url = "https://cdn.example/film.m3u8";
  two.storyboard.clear();
  two.thumbnail.reset();
  two.captions.clear();
  service.put(two);
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  service.look_at_files_jobs();
  expect_private(service, "two", "one");
  service.set_poster("two", "picture");
  service.run_files_jobs();
  EXPECT_FALSE(service.media("two")->thumbnail) << "it has no folder for one";
  // It gets further files, and is deleted: those of the first stay.
  put_three(service);
  ASSERT_TRUE(service.swap("two", "three"));
  service.run_files_jobs(kLater);
  expect_owners(service);
  EXPECT_EQ(content_at(service.media("one")->assets.front().url), "two 1/index.m3u8");
  EXPECT_TRUE(fs::exists(folders_.media + "/two/storyboard.jpg"));
  service.remove("two");
  service.run_files_jobs();
  EXPECT_FALSE(has_folder("three"));
  EXPECT_EQ(content_at(service.media("one")->assets.front().url), "two 1/index.m3u8");
  expect_private(service, "two", "one");
}

TEST_F(GuardedFiles, OembedW11AFolderForAPosterIsMarkedBeforeItHasIt) {
  bool is_done = false;
  for (int steps = 1; !is_done; ++steps) {
    SCOPED_TRACE(steps);
    reset();
    Service service(server_, folders_);
    media::Media bare = media_of("bare", "Video");
    set_visibility(bare, media::Visibility::Private, 5000);
    service.put(bare);
    service.set_poster("bare", "picture");
    is_done = dies_after(
        kNever, [](Service& other) { other.look_at_files_jobs(); }, steps);
    const auto is_poster = [](const fs::directory_entry& file) {
      return file.path().filename().string().starts_with("still-");
    };
    const fs::path folder = folders_.media + "/bare";
    if (fs::exists(folder) && std::any_of(fs::directory_iterator(folder), {}, is_poster))
      expect_private(service, "bare", "bare");
    service.look_at_files_jobs();
    expect_private(service, "bare", "bare");
    EXPECT_EQ(content_at(service.media("bare")->thumbnail->url), "picture original.png");
  }
}

TEST_F(GuardedFiles, OembedW11ADeletedFolderOpensNothing) {
  bool is_done = false;
  for (int steps = 1; !is_done; ++steps) {
    SCOPED_TRACE(steps);
    reset();
    Service service(server_, folders_);
    ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
    service.run_files_jobs();
    service.remove("one");
    is_done = dies_after(
        kNever, [](Service& other) { other.look_at_files_jobs(); }, steps);
    const Served left = served("one");
    EXPECT_FALSE(left.files || left.posters);
    service.run_files_jobs();
    EXPECT_FALSE(has_folder("one"));
  }
}

TEST_F(GuardedFiles, OembedW12APrivateMediaHasNoLinkFromAnEarlierTime) {
  reset();
  Service service(server_, folders_);
  EXPECT_FALSE(service.media("one")->links_from);
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  const auto first = service.media("one")->links_from;
  ASSERT_TRUE(first);
  EXPECT_GE(*first, (std::time(nullptr) - 60) * 1000);
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  EXPECT_EQ(service.media("one")->links_from, first) << "its links stay";
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Public));
  EXPECT_EQ(service.media("one")->links_from, first);
  ASSERT_TRUE(service.set_visibility("one", media::Visibility::Private));
  EXPECT_GT(service.media("one")->links_from, first);
}

TEST_F(GuardedFiles, OembedW13AMediaWithAFileElsewhereIsNotPrivate) {
  reset();
  Service service(server_, folders_);
  media::Media film = *service.media("one");
  library::MediaEdit hides;
  hides.visibility = media::Visibility::Private;
  for (const std::string elsewhere :
       {"https://cdn.example/film.mp4", "/files/two/film.mp4", "/media/film.mp4"}) {
    SCOPED_TRACE(elsewhere);
    media::Media other = film;
    other.storyboard = elsewhere;
    service.put(other);
    EXPECT_NE(service.why_not("one", hides).find(elsewhere), std::string::npos);
    EXPECT_FALSE(service.set_visibility("one", media::Visibility::Private));
    EXPECT_FALSE(service.media("one")->is_private());
    EXPECT_TRUE(service.set_visibility("one", media::Visibility::Unlisted));
  }
  film.captions.push_back({media::url_of_captions(film.id, "de", "3"), "de", "Deutsch"});
  service.put(film);
  EXPECT_EQ(service.why_not("one", hides), "");
  EXPECT_TRUE(service.set_visibility("one", media::Visibility::Private));
  service.set_poster("one", "picture");
  service.run_files_jobs();
  expect_private(service, "one", "one");
  media::Media two = *service.media("two");
  two.assets.front().url = "https://cdn.example/film.m3u8";
  service.put(two);
  EXPECT_FALSE(service.swap("one", "two"));
}

TEST_F(GuardedFiles, OembedW13AMediaWithAFileElsewhereHasNoListOfSites) {
  reset();
  Service service(server_, folders_);
  const media::AllowedDomains sites{"site.example"};
  library::MediaEdit restricts;
  restricts.allowed_domains = sites;
  media::Media two = *service.media("two");
  const std::string url = two.assets.front().url;
  two.assets.front().url = "https://cdn.example/film.m3u8";
  service.put(two);
  EXPECT_EQ(service.why_not("two", restricts),
            "must allow every site: https://cdn.example/film.m3u8 is not a file of this service");
  EXPECT_FALSE(service.try_sites("two", sites));
  EXPECT_FALSE(service.try_sites_of_account(sites));
  EXPECT_TRUE(service.try_sites("two", media::AllowedDomains()));
  EXPECT_TRUE(service.try_sites_of_account(sites)) << "it is for every site";
  EXPECT_FALSE(service.try_sites("two", std::nullopt)) << "as its account";
  EXPECT_FALSE(service.swap("one", "two")) << "the other has the list of the account";
  EXPECT_EQ(service.media("two")->allowed_domains, media::AllowedDomains());
  two.assets.front().url = url;
  two.thumbnail = media::Thumbnail{"https://cdn.example/a.jpg", media::Dimensions{8, 6}};
  service.put(two);
  EXPECT_TRUE(service.try_sites("two", sites)) << "posters are open";
  service.run_files_jobs();
  expect_restricted("two");
}

// --- pictures of the video ---

// Films of a second in red and one in blue, with sound, as svc-ingest makes them.
class Stills : public FilesOfMedia {
 protected:
  static void SetUpTestSuite() {
    films_ = std::make_unique<fakes::TemporaryDirectory>();
    ffmpeg(
        "-f lavfi -i color=red:s=128x72:r=25:d=1 -f lavfi -i color=blue:s=128x72:r=25:d=1 "
        "-f lavfi -i sine=440:d=2 -filter_complex '[0][1]concat' -c:a aac -c:v libx264 -preset "
        "ultrafast -pix_fmt yuv420p -g 50 " +
        films_->path("video.mp4"));
    ffmpeg("-i " + films_->path("video.mp4") +
           " -vf scale=256:144 -c:v libx264 -preset ultrafast -g 25 -f hls -hls_time 1 "
           "-hls_segment_type fmp4 -hls_playlist_type vod " +
           films_->path("index.m3u8"));
  }
  static void TearDownTestSuite() { films_.reset(); }
  static void ffmpeg(const std::string& options) {
    EXPECT_EQ(std::system(("ffmpeg -nostdin -v error -y " + options).c_str()), 0) << options;
  }

  // "one" has both films: the playlist has more pixels.
  void put_film(bool with_playlist = true) {
    reset();
    Service service(server_, folders_);
    media::Media film = media_of("one", "Video");
    film.duration = 2;
    film.thumbnail = media::Thumbnail{file("one", "poster.jpg"), media::Dimensions{16, 9}};
    const auto add = [&](media::AssetType type, const std::string& name, media::Dimensions size) {
      media::Asset asset;
      asset.type = type;
      asset.url = file("one", name);
      asset.bandwidth = 1000;
      asset.size = size;
      film.assets.push_back(asset);
    };
    if (with_playlist) add(media::AssetType::Hls, "144p/index.m3u8", {256, 144});
    add(media::AssetType::Mp4, "video.mp4", {128, 72});
    for (const auto& entry : fs::directory_iterator(films_->path(""))) {
      const std::string name = entry.path().filename();
      const std::string to = name == "video.mp4" ? name : "144p/" + name;
      if (name == "video.mp4" || with_playlist)
        fs::copy_file(entry.path(), folders_.media + "/one/" + to,
                      fs::copy_options::overwrite_existing);
    }
    service.put(film);
  }
  // "red", "blue", or all of its bytes.
  std::string colour_at(const std::string& url) const {
    const auto own = media::own_file(url);
    const std::string pixel = directory_.path("pixel");
    ffmpeg("-i " + folders_.media + "/" + own->folder.value() + "/" + own->name +
           " -vf scale=1:1 -f rawvideo -pix_fmt rgb24 " + pixel);
    std::ifstream raw(pixel, std::ios::binary);
    const std::string rgb{std::istreambuf_iterator<char>(raw), {}};
    const auto part = [&](std::size_t i) { return static_cast<unsigned char>(rgb.at(i)); };
    if (part(0) > 230 && part(2) < 25) return "red";
    if (part(0) < 25 && part(2) > 230) return "blue";
    return std::to_string(part(0)) + " " + std::to_string(part(1)) + " " + std::to_string(part(2));
  }

  static std::unique_ptr<fakes::TemporaryDirectory> films_;
};
std::unique_ptr<fakes::TemporaryDirectory> Stills::films_;

TEST_F(Stills, APictureOfTheVideoAtThatTimeBecomesThePoster) {
  put_film();
  Service service(server_, folders_);
  service.set_moment("one", 500);
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/one/poster.jpg") << "until it is made";
  EXPECT_EQ(service.media("one")->next_poster, media::NextPoster{500});
  service.look_at_files_jobs();
  const media::Media made = *service.media("one");
  const std::string red = made.thumbnail->url;
  EXPECT_TRUE(red.starts_with("/files/one/still-") && red.ends_with(".jpg")) << red;
  EXPECT_EQ(colour_at(red), "red");
  EXPECT_EQ(made.thumbnail->size, (media::Dimensions{256, 144})) << "of the best file";
  EXPECT_EQ(made.set_poster->source, "/files/one/144p/index.m3u8#t=0.500");
  EXPECT_EQ(made.set_poster->own->url, "/files/one/poster.jpg");
  EXPECT_FALSE(made.next_poster);
  EXPECT_GT(service.bytes(), 0);

  service.set_moment("one", 1500);
  service.run_files_jobs();
  const std::string blue = service.media("one")->thumbnail->url;
  EXPECT_EQ(colour_at(blue), "blue");
  EXPECT_EQ(content_at(red), "") << "no record shows it";
  service.set_own_poster("one");
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/one/poster.jpg");
  service.run_files_jobs();
  EXPECT_EQ(content_at(blue), "");
  EXPECT_EQ(service.jobs_left(), 0U);
  EXPECT_TRUE(fs::is_empty(folders_.media + "/.work/test"));
}

// The picture that is shown at the time, not the next one; at the end, the last.
TEST_F(Stills, ATimeBetweenPicturesShowsTheOneBefore) {
  put_film(false);
  Service service(server_, folders_);
  for (const auto& [at, colour] : std::vector<std::pair<std::int64_t, std::string>>{
           {0, "red"}, {950, "red"}, {1000, "blue"}, {2000, "blue"}}) {
    service.set_moment("one", at);
    service.run_files_jobs();
    const media::Media made = *service.media("one");
    ASSERT_TRUE(made.thumbnail->url.starts_with("/files/one/still-")) << at;
    EXPECT_EQ(colour_at(made.thumbnail->url), colour) << at;
    EXPECT_EQ(made.thumbnail->size, (media::Dimensions{128, 72}));
  }
}

TEST_F(Stills, APosterThatCannotBeMadeIsNotedAndTheFormerPosterStays) {
  put_film(false);
  std::ofstream(folders_.media + "/one/video.mp4") << "not a film";
  Service service(server_, folders_);
  service.set_moment("one", 500);
  service.run_files_jobs();
  const media::Media failed = *service.media("one");
  EXPECT_EQ(failed.next_poster, (media::NextPoster{500, true}));
  EXPECT_EQ(failed.thumbnail->url, "/files/one/poster.jpg");
  EXPECT_FALSE(failed.set_poster);
  EXPECT_EQ(service.jobs_left(), 0U);
  put_film(false);
  service.set_moment("one", 500);
  service.run_files_jobs();
  EXPECT_EQ(colour_at(service.media("one")->thumbnail->url), "red") << "once the file is whole";
}

TEST_F(Stills, APictureThatIsStillToBeMadeLapsesWithASwapOrAnotherPoster) {
  put_film();
  Service service(server_, folders_);
  service.set_moment("one", 500);
  ASSERT_TRUE(service.swap("one", "two"));
  EXPECT_FALSE(service.media("one")->next_poster);
  service.run_files_jobs();
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/two/poster.jpg");

  put_film();
  service.set_moment("one", 500);
  service.set_poster("one", "picture");
  service.run_files_jobs();
  EXPECT_EQ(content_at(service.media("one")->thumbnail->url), "picture original.png");

  // Both jobs run after the new moment is set. Afterwards no record shows the copy of the image.
  put_film();
  service.set_poster("one", "picture");
  service.set_moment("one", 500);
  service.run_files_jobs();
  EXPECT_EQ(colour_at(service.media("one")->thumbnail->url), "red");
  std::size_t stills = 0;
  for (const auto& entry : fs::directory_iterator(folders_.media + "/one"))
    stills += entry.path().filename().string().starts_with("still-") ? 1 : 0;
  EXPECT_EQ(stills, 1U);
  EXPECT_EQ(service.jobs_left(), 0U);
}

TEST_F(Stills, APictureIsWholeWhateverDies) {
  bool is_set = false;
  for (int replies = 1; !is_set; ++replies) {
    bool is_done = false;
    for (int in_jobs = 1; !is_done; ++in_jobs) {
      SCOPED_TRACE(std::to_string(replies) + " " + std::to_string(in_jobs));
      put_film(false);
      is_set = dies_after(replies, [](Service& service) { service.set_moment("one", 500); });
      const media::Media before = *Service(server_, folders_).media("one");
      is_done = dies_after(in_jobs, [](Service& service) { service.look_at_files_jobs(); });
      Service service(server_, folders_);
      service.run_files_jobs();
      const auto one = service.media("one");
      EXPECT_EQ(one->set_poster.has_value(), before.next_poster.has_value());
      EXPECT_FALSE(one->next_poster);
      if (one->set_poster) {
        EXPECT_EQ(colour_at(one->thumbnail->url), "red");
      }
      EXPECT_EQ(service.jobs_left(), 0U);
    }
  }
}

// The image is deleted before the conversion ends, which replaces the media's whole folder.
TEST_F(FilesOfMedia, APosterOfAMediaThatIsNotReadyWaitsAndKeepsItsPicture) {
  reset();
  Service service(server_, folders_);
  media::Media film = *service.media("one");
  film.status = media::Status::Processing;
  service.put(film);
  service.set_poster("one", "picture");
  service.remove("picture");
  service.run_files_jobs();
  service.run_files_jobs();
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/picture/original.png");
  expect_files(service);
  film = *service.media("one");
  film.status = media::Status::Ready;
  service.put(film);
  service.run_files_jobs();
  EXPECT_TRUE(service.media("one")->thumbnail->url.starts_with("/files/one/still-"));
  expect_files(service);
  EXPECT_FALSE(has_folder("picture"));
  EXPECT_EQ(service.jobs_left(), 0U);
}

// The picture is missing: the deletion of its media has begun first.
TEST_F(FilesOfMedia, APosterWhoseImageIsDeletedAtTheSameTimeIsItsOwnAgain) {
  reset();
  Service service(server_, folders_);
  service.set_poster("one", "picture");
  fs::remove_all(folders_.media + "/picture");
  service.look_at_files_jobs();
  EXPECT_EQ(service.media("one")->thumbnail->url, "/files/one/poster.jpg");
  EXPECT_FALSE(service.media("one")->set_poster);
}

TEST_F(FilesOfMedia, APosterThatWasSetOutlivesASwap) {
  reset();
  Service service(server_, folders_);
  service.set_poster("one", "picture");
  service.set_poster("two", "picture");
  service.look_at_files_jobs();
  ASSERT_TRUE(service.swap("one", "two"));
  fs::last_write_time(
      folders_.media + "/one/" + media::own_file(service.media("one")->thumbnail->url)->name,
      fs::file_time_type::clock::now() - std::chrono::hours(25));
  service.run_files_jobs(kLater);
  const auto one = service.media("one");
  EXPECT_TRUE(one->thumbnail->url.starts_with("/files/one/still-")) << one->thumbnail->url;
  EXPECT_EQ(content_at(one->thumbnail->url), "picture original.png");
  EXPECT_EQ(one->set_poster->own->url, "/files/two/poster.jpg");
  expect_files(service);
}

// Another program than svc-ingest may add jobs; it may not delete files that way.
TEST_F(FilesOfMedia, AJobDeletesNoFileThatIsNotACopy) {
  reset();
  Service service(server_, folders_);
  for (const char* const url :
       {"/files/two/poster.jpg", "/files/one/storyboard.jpg", "/files/one/../two/poster.jpg"})
    server_.command({"XADD", "ingest:deletions", "*", "job", "set-poster", "media", "one",
                     "account", "7", "former", url});
  server_.command({"XADD", "ingest:deletions", "*", "job", "swap-files", "media", "one", "account",
                   "7", "folders", "one two", "taken", "two", "until", "1"});
  server_.command(
      {"XADD", "ingest:deletions", "*", "media", "missing", "account", "7", "folders", "one two"});
  service.run_files_jobs();
  EXPECT_EQ(service.jobs_left(), 0U);
  for (const char* const id : {"one", "two"}) {
    for (const char* const name : {"poster.jpg", "storyboard.jpg", "1/index.m3u8"})
      EXPECT_TRUE(fs::exists(folders_.media + "/" + id + "/" + name)) << id << name;
  }
}

TEST_F(FilesOfMedia, OperationsU43AnAccountWithManyJobsDelaysAnotherByOne) {
  reset();
  Service service(server_, folders_);
  for (int i = 0; i < 1'000; ++i)
    server_.command({"XADD", "ingest:deletions", "*", "media", "one", "account", "6"});
  service.look_at_files_jobs();
  service.remove("two");
  service.look_at_files_jobs();
  EXPECT_FALSE(has_folder("two"));
  EXPECT_TRUE(has_folder("one"));
}

// A hundred that wait would otherwise stop all later ones.
TEST_F(FilesOfMedia, JobsThatWaitDelayNoOther) {
  reset();
  Service service(server_, folders_);
  for (int i = 0; i < 250; ++i)
    server_.command({"XADD", "ingest:deletions", "*", "media", "one", "account", "7"});
  service.remove("two");
  for (int i = 0; i < 3; ++i) service.look_at_files_jobs();
  EXPECT_FALSE(has_folder("two"));
  EXPECT_TRUE(has_folder("one"));
}

}  // namespace
}  // namespace svc::ingest::file_jobs
