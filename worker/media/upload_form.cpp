#include "media/upload_form.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "media/record_fields.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/json.h"
#include "text/utf8.h"

namespace svc::media {
namespace {

constexpr std::size_t kMaxFileName = 255;  // bytes
// As stored. Less than an import allows: the state Redis has the records of all uploads.
constexpr std::size_t kMaxUploadDescriptionBytes = 8 * 1024;
constexpr std::size_t kIdLength = 12;  // 62 bits

base::Refusal<std::string> refuse(std::string why) { return base::Refusal{std::move(why)}; }

bool is_one_line(std::string_view text) {
  for (const char c : text) {
    if (text::is_control(c)) return false;
  }
  return text::is_utf8(text);
}

// Lines and tabs are no controls here. C1 controls are two bytes.
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    const bool is_white = byte == '\t' || byte == '\n' || byte == '\r';
    if (is_c1 || (text::is_control(text[i]) && !is_white)) return true;
  }
  return false;
}

// The last part of a path: some browsers send the whole path of the file.
std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Returns the name in at most kMaxFileName bytes, cut between two characters of
// UTF-8. The ending stays, unless it is long itself.
std::string shortened(std::string_view name) {
  constexpr std::size_t kMaxEnding = 16;
  if (name.size() <= kMaxFileName) return std::string(name);
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  std::string_view ending = name.substr(dot);
  if (ending.size() > kMaxEnding) ending = {};
  std::size_t length = kMaxFileName - ending.size();
  while (length > 0 && (name[length] & 0xc0) == 0x80) --length;
  return std::string(text::trimmed(name.substr(0, length))) + std::string(ending);
}

}  // namespace

base::Result<UploadForm, std::string> read_upload_form(const text::Multipart& form,
                                                       const std::string& now) {
  if (!form.file || form.file->field != "file")
    return refuse("the form has no file: send it as the field \"file\", with a file name");
  if (form.file->length == 0) return refuse("the file is empty");
  UploadForm read;
  read.file.offset = form.file->offset;
  read.file.length = form.file->length;
  const std::string_view file_name = text::trimmed(last_part(form.file->name));
  if (is_one_line(file_name) && text::has_visible(file_name)) read.file.name = shortened(file_name);
  Media& media = read.media;
  media.type = "Video";  // until svc-ingest knows
  media.created = media.updated = now;
  const std::string* const name = form.find("name");
  const std::string_view given = name == nullptr ? "" : text::trimmed(*name);
  media.name = !given.empty() ? std::string(given) : read.file.name;
  if (media.name.empty()) media.name = std::string(kFallbackName);
  if (text::json::written_size(media.name) > kMaxNameBytes || !is_one_line(media.name) ||
      has_control(media.name) || !text::has_visible(media.name))
    return refuse(
        "name must be one line of UTF-8 with a visible character and without control characters, "
        "at "
        "most 2048 bytes in JSON, where each <, > and & takes six");
  if (const std::string* const description = form.find("description")) {
    if (!text::is_utf8(*description) || has_control(*description) ||
        text::json::written_size(*description) > kMaxUploadDescriptionBytes)
      return refuse(
          "description must be UTF-8 without control characters except tabs and line ends, at most "
          "8 KiB in JSON, where each <, > and & takes six");
    media.description = *description;
  }
  const std::string* const project = form.find("project_id");
  if (project != nullptr && !project->empty()) {
    media.project = ProjectId::parse(*project);
    if (!media.project)
      return refuse("project_id must be 1 to 64 letters, digits, hyphens or underscores");
  }
  return read;
}

HashedId id_of_upload(std::string_view request_id) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
  const std::string digest = base::sha256("upload:" + std::string(request_id));
  std::string text;
  for (std::size_t i = 0; i < kIdLength; ++i) {
    const unsigned two = static_cast<unsigned char>(digest[2 * i]) * 256u +
                         static_cast<unsigned char>(digest[2 * i + 1]);
    text += kLetters[two % kLetters.size()];
  }
  return *HashedId::parse(text);
}

}  // namespace svc::media
