// Runner: the work of svc-ingest. Takes one job after the other from the queue and
// makes a media of each upload. Does the FileJobs, also while it converts.
//
// Every step may be interrupted by kill -9 and is repeated then:
//
//   uploads/<id>                  the upload, until its media is ready; if it
//                                 failed, for some days after that
//   media/.work/<consumer>/<id>/  the files while they are made; deleted at the start
//   media/<id>/                   the finished files, renamed to this in one step; closed to all
//                                 (keeper/markers.h) until the record was read
//   catalog:media:<id>            refers to them afterwards; then the upload is
//                                 deleted and the job finished. If it failed,
//                                 the job goes to ingest:dead
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/surroundings.h"
#include "ingest/jobs/file_jobs.h"
#include "ingest/transcoder.h"
#include "keeper/guards.h"
#include "loop/loop.h"
#include "media/media.h"
#include "redis/store.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/ingest_queue.h"
#include "stores/catalog/uploads.h"
#include "stores/record.h"

namespace svc::ingest {

// Lane: the jobs that one process takes from the queue. The lane for short files leaves
// long files to the other process, so that a short file does not wait for hours.
struct Lane {
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();  // per upload
  // The process leaves a job to the other lane if it will take longer; also if it has taken
  // kMisjudged times as long.
  base::Duration most_time = base::Duration::max();
  static constexpr int kMisjudged = 3;
};
inline constexpr Lane kShortLane{32 << 20, std::chrono::minutes(1)};

class Runner {
 public:
  // How often a job is begun before it is given up.
  static constexpr std::int64_t kMaxDeliveries = 5;

  // All references must outlive it. `failed_kept`: how long an upload that failed
  // stays, with its media. `consumer`: the name of this machine and lane.
  Runner(redis::Store& store, loop::Loop& loop, Folders folders, const Limits& limits,
         std::chrono::seconds failed_kept, std::string consumer, const base::WallClock& clock,
         base::Surroundings surroundings, const Lane& lane = {});

  // Works until it should stop. A job that is interrupted by that is begun
  // again at the next start. While the media folder cannot store files, jobs wait.
  void run();

  // Takes and handles one job. Returns false if none waits. Throws
  // base::Unavailable and base::Unreadable.
  bool run_one();

 private:
  enum class Outcome { Finished, Later, Buried };

  template <class T>
  T wait(loop::Task<T> task) {
    return stores::run_or_unreadable(loop_, std::move(task));
  }
  // Runs a part of run()'s round. Returns false if a value in a key of this part cannot be read:
  // the other parts go on.
  static bool attempt(const std::function<bool()>& part);
  Outcome ingest(const stores::IngestJob& job);
  Outcome convert(const stores::IngestJob& job, const media::Media& media);
  Outcome store(const stores::IngestJob& job, const std::string& work, Product product,
                base::TimePoint began);
  // Returns false and sets errno if it cannot.
  bool closes(const std::string& folder);
  Outcome give_up(const stores::IngestJob& job);
  // How fast this machine converts.
  void learn(double pixels, double seconds);
  // The machine failed, not the file.
  Outcome delay(const stores::IngestJob& job, const Failure& failure);
  // Returns false if the media was deleted, or has an end already.
  bool is_processing(const stores::IngestJob& job);
  // `why` is the reason for the media's owner, `job.reason` that for the operator.
  Outcome fail(stores::IngestJob job, const std::string& why);
  // The same, if the file or what it becomes cannot be stored.
  Outcome refuse(stores::IngestJob job, const std::string& why);
  bool is_wanted(const stores::IngestJob& job);
  // Asks until the store answers: the work of hours must not be lost to its
  // restart. Returns nullopt if it should stop first.
  std::optional<bool> persistently(const std::function<bool()>& ask);
  bool keep_alive(const stores::IngestJob& job, double progress, bool& removed);
  void clean_up();
  std::unordered_set<std::string> forget_old_jobs();
  // Jobs in ingest:dead, one per media, the oldest first.
  std::vector<stores::IngestJob> failed_jobs();
  // Deletes the failed uploads above the limit per account, and files that take too much space.
  void bound_failures(std::vector<stores::IngestJob>& failed);
  bool has_many_failures() const;
  // Deletes the client's texts from the record of a failed upload.
  void shorten(const stores::IngestJob& dead);
  // Deletes the upload of a job in ingest:dead, the media unless it is ready, and
  // the entry.
  void forget(stores::IngestJob dead);
  std::string upload_of(const media::HashedId& id) const;
  std::string folder_of(const media::HashedId& id) const;

  redis::Store& store_;
  loop::Loop& loop_;
  const Folders folders_;
  const Limits limits_;
  const std::chrono::seconds failed_kept_;
  const std::string work_;
  const base::WallClock& clock_;
  const base::Surroundings surroundings_;
  const Lane lane_;
  stores::IngestQueue queue_;
  stores::CatalogRegistry registry_;
  // Jobs that wait for room in the media folder, by id of the entry: until when.
  std::unordered_map<std::string, base::TimePoint> postponed_;
  std::unordered_set<std::string> too_long_;  // ids of entries that the other lane takes
  // Of conversions on this machine. At first a guess: two processors of 2020 with our settings.
  double seconds_per_pixel_ = 1 / 80e6;
  std::uint64_t failed_bytes_ = 0;  // bytes of files whose jobs failed since the last clean_up()
  int failed_ = 0;
  keeper::Guards guards_;
  FileJobs file_jobs_;
};

}  // namespace svc::ingest
