#include "ingest/jobs/runner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "media/uploads.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/uploads.h"
#include "text/rfc3339.h"

namespace svc::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kHour = 3'600;  // longer than any test runs by the store's clock

// svc-ingest in this process, with clocks that do not wait, and svcctl.
class RunnerTest : public integration::CommandFixture {
 protected:
  RunnerTest() {
    fs::create_directories(upload_dir_);
    clock_.advance(std::time(nullptr) - clock_.now());  // the store has the machine's time
  }

  // Adds an upload whose file has this content.
  media::HashedId upload(const std::string& id, const std::string& content,
                         const std::string& description = "", std::int64_t account = 41) {
    media::Media media;
    media.id = *media::HashedId::parse(id);
    media.account = {account};
    media.description = description;
    media.type = "Video";
    media.name = "Film";
    media.created = media.updated = text::to_rfc3339(clock_.now());
    set_visibility(media, visibility_, clock_.now_ms());
    std::ofstream(file_of(media.id), std::ios::binary) << content;
    stores::Uploads uploads(store_.redis());
    store_.run(uploads.add(media, {"film.mp4", 0, content.size()}, {}));
    return media.id;
  }

  std::string film() {
    const std::string path = directory_.path("film.mp4");
    const std::string command =
        "ffmpeg -nostdin -v error -y -f lavfi -i testsrc=size=128x72:rate=25:duration=1 -c:v "
        "libx264 -preset ultrafast -pix_fmt yuv420p " +
        path;
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string file_of(const media::HashedId& id) const { return upload_dir_ + "/" + id.value(); }

  // Runs svc-ingest until that is done.
  void ingest(const std::function<bool()>& done) {
    done_ = done;
    ingest();
    done_ = [] { return false; };
  }

  // Runs svc-ingest until no job can be begun any more, or one turn without a job if it has only a
  // lane.
  void ingest(const std::optional<Lane>& lane = std::nullopt) {
    bool is_done = false;
    Runner runner(ingest_store_, loop_, {upload_dir_, directory_.path("media")}, {},
                  std::chrono::days(kFailedUploadDays), lane ? "host-1.short" : "host-1", clock_,
                  {.should_stop = [&] { return is_done; },
                   .alive = [&] { look_(); },
                   .pause =
                       [&](base::Duration) {
                         stores::IngestQueue queue(store_.redis(), "test");
                         is_done = done_() || lane || store_.run(queue.waiting()).empty();
                       }},
                  lane.value_or(Lane()));
    runner.run();
  }

  std::optional<media::Media> media(const media::HashedId& id) {
    stores::Catalog catalog(store_.redis());
    media::Reads reads;
    return store_.run(catalog.find_media(id, media::Detail::All, reads));
  }
  std::string status_of(const media::HashedId& id) {
    const auto found = media(id);
    return found ? std::string(to_text(found->status)) : "none";
  }
  integration::Ran jobs(const std::vector<std::string>& words) {
    return run(ctl::jobs_commands(), words);
  }
  std::int64_t uploads_of_the_account() {
    return server_.command({"ZCARD", "ingest:uploads:41"}).integer();
  }

  int uploads_ = 0;
  std::function<bool()> done_ = [] { return false; };
  std::function<void()> look_ = [] {};  // called between the steps of svc-ingest
  media::Visibility visibility_ = media::Visibility::Public;  // for the next upload
  base::SteadyClock steady_;
  loop::Loop loop_{steady_};
  redis::Store ingest_store_{server_.settings(), loop_};
};

// If the keys of one part hold something else, the other parts work, and each job ends.
// The keys ingest:jobs and ingest:incoming are left out: they are the queue itself.
TEST_F(RunnerTest, OperationsD53AKeyOfAnotherTypeStopsOnlyItsOwnPart) {
  const std::string content = film();
  const auto plant = [this](const std::string& key) {
    server_.command({"DEL", key});
    server_.command({"SET", key, "foreign"});
  };
  for (const char* key :
       {"ingest:dead", "ingest:deletions", "ingest:guards", "ingest:guards_again"}) {
    plant(key);
    const media::HashedId id = upload("fine" + std::to_string(++uploads_) + "00001", content);
    ingest([&] { return status_of(id) == "ready"; });
    EXPECT_EQ(status_of(id), "ready") << key;
    server_.command({"DEL", key});
  }
  // If an account's key is foreign, its job is buried, and another account's job is done.
  for (const char* key : {"ingest:bytes:41", "ingest:large:41", "ingest:uploads:41"}) {
    const media::HashedId first = upload("own" + std::to_string(++uploads_) + "000001", content);
    const media::HashedId other =
        upload("other" + std::to_string(uploads_) + "0001", content, "", 42);
    plant(key);
    ingest([&] { return status_of(other) == "ready"; });
    EXPECT_EQ(status_of(other), "ready") << key;
    ingest();
    EXPECT_EQ(server_.command({"XLEN", "ingest:jobs"}).integer(), 0) << key;
    server_.command({"DEL", key});
  }
}

// The upload was deleted together with the first verdict, which a later version may correct.
TEST_F(RunnerTest, OperationsU34AFileThatFailedIsKeptAndRepeatedUntilItExpires) {
  const media::HashedId id = upload("damaged0001", "RIFF....AVI LIST....");
  ingest();
  ASSERT_EQ(status_of(id), "failed");
  const std::string verdict = media(id)->failure;
  EXPECT_FALSE(verdict.empty());
  EXPECT_TRUE(fs::exists(file_of(id)));
  const integration::Ran listed = jobs({"list"});
  EXPECT_NE(listed.out.find("failed"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find(verdict), std::string::npos) << listed.out;

  const integration::Ran retried = jobs({"retry", id.value()});
  EXPECT_EQ(retried.out, "the job of damaged0001 waits again\n") << retried.err;
  EXPECT_EQ(status_of(id), "queued");
  EXPECT_EQ(media(id)->failure, "");
  EXPECT_NE(audited().find("upload.retried"), std::string::npos);
  ingest();
  EXPECT_EQ(media(id)->failure, verdict);
  EXPECT_TRUE(fs::exists(file_of(id)));

  // The verdict was wrong.
  std::ofstream(file_of(id), std::ios::binary) << std::string(20, ' ');
  fs::remove(file_of(id));
  const media::HashedId other = upload("damaged0002", "RIFF....AVI LIST....");
  ingest();
  EXPECT_NE(jobs({"retry", id.value()}).err.find("is not in"), std::string::npos);

  clock_.advance(kFailedUploadDays * kDay + kHour);
  EXPECT_NE(jobs({"retry", other.value()}).err.find("has expired"), std::string::npos);
  EXPECT_EQ(status_of(other), "failed");
  ingest();
  for (const media::HashedId& each : {id, other}) {
    EXPECT_FALSE(fs::exists(file_of(each)));
    EXPECT_EQ(status_of(each), "none");
    const integration::Ran late = jobs({"retry", each.value()});
    EXPECT_EQ(late.status, ctl::kRefused);
    EXPECT_NE(late.err.find("has failed, or it has expired"), std::string::npos) << late.err;
  }
  EXPECT_EQ(uploads_of_the_account(), 0);
  for (const char* key :
       {"ingest:uploads:41", "ingest:failed:41", "ingest:large:41", "ingest:bytes:41"})
    EXPECT_EQ(server_.command({"EXISTS", key}).integer(), 0) << key;
  EXPECT_EQ(server_.command({"XLEN", "ingest:dead"}).integer(), 0);
}

TEST_F(RunnerTest, OperationsU12TheShortLaneTakesShortUploadsAndLeavesWhatTakesLong) {
  const std::string content = film();
  const media::HashedId large = upload("large000001", content + std::string(1000, '\0'));
  const media::HashedId small = upload("small000001", content);
  ingest(Lane{content.size(), std::chrono::hours(1)});
  EXPECT_EQ(status_of(large), "queued");
  EXPECT_EQ(status_of(small), "ready");

  ingest(Lane{content.size() + 1000, std::chrono::seconds(0)});
  EXPECT_EQ(status_of(large), "processing");
  ingest();  // immediately, although the other consumer has just renewed its claim
  EXPECT_EQ(status_of(large), "ready");
}

TEST_F(RunnerTest, OperationsU12ALongUploadIsBegunOnceInTheLaneWhereItBelongs) {
  // 20 minutes of 1080p in some 100 KB.
  const std::string path = directory_.path("long.mp4");
  const std::string command =
      "cd " + directory_.path("") +
      " && ffmpeg -nostdin -v error -y -f lavfi -i color=red:size=1920x1080:rate=30:duration=20 "
      "-c:v libx264 -preset ultrafast -pix_fmt yuv420p second.mp4 && "
      "ffmpeg -nostdin -v error -y -stream_loop 59 -i second.mp4 -c copy long.mp4";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const media::HashedId id = upload("long0000001", content);
  bool is_begun = false;
  look_ = [&] {
    const fs::path work = directory_.path("media/.work/host-1.short");
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(work, error))
      is_begun = is_begun || entry.path().extension() == ".m4s";
  };
  ingest(kShortLane);
  EXPECT_FALSE(is_begun);
  EXPECT_EQ(status_of(id), "processing");
  stores::IngestQueue queue(store_.redis(), "host-1");
  const auto next = store_.run(queue.next());
  ASSERT_TRUE(next) << "the other consumer may begin it immediately";
  EXPECT_EQ(next->media, id);
  EXPECT_EQ(next->deliveries, 1) << "as its first attempt";
}

// It was deleted: an upload's record is of the commit of its job.
TEST_F(RunnerTest, AJobWithoutARecordEndsAtOnce) {
  const media::HashedId gone = upload("gone0000001", "film");
  server_.command({"DEL", "catalog:media:" + gone.value()});
  ingest();
  stores::IngestQueue queue(store_.redis(), "test");
  EXPECT_TRUE(store_.run(queue.waiting()).empty());
  EXPECT_FALSE(fs::exists(file_of(gone)));
}

TEST_F(RunnerTest, OperationsU53AFileOfAnUploadWithoutAMediaIsDeleted) {
  const media::HashedId kept = upload("kept0000001", "RIFF....AVI LIST....");
  const auto without_media = [&](const char* name) {
    const media::HashedId id = *media::HashedId::parse(name);
    std::ofstream(file_of(id)) << "film";
    return id;
  };
  const media::HashedId refused = without_media("refused0001");
  const media::HashedId lost = without_media("lost0000001");
  const media::HashedId fresh = without_media("fresh000001");
  stores::Uploads uploads(store_.redis());
  store_.run(uploads.discard(refused, {41}));
  store_.run(uploads.discard(kept, {41}));
  fs::last_write_time(file_of(lost), fs::file_time_type::clock::now() - std::chrono::hours(25));
  ingest();
  EXPECT_FALSE(fs::exists(file_of(refused))) << "its second half was refused";
  EXPECT_FALSE(fs::exists(file_of(lost))) << "nginx or a pool ended between the halves, a day ago";
  EXPECT_TRUE(fs::exists(file_of(fresh))) << "its second half may follow";
  EXPECT_TRUE(fs::exists(file_of(kept))) << "it is that of a media";
  EXPECT_EQ(status_of(kept), "failed");
}

TEST_F(RunnerTest, OperationsU37AFailedUploadLosesItsTextsAfterADay) {
  const media::HashedId id = upload("longtext001", "RIFF....AVI LIST....", std::string(8000, 'a'));
  ingest();
  EXPECT_EQ(uploads_of_the_account(), 0) << "it does not count";
  clock_.advance(kDay - kHour);
  ingest();
  EXPECT_EQ(media(id)->description.size(), 8000u);
  EXPECT_GT(server_.command({"STRLEN", "catalog:media:longtext001"}).integer(), 8000);
  clock_.advance(2 * kHour);
  ingest();
  EXPECT_LT(server_.command({"STRLEN", "catalog:media:longtext001"}).integer(), 600);
  EXPECT_EQ(media(id)->name, "film.mp4") << "the name of its file";
  EXPECT_EQ(status_of(id), "failed");
  stores::Uploads uploads(store_.redis());
  EXPECT_EQ(store_.run(uploads.large({41})), 0);
  EXPECT_EQ(jobs({"retry", id.value()}).status, ctl::kDone) << "it can be repeated still";
  EXPECT_EQ(uploads_of_the_account(), 1);
}

TEST_F(RunnerTest, OperationsD8AFilmWhoseRecordWouldBeTooLargeFailsWithWords) {
  const std::string whole = film();
  const auto room = [&](const std::string& name, std::size_t left) {
    const media::HashedId id = upload(name, whole);
    const std::string key = "catalog:media:" + name;
    std::string record = server_.text({"GET", key});
    const std::string_view empty = R"("description":"")";
    record.replace(record.find(empty), empty.size(),
                   R"("description":")" +
                       std::string(media::kMaxMediaRecord - record.size() - left, 'd') + "\"");
    server_.command({"SET", key, record});
    return id;
  };
  const media::HashedId told = room("large000001", 350);
  const media::HashedId full = room("large000002", 10);  // not even its words have room
  const media::HashedId other = upload("other000001", whole);
  ingest([&] { return status_of(other) == "ready"; });
  EXPECT_EQ(status_of(other), "ready") << "other jobs go on";
  EXPECT_EQ(status_of(told), "failed");
  EXPECT_TRUE(media(told)->failure.starts_with("its record cannot be stored: "))
      << media(told)->failure;
  EXPECT_EQ(status_of(full), "failed");
  EXPECT_FALSE(fs::exists(directory_.path("media") + "/large000001"));
  EXPECT_TRUE(fs::exists(file_of(told))) << "as of each upload that failed";
}

// Two accounts filled the store of the service within 83 minutes.
TEST_F(RunnerTest, OperationsU37AnAccountKeepsAThousandFailedUploads) {
  const media::HashedId other = upload("other000001", "RIFF....AVI LIST....", "", 42);
  ingest();
  server_.command(
      {"EVAL",
       "for i = 1, 1003 do redis.call('XADD', 'ingest:dead', '*', 'media', 'failed' .. (10000 "
       "+ i), 'account', '41', 'length', '1', 'name', 'a') redis.call('ZADD', "
       "'ingest:failed:41', i, 'failed' .. (10000 + i)) end",
       "0"});
  ingest();
  EXPECT_EQ(server_.command({"XLEN", "ingest:dead"}).integer(), 1001);
  EXPECT_EQ(server_.command({"ZCARD", "ingest:failed:41"}).integer(), 1000);
  EXPECT_EQ(server_.text({"ZSCORE", "ingest:failed:41", "failed10003"}), "(nil)") << "the oldest";
  EXPECT_EQ(status_of(other), "failed") << "of another account";
  EXPECT_TRUE(fs::exists(file_of(other)));
}

TEST_F(RunnerTest, OperationsU34AFailedUploadBecomesAFilmOnceItsCauseIsRemoved) {
  const std::string whole = film();
  const media::HashedId id = upload("repeated001", whole);
  const media::HashedId other = upload("repeated002", whole);
  std::ofstream(file_of(id), std::ios::binary) << std::string(whole.size(), '\xff');
  std::ofstream(file_of(other), std::ios::binary) << std::string(whole.size(), '\xff');
  ingest();
  EXPECT_EQ(status_of(id), "failed");
  std::ofstream(file_of(id), std::ios::binary) << whole;
  std::ofstream(file_of(other), std::ios::binary) << whole;

  EXPECT_EQ(jobs({"retry", "--all", "--account", "42"}).err, "no such job has failed\n");
  EXPECT_EQ(jobs({"retry", "--all", "--status", "given-up"}).err, "no such job has failed\n");
  EXPECT_EQ(jobs({"retry"}).status, ctl::kWrongCall);
  EXPECT_EQ(jobs({"retry", id.value(), "--all"}).status, ctl::kWrongCall);
  EXPECT_EQ(jobs({"retry", "--all", "--account", "41", "--status", "failed"}).status, ctl::kDone);
  ingest();
  for (const media::HashedId& each : {id, other}) {
    EXPECT_EQ(status_of(each), "ready");
    EXPECT_FALSE(fs::exists(file_of(each))) << "the upload of a film that is ready";
  }
  EXPECT_EQ(server_.command({"XLEN", "ingest:dead"}).integer(), 0);
}

TEST_F(RunnerTest, AConversionKeepsAPosterThatWasSet) {
  const media::HashedId id = upload("posterset01", film());
  stores::CatalogRegistry registry(store_.redis());
  store_.run(registry.change_media(id, [](media::Media& record) {
    record.set_poster = media::SetPoster{"https://img.example/a.jpg", std::nullopt};
    record.thumbnail = media::Thumbnail{"https://img.example/a.jpg", media::Dimensions{8, 6}};
    return true;
  }));
  ingest();
  ASSERT_EQ(status_of(id), "ready");
  EXPECT_EQ(media(id)->thumbnail->url, "https://img.example/a.jpg");
  EXPECT_EQ(media::own_poster(*media(id))->url, "/files/posterset01/poster.jpg");
}

// Knowing the address is not enough to get a file between the upload and its film.
TEST_F(RunnerTest, OembedW11AnUploadThatIsPrivateIsNeverOpen) {
  for (const media::Visibility visibility :
       {media::Visibility::Private, media::Visibility::Public}) {
    const bool is_private = visibility == media::Visibility::Private;
    SCOPED_TRACE(to_text(visibility));
    visibility_ = visibility;
    const media::HashedId id = upload(is_private ? "hidden00001" : "seen0000001", film());
    const fs::path folder = fs::path(directory_.path("media")) / id.value();
    int looks = 0;
    look_ = [&] {
      if (!fs::exists(folder)) return;
      ++looks;
      const bool is_closed = fs::exists(folder / ".guarded") && fs::exists(folder / ".private");
      EXPECT_TRUE(is_closed || !is_private);
    };
    ingest();
    look_ = [] {};
    ASSERT_EQ(status_of(id), "ready");
    EXPECT_GT(looks, 0);
    const std::int64_t number = media(id)->links_from.value_or(0);
    EXPECT_EQ(number > 0, is_private);
    EXPECT_EQ(fs::exists(folder / ".guarded"), is_private);
    EXPECT_EQ(fs::exists(folder / ".private"), is_private);
    // An open film has it, too, in case its account gets a list of sites.
    EXPECT_TRUE(fs::exists(folder / (".guarded-" + std::to_string(number))));
  }
}

// Folders of versions before svc-keeper, which is of the same group, and those of backups.
TEST_F(RunnerTest, LetsItsGroupMarkTheFoldersOfFilms) {
  const std::string media = directory_.path("media");
  const auto made = [&](const std::string& name) {
    fs::create_directories(media + "/" + name);
    fs::permissions(media + "/" + name, fs::perms(0755));
    return media + "/" + name;
  };
  const std::vector<std::string> shared{made("filmfilm01"), made(".accounts"),
                                        made(".accounts/41")};
  const std::string below = made("filmfilm01/360p");
  ingest();
  for (const std::string& folder : shared)
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms(0775)) << folder;
  EXPECT_EQ(fs::status(below).permissions(), fs::perms(0755)) << "it has no markers";
}

// svc-ingest ended between the steps of a failure: the job is begun again.
TEST_F(RunnerTest, OperationsU34AnInterruptedFailureKeepsTheUpload) {
  const media::HashedId id = upload("halfway0001", "RIFF....AVI LIST....");
  stores::CatalogRegistry registry(store_.redis());
  store_.run(registry.change_media(id, [](media::Media& record) {
    record.status = media::Status::Failed;
    record.failure = "The file is damaged.";
    return true;
  }));
  ingest();
  EXPECT_EQ(status_of(id), "failed");
  EXPECT_TRUE(fs::exists(file_of(id)));
  // It dies again, after the job was kept and before it was ended.
  const auto dead = server_.command({"XRANGE", "ingest:dead", "-", "+"});
  ASSERT_EQ(dead.size(), 1u);
  server_.command(
      {"XADD", "ingest:dead", "*", "media", id.value(), "account", "41", "length", "20"});
  EXPECT_EQ(jobs({"retry", id.value()}).status, ctl::kDone);
  ingest();
  EXPECT_EQ(server_.command({"XLEN", "ingest:dead"}).integer(), 1);
  EXPECT_TRUE(fs::exists(file_of(id)));
}

}  // namespace
}  // namespace svc::ingest
