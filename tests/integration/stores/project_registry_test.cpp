#include "stores/catalog/project_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/entropy.h"
#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "integration/trips.h"
#include "library/project_service.h"
#include "stores/audit.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/uploads.h"

namespace svc {
namespace {

constexpr media::AccountId kProjectOwner{7};
const char* const kOldProject = "catalog:project:old";
const char* const kMovedMedia = "catalog:media:moved";

media::Media media_of(const std::string& id) {
  media::Media media;
  media.id = *media::HashedId::parse(id);
  media.account = kProjectOwner;
  media.type = "Video";
  media.name = "A film";
  media.created = media.updated = "2026-03-01T10:00:00Z";
  return media;
}

// A process: it has a connection and a loop, runs one task, and can be stopped after each reply.
class Process {
 public:
  enum class End { Done, Refused, Failed };

  explicit Process(const integration::RedisServer& server) : store_(observed(server)) {
    store_.run(store_.redis().ping());
  }

  // Until the next reply has been taken, and the next command has not been sent.
  void step() {
    const int before = trips_.count;
    while (!end_ && trips_.count == before) store_.loop().turn(std::chrono::seconds(1));
  }
  void steps(int count) {
    for (int i = 0; i < count && !end_; ++i) step();
  }
  End finish() {
    while (!end_) step();
    return *end_;
  }
  bool has_ended() const { return end_.has_value(); }

  void remove_project() { store_.tasks().spawn(removing()); }
  void move_media() { store_.tasks().spawn(moving()); }
  void upload_media() { store_.tasks().spawn(uploading()); }

 private:
  redis::ConnectionSettings observed(const integration::RedisServer& server) {
    redis::ConnectionSettings settings = server.settings();
    settings.observer = &trips_;
    return settings;
  }
  loop::Task<> removing() {
    loop::Task<std::optional<library::NotRemoved>> task = service_.remove(project_, any_, actor_);
    const std::optional<library::NotRemoved> refused = co_await task;
    end_ = refused ? End::Refused : End::Done;
  }
  loop::Task<> moving() {
    loop::Task<base::Result<std::size_t, library::Missing>> task =
        service_.move(ids_, project_.value(), actor_);
    const base::Result<std::size_t, library::Missing> moved = co_await task;
    end_ = moved ? End::Done : End::Refused;
  }
  loop::Task<> uploading() {
    std::optional<media::UploadPlace> no_limits;
    loop::Task<std::optional<media::Uploads::NotAdded>> task =
        uploads_.add(uploaded_, file_, no_limits);
    const std::optional<media::Uploads::NotAdded> refused = co_await task;
    end_ = refused ? End::Refused : End::Done;
  }

  integration::Trips trips_;
  base::SystemEntropy entropy_;
  fakes::ManualWallClock clock_;
  integration::Store store_;
  stores::Catalog catalog_{store_.redis()};
  stores::ProjectRegistry projects_{store_.redis()};
  stores::CatalogIndex listings_{store_.redis()};
  stores::Uploads uploads_{store_.redis()};
  stores::Audit audit_{store_.redis()};
  library::ProjectService service_{catalog_, projects_, listings_, audit_, entropy_, clock_};
  const media::ProjectId project_{"old"};
  const library::Actor actor_{.account = kProjectOwner};
  const library::ProjectCondition any_;
  const std::vector<std::string> ids_{"moved"};
  const media::Media uploaded_ = [] {
    media::Media media = media_of("moved");
    media.project = media::ProjectId{"old"};
    return media;
  }();
  const media::UploadedFile file_{"a.mp4", 0, 9};
  std::optional<End> end_;
};

using Starts = void (Process::*)();

class ProjectDeletion : public testing::Test {
 protected:
  // Stores a project without media and, if `is_upload` is false, a media without a project.
  void reset(bool is_upload) {
    server_.command({"FLUSHALL"});
    server_.command({"SET", kOldProject, to_record(project())});
    if (!is_upload) server_.command({"SET", kMovedMedia, to_record(media_of("moved"))});
  }
  static media::Project project() {
    return {.id = {"old"},
            .account = kProjectOwner,
            .name = "Old",
            .description = "",
            .created = "2026-01-05T09:00:00Z",
            .updated = "2026-01-05T09:00:00Z"};
  }
  bool has_project() { return server_.command({"EXISTS", kOldProject}).integer() == 1; }
  bool has_media_in_project() {
    return server_.text({"GET", kMovedMedia}).find(R"("project_id":"old")") != std::string::npos;
  }
  std::unique_ptr<Process> started(Starts starts) {
    auto process = std::make_unique<Process>(server_);
    ((*process).*starts)();
    return process;
  }
  // How many replies that takes if nothing else happens.
  int length_of(Starts starts, bool is_upload) {
    reset(is_upload);
    const auto process = started(starts);
    int steps = 0;
    for (; !process->has_ended(); ++steps) process->step();
    return steps;
  }

  integration::RedisServer server_;
};

struct TwoProcesses {
  std::string name;
  Starts first;
  Starts second;
  bool is_upload;
};
const std::vector<TwoProcesses>& every_two() {
  static const std::vector<TwoProcesses> kEvery{
      {"a deletion, then a move", &Process::remove_project, &Process::move_media, false},
      {"a move, then a deletion", &Process::move_media, &Process::remove_project, false},
      {"a deletion, then an upload", &Process::remove_project, &Process::upload_media, true},
      {"an upload, then a deletion", &Process::upload_media, &Process::remove_project, true}};
  return kEvery;
}

// The first process runs `first` steps, the second process `second` steps, and the first process
// `again` further steps. Then the second process ends, and after it the first.
TEST_F(ProjectDeletion, ExactlyOneOfDeletionAndMoveSucceedsInAnyOrderOfTheirSteps) {
  using enum Process::End;
  for (const TwoProcesses& two : every_two()) {
    SCOPED_TRACE(two.name);
    const int length = length_of(two.first, two.is_upload);
    const int other_length = length_of(two.second, two.is_upload);
    ASSERT_GE(std::min(length, other_length), 1);
    for (int first = 0; first < length; ++first) {
      for (int second = 1; second <= other_length; ++second) {
        for (int again = 0; again <= length - first; again += 3) {
          reset(two.is_upload);
          const auto one = started(two.first);
          const auto other = started(two.second);
          one->steps(first);
          other->steps(second);
          one->steps(again);
          const Process::End other_end = other->finish();
          const Process::End end = one->finish();
          const bool is_first_deletion = two.first == &Process::remove_project;
          const bool is_deleted = (is_first_deletion ? end : other_end) == Done;
          const bool is_added = (is_first_deletion ? other_end : end) == Done;
          ASSERT_NE(is_deleted, is_added) << first << " " << second << " " << again;
          ASSERT_EQ(has_project(), !is_deleted) << first << " " << second << " " << again;
          ASSERT_EQ(has_media_in_project(), is_added) << first << " " << second << " " << again;
        }
      }
    }
  }
}

// As above, but the first process dies instead.
TEST_F(ProjectDeletion, AProcessThatDiesLeavesNoMediaWithoutItsProject) {
  for (const TwoProcesses& two : every_two()) {
    SCOPED_TRACE(two.name);
    const int length = length_of(two.first, two.is_upload);
    const int other_length = length_of(two.second, two.is_upload);
    for (int first = 0; first <= length; ++first) {
      for (int second = 0; second <= other_length; ++second) {
        for (int again = 0; again <= length - first; again += 3) {
          reset(two.is_upload);
          auto one = started(two.first);
          const auto other = started(two.second);
          one->steps(first);
          other->steps(second);
          one->steps(again);
          one.reset();
          other->finish();
          ASSERT_TRUE(has_project() || !has_media_in_project())
              << first << " " << second << " " << again;
        }
      }
    }
  }
}

TEST_F(ProjectDeletion, IsOfTheRecordThatWasRead) {
  reset(false);
  integration::Store store{server_};
  stores::ProjectRegistry projects{store.redis()};
  using Removed = media::ProjectRecords::Removed;
  // Another writer is faster, once.
  int asked = 0;
  const auto rename = [&](const media::Project* read) {
    media::Project renamed = project();
    renamed.name = "New";
    if (asked++ == 0) server_.command({"SET", kOldProject, to_record(renamed)});
    return read->name == "Old";
  };
  EXPECT_EQ(store.run(projects.remove_project({"old"}, kProjectOwner, rename)), Removed::Refused);
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(has_project());
  const auto any = [](const media::Project*) { return true; };
  EXPECT_EQ(store.run(projects.remove_project({"none"}, kProjectOwner, any)), Removed::Missing);
  EXPECT_EQ(store.run(projects.move_medias(kProjectOwner, {"none"}, {}, "")), 0u);
  const media::HashedId moved = *media::HashedId::parse("moved");
  EXPECT_EQ(store.run(projects.move_medias(kProjectOwner, {"none"}, {moved}, "")), std::nullopt);
  EXPECT_EQ(store.run(projects.move_medias(media::AccountId{8}, {"old"}, {moved}, "")),
            std::nullopt);
}

}  // namespace
}  // namespace svc
