// indexed_fields: what the lists of an account have of a media or a project, and its form in Redis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "media/account.h"
#include "media/id.h"
#include "media/media.h"

namespace svc::stores {

enum class Indexed : std::uint8_t { Media, Project };

// A record of an account that lists have.
struct IndexedRecord {
  Indexed kind = Indexed::Media;
  std::string id;
  auto operator<=>(const IndexedRecord&) const = default;
};
// "media <id>" or "project <id>", and back; nullopt for another text.
std::string to_text(const IndexedRecord& record);
std::optional<IndexedRecord> parse_indexed_record(std::string_view text);
std::string key_of(const IndexedRecord& record);

struct IndexedFields {
  std::string id;
  std::string created;  // as sortable_time() returns it
  std::string updated;
  std::string name;
  std::string project;                          // a media's; empty: none
  std::string type;                             // a media's
  media::Status status = media::Status::Ready;  // a media's
  bool operator==(const IndexedFields&) const = default;
};
IndexedFields indexed_fields(const media::Media& media);
IndexedFields indexed_fields(const media::Project& project);

// A time in the order of texts. Unreadable times are before all others.
std::string sortable_time(std::string_view rfc3339);

// The parts of a key are separated by this character, which is in none of them and before all.
inline constexpr char kSeparator = '\0';
std::string without_separator(std::string text);
// Without the characters that separate a type from others.
std::string without_marks(std::string type);

// The type, with the status if the media is not ready; and back.
std::string value_of(const IndexedFields& fields);
std::string_view type_in(std::string_view value);
media::Status status_in(std::string_view value);

// All fields but the id, never empty; and back.
std::string state_of(const IndexedFields& fields);
IndexedFields fields_of(std::string_view id, std::string_view state);

// A file that waits or is converted.
constexpr bool is_unfinished(media::Status status) {
  return status == media::Status::Queued || status == media::Status::Processing;
}

// Fields of an account's numbers (keys::index()): media, those that are unfinished, projects, media
// of one project.
inline constexpr std::string_view kUnfinishedCount = "unfinished";
std::string count_of(Indexed kind);
std::string count_of_project(std::string_view project);

}  // namespace svc::stores
