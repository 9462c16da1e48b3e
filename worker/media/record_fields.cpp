#include "media/record_fields.h"

#include <algorithm>

#include "text/characters.h"
#include "text/rfc3339.h"
#include "text/uri.h"
#include "text/utf8.h"

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

std::string_view why_not_name(std::string_view text) {
  return text.empty() ? "must not be empty" : "";
}

std::string_view why_not_line(std::string_view text) {
  bool visible = false;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, text::utf8_length(text));
    const std::string_view character = text.substr(0, length);
    if (text::is_obeyed(character)) return "must not have control characters";
    visible |= !text::is_blank(character);
    text.remove_prefix(length);
  }
  return visible ? "" : "must have a visible character";
}

std::string_view why_not_time(std::string_view text) {
  return text::is_rfc3339(text) ? "" : "must be an RFC 3339 time such as 2026-03-01T10:00:00Z";
}

std::string_view why_not_url(std::string_view text) {
  return text::is_http_uri_or_path(text)
             ? ""
             : "must be an absolute http(s) URI or a path that begins with one slash";
}

}  // namespace svc::media
