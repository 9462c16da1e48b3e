// FileJobs: deletes, copies and transfers files of media, as the stream ingest:deletions requests.
//
// A job is added before the records are changed that it belongs to, so it waits for them. Every job
// may be interrupted after any step and is begun again, also by two processes at the same time.
//
//   deletion   media/<id>/ and the media's other folders, once the record is deleted
//   poster     a picture is copied to media/<id>/still-<entry>.<ending>, then the record names it;
//              a former copy is deleted
//   still      the same, with a picture of the video that is made for it (ingest/still.h); if that
//              fails, the record contains the failure
//   swap       a swap that was interrupted is completed; later the former files are deleted
//   guard      media/<id>/ and the media's other folders get the markers that its record demands,
//              not the job (ingest/jobs/markers.h)
//   guard of an account
//              the same of each of its media. Twice: once its record is written, and late, for
//              media whose writer read it before. A later job of the account replaces it
//
// No folder or file is deleted that a record names, or that a poster is still to be copied from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "ingest/commands.h"
#include "ingest/limits.h"
#include "loop/loop.h"
#include "media/media.h"
#include "stores/catalog_registry.h"
#include "stores/ingest_job.h"
#include "stores/ingest_queue.h"

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
           loop::Loop& loop, Folders folders, std::string work, const Limits& limits,
           const base::WallClock& clock, std::function<void()> alive);

  // Executes the jobs that are ready. Returns true if the next call has more to do. Throws
  // base::Unavailable.
  bool run();

  // Marks a folder as the record of its media demands, also against another process that does so.
  // Returns false, and logs it, if the disk refuses. Throws base::Unavailable, base::Unreadable.
  bool guard(const media::HashedId& folder);

 private:
  enum class Outcome { Finished, Later };
  // Over the media of an account.
  struct Walk {
    std::vector<media::HashedId> next{};
    std::string after{};  // in the index; read in pieces
    bool is_read = false;
    bool is_last = false;
    bool has_failed = false;
  };
  // The state of a job that cannot be finished yet.
  struct Waiting {
    base::TimePoint since{};
    std::string folder{};        // from which it copies; "": none
    bool is_counted = false;     // swap: whether the media's bytes are
    bool is_guarded = false;     // swap: whether all its folders are
    std::string former{};        // still: the media's former poster
    int attempts = 0;            // still
    base::TimePoint again{};     // still: time of the next attempt
    std::optional<Walk> walk{};  // guard of an account
    bool has_walked = false;     // the same
  };
  using AllWaiting = std::unordered_map<std::string, Waiting>;  // by id of the entry

  template <class T>
  T wait(loop::Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }
  // The jobs in the order in which they are to be handled.
  std::vector<stores::FilesJob> in_order(std::vector<stores::FilesJob> jobs);
  void handle(const stores::FilesJob& job);
  Outcome outcome_of(const stores::FilesJob& job, Waiting& waiting);
  Outcome remove(const stores::FilesJob& job);
  // Returns false if the folder is to stay for now.
  bool remove_unused(const media::HashedId& folder, bool is_late);
  Outcome change_poster(const stores::FilesJob& job, Waiting& waiting);
  Outcome copy_poster(const stores::FilesJob& job, const media::Media& media);
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
  Outcome guard_media(const stores::FilesJob& job, const Waiting& waiting);
  Outcome guard_account(const stores::FilesJob& job, Waiting& waiting);
  Walk begin_walk(media::AccountId account);
  // Guards the next media. Returns true if they were the last.
  bool go_on(media::AccountId account, Walk& walk);
  bool guard_all(const media::Media& media);
  // The media with files in a folder: that which has got it by a swap, and that of its id. Both
  // only if it was imported again, which no import does any more.
  std::vector<media::Media> media_of(const media::HashedId& folder);
  Outcome swap(const stores::FilesJob& job, Waiting& waiting);
  // Completes a swap whose process ended before it deleted the other media.
  void complete(const stores::FilesJob& job);
  // Deletes the files that the folder's media does not name. Returns false if it must wait.
  bool tidy(const media::HashedId& folder);
  void count_bytes(const media::Media& media);

  bool is_late(const Waiting& waiting) const;
  bool is_copied_from(const media::HashedId& folder) const;
  std::optional<media::Media> find(const media::HashedId& id);
  media::SiteRule rule_of(media::AccountId id);
  using Owner = stores::CatalogRegistry::FilesOwner;
  using Use = Owner::Use;
  Owner owner_of(const media::HashedId& folder) { return wait(registry_.find_files_owner(folder)); }
  std::string folder_of(const media::HashedId& id) const;

  stores::IngestQueue& queue_;
  stores::CatalogRegistry& registry_;
  redis::Store& store_;
  loop::Loop& loop_;
  const Folders folders_;
  const std::string work_;
  const Limits limits_;
  const base::WallClock& clock_;
  const std::function<void()> alive_;
  // The stream is read in pieces, over and over, so that jobs that wait delay no other.
  std::string at_;
  AllWaiting waiting_;  // in the last pass
  AllWaiting seen_;     // in this pass
  std::vector<std::string> deleted_;
  std::uint64_t finished_ = 0;
  bool goes_on_ = false;
};

}  // namespace svc::ingest
