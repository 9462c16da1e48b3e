// FileJobs: deletes, copies and transfers files of media, as the stream ingest:deletions requests.
//
// A job may be added before the records are changed that it belongs to: it waits for them. Every
// job may be interrupted after any step and is begun again, also by two processes at the same time.
//
//   deletion   media/<id>/ and the media's other folders, once the record is deleted
//   poster     a JPEG of an image is made as media/<id>/still-<entry>.jpg, then the record names
//   it;
//              a former copy is deleted
//   still      the same, with a picture of the video that is made for it (ingest/still.h); if that
//              fails, the record contains the failure
//   swap       the bytes of the files are counted; later the former files are deleted
//   guard      of an earlier version: GuardJobs do it
//
// Accounts take turns: one with many jobs delays another by one job. A pass tries each job once, in
// the order of its account: posters before deletions, for one that was added just before a poster
// may delete the picture's folder.
//
// No folder or file is deleted that a record names, or that a poster is still to be copied from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ingest/commands.h"
#include "ingest/failure.h"
#include "ingest/limits.h"
#include "keeper/guards.h"
#include "loop/loop.h"
#include "media/media.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/guard_queue.h"
#include "stores/catalog/ingest_job.h"
#include "stores/catalog/ingest_queue.h"
#include "stores/record.h"

namespace svc::ingest {

struct Folders {
  std::string uploads;
  std::string media;
};

class FileJobs {
 public:
  // All references outlive it. `work`: a folder of this process on the disk of the media. `alive`:
  // called at least every few seconds.
  FileJobs(stores::IngestQueue& queue, stores::CatalogRegistry& registry, redis::Store& store,
           keeper::Guards& guards, loop::Loop& loop, Folders folders, std::string work,
           const Limits& limits, const base::WallClock& clock, std::function<void()> alive);

  // Tries some of the jobs. Returns true if the next call has more to do. Throws
  // base::Unavailable.
  bool run();

 private:
  enum class Outcome { Finished, Later };
  // The state of a job that cannot be finished yet.
  struct Waiting {
    base::TimePoint since{};
    std::string folder{};     // from which it copies; "": none
    bool is_counted = false;  // swap: whether the media's bytes are
    bool is_guarded = false;  // swap: whether all its folders are
    std::string former{};     // still: the media's former poster
    int attempts = 0;         // to make a picture
    base::TimePoint again{};  // time of the next one
    std::string failure{};    // why there will be no other
  };
  using AllWaiting = std::unordered_map<std::string, Waiting>;  // by id of the entry
  // The jobs of an account that this pass has not tried, in their order.
  using Turns = std::map<std::int64_t, std::map<std::pair<int, std::string>, stores::FilesJob>>;

  template <class T>
  T wait(loop::Task<T> task) {
    return stores::run_or_unreadable(loop_, std::move(task));
  }
  // Reads what was added since it was called, or all in a new pass.
  void read_on();
  // Returns nullopt if this pass has tried all jobs.
  std::optional<stores::FilesJob> next();
  Outcome handle(const stores::FilesJob& job);
  Outcome outcome_of(const stores::FilesJob& job, Waiting& waiting);
  Outcome remove(const stores::FilesJob& job);
  // Returns false if the folder is to stay for now.
  bool remove_unused(const media::HashedId& folder);
  Outcome change_poster(const stores::FilesJob& job, Waiting& waiting);
  Outcome copy_poster(const stores::FilesJob& job, const media::Media& media, Waiting& waiting);
  // Places the picture that `make` makes in `folder`, unless it is too early for another attempt.
  enum class Made { Placed, Later, Never };
  Made make_once(const std::function<std::optional<Failure>()>& make, const std::string& folder,
                 const stores::FilesJob& job, const media::HashedId& media, Waiting& waiting);
  Outcome set_still(const stores::FilesJob& job, const media::Media& media, Waiting& waiting);
  // Returns false if the picture was not made now.
  bool make_still(const stores::FilesJob& job, const media::Media& media, const Moment& moment,
                  Waiting& waiting);
  void fail_still(const stores::FilesJob& job, const std::string& reason);
  // Returns false if the disk does not take the file for now.
  bool place(const std::string& from, std::uint64_t size, const media::HashedId& media,
             const std::string& name);
  // The record did not take it: deletes it, unless another process has set it.
  void remove_copy(const media::HashedId& media, const std::string& name);
  Outcome leave_to_guards(const stores::FilesJob& job);
  Outcome swap(const stores::FilesJob& job, Waiting& waiting);
  // Deletes the other media of a swap that the version before wrote in steps, and did not end.
  void end_left(const stores::FilesJob& job, const media::Media& media);
  // Deletes the files that the folder's media does not name. Returns false if it must wait.
  bool tidy(const media::HashedId& folder);
  void count_bytes(const media::Media& media);

  bool is_late(const Waiting& waiting) const;
  bool is_copied_from(const media::HashedId& folder) const;
  std::optional<media::Media> find(const media::HashedId& id) { return guards_.find(id); }
  std::optional<media::Media> owner_of(const media::HashedId& folder) {
    return wait(registry_.owner_of_files(folder));
  }
  std::string folder_of(const media::HashedId& id) const;

  stores::IngestQueue& queue_;
  stores::CatalogRegistry& registry_;
  stores::GuardQueue guard_queue_;
  keeper::Guards& guards_;
  loop::Loop& loop_;
  const Folders folders_;
  const std::string work_;
  const Limits limits_;
  const base::WallClock& clock_;
  const std::function<void()> alive_;
  // Of this pass: what it has not tried, the last account that had a turn, and the last entry that
  // was read.
  Turns turns_;
  std::int64_t last_ = 0;
  std::string at_;
  AllWaiting waiting_;  // in the last pass
  AllWaiting seen_;     // in this pass
  std::vector<std::string> deleted_;
};

}  // namespace svc::ingest
