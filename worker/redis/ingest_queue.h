// IngestQueue: the reading end of the stream of jobs, ingest:jobs, for
// svc-ingest and svcctl. Consumer group "ingest": each job belongs to one
// consumer at a time, which renews its claim while it works. A claim that is
// not renewed for kClaim passes to the consumer that asks next.
//
// All throw base::Unavailable, also for an error reply.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "redis/ingest_job.h"
#include "redis/store.h"

namespace svc::redis {

class IngestQueue {
 public:
  static constexpr std::chrono::milliseconds kClaim{60'000};
  static constexpr const char* kMaxDead = "10000";  // entries of ingest:dead, about

  // `consumer`: the name of this machine, so that a new process continues the
  // jobs of the one before.
  IngestQueue(Store& store, std::string consumer) : store_(store), consumer_(std::move(consumer)) {}

  // Makes the stream and the group, unless they exist.
  loop::Task<> open();
  // Returns the next job: first one that this consumer has begun and not
  // finished, then one whose claim ended, then a new one. nullopt: none waits.
  loop::Task<std::optional<IngestJob>> next();
  // Renews the claim.
  loop::Task<> renew(IngestJob job);
  // How far it is, from 0 to 1.
  loop::Task<> set_progress(media::HashedId media, double progress);
  // This attempt does not count.
  loop::Task<> put_back(IngestJob job);
  // Ends the job.
  loop::Task<> finish(IngestJob job);
  // Ends the job and keeps it in ingest:dead.
  loop::Task<> bury(IngestJob job, std::string reason);

  // All jobs that are not finished, the oldest first.
  loop::Task<std::vector<IngestJob>> waiting();
  // The jobs that were given up.
  loop::Task<std::vector<IngestJob>> dead();
  // Moves a job from ingest:dead to ingest:jobs.
  loop::Task<> revive(IngestJob job);
  loop::Task<> forget(IngestJob dead);

 private:
  loop::Task<std::optional<IngestJob>> with_deliveries(IngestJob job);
  loop::Task<> drop(std::string id);

  Store& store_;
  const std::string consumer_;
};

}  // namespace svc::redis
