// IngestJob: an entry of the stream ingest:jobs, or of ingest:dead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/id.h"
#include "media/uploads.h"
#include "redis/reply.h"

namespace svc::redis {

struct IngestJob {
  enum class Kind : std::uint8_t {
    Ingest,  // make a media of its file
    Delete   // delete all files of the media
  };

  Kind kind = Kind::Ingest;
  media::HashedId media;
  media::AccountId account{};  // Ingest only
  media::UploadedFile file{};  // Ingest only
  std::string reason{};        // in ingest:dead: why it was given up

  std::string id{};             // of the entry: begins with the time it was added, in ms
  std::int64_t deliveries = 1;  // how often it was begun, this time included

  // Returns the time at which it was added, in ms since 1970; 0 without an id.
  std::int64_t added() const;
  // Names and values, as in the stream.
  std::vector<std::string> to_fields() const;
  // Reads the id and the fields of an entry; nullopt if they are no job.
  static std::optional<IngestJob> of(ReplyView entry);
};

}  // namespace svc::redis
