// IngestJob: an element of the list ingest:incoming, an entry of the stream
// ingest:jobs, or of ingest:dead: a media is to be made of an upload, or failed. FilesJob: an entry
// of ingest:deletions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/id.h"
#include "media/uploads.h"
#include "redis/reply.h"

namespace svc::stores {

// Returns the time in the id of an entry, in ms since 1970; 0 if it has none.
std::int64_t added_at(std::string_view id);

struct IngestJob {
  media::HashedId media;
  media::AccountId account{};
  media::UploadedFile file{};
  std::string reason{};     // in ingest:dead: why it failed
  bool is_refused = false;  // in ingest:dead: because of its file; otherwise the machine failed

  std::int64_t since = 0;       // when the upload was complete, in ms since 1970; 0: unknown
  std::string id{};             // the entry's id; begins with the time it was added, in ms
  std::int64_t deliveries = 1;  // how often it was begun, this time included

  // Returns the time at which the entry was added, in ms since 1970; 0 without an id.
  std::int64_t added() const { return added_at(id); }
  // Returns the time of the upload, as far as it is known.
  std::int64_t uploaded() const { return since != 0 ? since : added(); }
  // Names and values, as in the stream.
  std::vector<std::string> to_fields() const;
  // Reads the id and the fields of an entry; nullopt if they are not a job.
  static std::optional<IngestJob> of(redis::ReplyView entry);

  // An element of the list: one line per field. from_text() returns nullopt if the text is not a
  // job.
  std::string to_text() const;
  static std::optional<IngestJob> from_text(std::string_view text);

 private:
  // Returns false if the value cannot be that of the field. Ignores unknown names.
  bool take_field(std::string_view name, std::string_view value);
};

// FilesJob: an entry of the stream ingest:deletions. svc-ingest does it once the records match the
// entry: that of a poster is added before they are written.
struct FilesJob {
  enum class Kind : std::uint8_t {
    Deletion,  // deletes a media
    Poster,    // media::PosterFiles
    Still,     // the same, with the time of a picture
    Swap,      // media::FileSwap
    Guard,     // media/guard.h
    // The same, of all media of an account.
    GuardAccount
  };

  std::string id{};  // the entry's id; begins with the time it was added, in ms
  Kind kind = Kind::Deletion;
  std::optional<media::HashedId> media{};  // nullopt: it is for an account
  media::AccountId account{};              // 0: unknown
  // Deletion: other folders of the media. Swap: those whose files it does not show.
  std::vector<media::HashedId> folders{};
  // Swap: the other media, then its other folders.
  std::vector<media::HashedId> taken{};
  std::int64_t until = 0;  // swap: when the former files are deleted, in seconds since 1970
  std::string source{};    // poster: as in media::PosterFiles
  std::string former{};    // poster and still: the same
  std::int64_t at = 0;     // still: the same
  std::string state{};     // both guards: the state of the record that is to be written
  bool is_readable = true;

  // Names and values. A deletion begins with the media: versions that know no other kind take the
  // first value for its id. That of the others cannot be an id.
  std::vector<std::string> to_fields() const;
  static FilesJob of(redis::ReplyView entry);

 private:
  bool take_field(std::string_view name, std::string_view value);
};

}  // namespace svc::stores
