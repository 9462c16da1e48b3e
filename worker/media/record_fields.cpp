#include "media/record_fields.h"

#include "text/rfc3339.h"

namespace svc::media {

HashedId read_hashed_id(text::JsonRecord& record, std::string_view key) {
  const auto id = HashedId::parse(record.text(key, HashedId::kMaxLength));
  if (!id) record.refuse(key, "must be 1 to 64 letters and digits");
  return id.value_or(HashedId());
}

ProjectId read_project_id(text::JsonRecord& record, std::string_view key) {
  const auto id = ProjectId::parse(record.text(key, ProjectId::kMaxLength));
  if (!id) record.refuse(key, "must be 1 to 64 letters, digits, '_' and '-'");
  return id.value_or(ProjectId());
}

std::string read_time(text::JsonRecord& record, std::string_view key) {
  std::string time = record.text(key, 64);
  if (!text::is_rfc3339(time))
    record.refuse(key, "must be an RFC 3339 time such as 2026-03-01T10:00:00Z");
  return time;
}

std::string read_name(text::JsonRecord& record, std::string_view key) {
  std::string name = record.text(key, kMaxNameBytes);
  if (name.empty()) record.refuse(key, "must not be empty");
  return name;
}

}  // namespace svc::media
