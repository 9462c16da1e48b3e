// IngestJob: an entry of the stream ingest:jobs, or of ingest:dead: a media is to
// be made of an upload, or failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/id.h"
#include "media/uploads.h"
#include "redis/reply.h"

namespace svc::redis {

// Returns the time in the id of an entry, in ms since 1970; 0 if it has none.
std::int64_t added_at(std::string_view id);

struct IngestJob {
  media::HashedId media;
  media::AccountId account{};
  media::UploadedFile file{};
  std::string reason{};     // in ingest:dead: why it failed
  bool is_refused = false;  // in ingest:dead: because of its file; otherwise the machine failed

  std::string id{};             // of the entry: begins with the time it was added, in ms
  std::int64_t deliveries = 1;  // how often it was begun, this time included

  // Returns the time at which it was added, in ms since 1970; 0 without an id.
  std::int64_t added() const { return added_at(id); }
  // Names and values, as in the stream.
  std::vector<std::string> to_fields() const;
  // Reads the id and the fields of an entry; nullopt if they are no job.
  static std::optional<IngestJob> of(ReplyView entry);
};

}  // namespace svc::redis
