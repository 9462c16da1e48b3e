// IngestQueue: the reading end of the list ingest:incoming, whose jobs it moves to
// the stream ingest:jobs, and of ingest:deletions, for svc-ingest and svcctl. Consumer group
// "ingest" of the jobs: each job belongs to one consumer at a time, which renews its claim while it
// works. A claim that is not renewed for kClaim passes to the consumer that asks next. Jobs of
// files have no group: two consumers may do the same one.
//
// Accounts take turns by the time that their jobs took: one with many or long jobs
// delays another by one job only.
//
// All throw base::Unavailable, also for an error reply.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "media/media.h"
#include "redis/store.h"
#include "stores/catalog/ingest_job.h"

namespace svc::stores {

class IngestQueue {
 public:
  static constexpr std::chrono::milliseconds kClaim{60'000};
  static constexpr std::chrono::hours kForgotten{3};

  // `consumer`: the name of this machine, so that a new process continues the
  // jobs of the one before.
  IngestQueue(redis::Store& store, std::string consumer)
      : store_(store), consumer_(std::move(consumer)) {}

  // Makes the stream and the group, unless they exist.
  loop::Task<> open();
  // Claims and returns the next job: first a job that this consumer has begun and not finished;
  // then, of the jobs that no consumer works on, the oldest of the account of which the fewest are
  // being done, whose jobs took the fewest minutes here, and whose last turn here is the longest
  // ago. Passes over jobs that are not wanted. nullopt: none waits.
  using Wanted = std::function<bool(const IngestJob&)>;
  loop::Task<std::optional<IngestJob>> next(Wanted wanted = [](const IngestJob&) { return true; });
  // Adds the job's duration to the account's. Half of it is forgotten after kForgotten (3 h) of
  // such time.
  void count(const IngestJob& job, std::chrono::duration<double> taken);
  // Renews the claim.
  loop::Task<> renew(IngestJob job);
  // How far it is, from 0 to 1.
  loop::Task<> set_progress(media::HashedId media, double progress);
  // This attempt does not count.
  loop::Task<> put_back(IngestJob job);
  // This attempt does not count, and another consumer may begin the job immediately.
  loop::Task<> hand_over(IngestJob job);
  // Ends the job.
  loop::Task<> finish(IngestJob job);
  // The media is not among the account's uploads: it never got a record, or lost it.
  loop::Task<> forget_upload(media::AccountId account, media::HashedId media);
  // Ends all jobs of media that were deleted, also those that failed. `media`: their ids.
  loop::Task<> end_jobs_of(std::unordered_set<std::string> media);
  // The media failed, and does not count among the account's uploads; or it is
  // among them again. May be repeated.
  loop::Task<> list_failed(const media::Media& media);
  loop::Task<> list_again(const media::Media& media);
  // The media's record, which is in the store, has a new size. May be repeated.
  loop::Task<> weigh(const media::Media& media);
  // The media's files have this size together; 0: it has none. May be repeated.
  loop::Task<> count_bytes(media::AccountId account, media::HashedId media, std::uint64_t bytes);
  // Ends the job and keeps it in ingest:dead, until it is forgotten. `job` has
  // its reason.
  loop::Task<> bury(IngestJob job);

  // All jobs that are not finished, the oldest first.
  loop::Task<std::vector<IngestJob>> waiting();
  // The jobs that failed, the oldest first. A job that was interrupted when it
  // failed may be in the list twice.
  loop::Task<std::vector<IngestJob>> dead();
  // Adds a job from ingest:dead to ingest:jobs again. Then forget() ends the entry.
  loop::Task<> revive(IngestJob job);
  loop::Task<> forget(IngestJob dead);

  // The jobs of ingest:deletions, at most `most`, the oldest first, of those after the entry
  // `after`.
  loop::Task<std::vector<FilesJob>> files_jobs(std::size_t most, std::string after = "");
  loop::Task<> finish(FilesJob job);

 private:
  // The group's data about a job that was begun.
  struct Claim {
    std::string consumer;
    std::chrono::milliseconds idle{};
    std::int64_t deliveries = 0;
  };
  using Claims = std::unordered_map<std::string, Claim>;  // by id of the entry

  loop::Task<Claims> claims();
  // Moves all jobs of ingest:incoming to ingest:jobs. If two consumers do this, the consumer that
  // removes a job from the list leaves it in the stream. If that is interrupted, the job may be in
  // the stream twice, which is harmless.
  loop::Task<> take_in();
  loop::Task<std::string> add(IngestJob job);  // to ingest:jobs; returns the id of the entry
  // Puts the jobs that may be begun into the order in which to try them.
  std::vector<const IngestJob*> order(const std::vector<IngestJob>& jobs,
                                      const Claims& claims) const;
  // Returns false if another consumer was faster.
  loop::Task<bool> claim(const IngestJob& job, std::chrono::milliseconds idle);
  loop::Task<> drop(std::string id);

  redis::Store& store_;
  const std::string consumer_;
  std::uint64_t turn_ = 0;
  std::unordered_map<std::int64_t, std::uint64_t> last_turns_;             // by account
  std::unordered_map<std::int64_t, std::chrono::duration<double>> taken_;  // the same
};

}  // namespace svc::stores
