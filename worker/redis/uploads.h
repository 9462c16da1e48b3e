// Uploads in Redis: the writing end of the stream of jobs, ingest:jobs, which
// redis/ingest_queue.h reads.
//
// A job is written before its record. So no record waits for a job that does
// not exist. svc-ingest drops a job, and its file, if the record does not follow
// within twice kLongest.
#pragma once

#include <chrono>

#include "media/uploads.h"
#include "redis/store.h"

namespace svc::redis {

class Uploads : public media::Uploads {
 public:
  // If both writes take longer, add() takes the record back and throws.
  static constexpr std::chrono::seconds kLongest{30};

  explicit Uploads(Store& store) : store_(store) {}

  loop::Task<> add(media::Media media, media::UploadedFile file) override;
  loop::Task<double> progress(media::HashedId id) override;
  loop::Task<> remove(media::HashedId id) override;

 private:
  Store& store_;
};

}  // namespace svc::redis
