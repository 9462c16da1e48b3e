#include "stores/catalog/indexed_fields.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "stores/keys.h"
#include "text/rfc3339.h"
#include "text/unicode.h"

namespace svc::stores {
namespace {

constexpr std::string_view kMediaMember = "media ";
constexpr std::string_view kProjectMember = "project ";
constexpr std::string_view kMediaCount = "medias";
constexpr std::string_view kProjectCount = "projects";

// Between a type and a status.
constexpr char kStatusMark = '\x01';

std::string_view take_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(kSeparator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

}  // namespace

std::string to_text(const IndexedRecord& record) {
  return std::string(record.kind == Indexed::Media ? kMediaMember : kProjectMember) + record.id;
}

std::optional<IndexedRecord> parse_indexed_record(std::string_view text) {
  if (text.starts_with(kMediaMember))
    return IndexedRecord{Indexed::Media, std::string(text.substr(kMediaMember.size()))};
  if (text.starts_with(kProjectMember))
    return IndexedRecord{Indexed::Project, std::string(text.substr(kProjectMember.size()))};
  return std::nullopt;
}

std::string key_of(const IndexedRecord& record) {
  return (record.kind == Indexed::Media ? keys::kMedias : keys::kProjects) + record.id;
}

std::string without_separator(std::string text) {
  std::erase(text, kSeparator);
  return text;
}
std::string without_marks(std::string type) {
  std::erase(type, kStatusMark);
  return without_separator(std::move(type));
}

// The type, with the status if the media is not ready.
std::string value_of(const IndexedFields& fields) {
  if (fields.status == media::Status::Ready) return fields.type;
  return fields.type + kStatusMark + std::string(to_text(fields.status));
}
std::string_view type_in(std::string_view value) {
  return value.substr(0, value.find(kStatusMark));
}
media::Status status_in(std::string_view value) {
  const std::size_t mark = value.find(kStatusMark);
  if (mark == std::string_view::npos) return media::Status::Ready;
  const std::string_view name = value.substr(mark + 1);
  for (const media::Status status :
       {media::Status::Queued, media::Status::Processing, media::Status::Failed}) {
    if (to_text(status) == name) return status;
  }
  return media::Status::Ready;
}

// The name is last: it is the only part that users write.
std::string state_of(const IndexedFields& fields) {
  std::string state;
  const std::string value = value_of(fields);
  for (const std::string* part : {&fields.created, &fields.updated, &fields.project, &value})
    state.append(*part) += kSeparator;
  return state + fields.name;
}

IndexedFields fields_of(std::string_view id, std::string_view state) {
  IndexedFields fields;
  fields.id = id;
  for (std::string* part : {&fields.created, &fields.updated, &fields.project})
    *part = take_part(state);
  const std::string_view value = take_part(state);
  fields.type = type_in(value);
  fields.status = status_in(value);
  fields.name = state;
  return fields;
}

std::string count_of(Indexed kind) {
  return std::string(kind == Indexed::Media ? kMediaCount : kProjectCount);
}
std::string count_of_project(std::string_view project) {
  return std::string(kMediaCount) + ":" + std::string(project);
}

std::string sortable_time(std::string_view rfc3339) {
  const auto seconds = text::seconds_of_rfc3339(rfc3339);
  if (!seconds) return "";
  constexpr std::int64_t kYearMinusOne = std::int64_t{1} << 36;  // before all years of four digits
  const std::int64_t since = *seconds + kYearMinusOne;
  char text[32];
  std::snprintf(text, sizeof text, "%010" PRIx64, static_cast<std::uint64_t>(since));
  std::string sortable = text;
  const std::size_t point = rfc3339.find('.');
  if (point == std::string_view::npos) return sortable;
  std::string_view fraction = rfc3339.substr(point);
  fraction = fraction.substr(0, fraction.find_first_not_of("0123456789", 1));
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  return fraction == "." ? sortable : sortable.append(fraction);
}

IndexedFields indexed_fields(const media::Media& media) {
  return {.id = media.id.value(),
          .created = sortable_time(media.created),
          .updated = sortable_time(media.updated),
          .name = without_separator(text::nfc(media.name)),
          .project = media.project ? media.project->value() : "",
          .type = without_marks(media.type),
          .status = media.status};
}

IndexedFields indexed_fields(const media::Project& project) {
  return {.id = project.id.value(),
          .created = sortable_time(project.created),
          .updated = sortable_time(project.updated),
          .name = without_separator(text::nfc(project.name)),
          .project = {},
          .type = {}};
}

}  // namespace svc::stores
