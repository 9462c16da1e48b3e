// Uploads in Redis: the writing end of the stream of jobs, ingest:jobs, which
// redis/ingest_queue.h reads.
//
// A job is written before its record. So no record waits for a job that does
// not exist; a job without a record is dropped, with its file.
#pragma once

#include "media/uploads.h"
#include "redis/store.h"

namespace svc::redis {

class Uploads : public media::Uploads {
 public:
  explicit Uploads(Store& store) : store_(store) {}

  loop::Task<> add(media::Media media, media::UploadedFile file) override;
  loop::Task<double> progress(media::HashedId id) override;
  loop::Task<> remove(media::HashedId id) override;

 private:
  Store& store_;
};

}  // namespace svc::redis
