#include "media/upload_form.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/fields.h"
#include "media/record_fields.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/form.h"
#include "text/json.h"
#include "text/utf8.h"

namespace svc::media {
namespace {

constexpr std::size_t kMaxFileName = 255;  // bytes
constexpr std::size_t kIdLength = 12;      // 62 bits

base::Refusal<FormProblem> refuse(std::string_view field, std::string why) {
  return base::Refusal{FormProblem{field, std::move(why)}};
}

// Line ends and tabs do not count as controls. C1 controls are two bytes.
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

bool is_one_line(std::string_view text) {
  return text::is_utf8(text) && !has_control(text) &&
         text.find_first_of("\t\n\r") == std::string_view::npos;
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

// How a field of the form sets its member. Returns why it may not have this text; "" if it may.
template <class Value>
struct FromForm {
  std::string (*read)(const std::string& text, Value& value);
};
template <class Value>
FromForm(std::string (*)(const std::string&, Value&)) -> FromForm<Value>;

std::string read_name(const std::string& text, std::string& name) {
  name = text::trimmed(text);
  return "";
}

std::string read_description(const std::string& text, std::string& description) {
  description = text;
  return why_not_given_description(text);
}

std::string read_project(const std::string& text, std::optional<ProjectId>& project) {
  if (text.empty()) return "";
  project = ProjectId::parse(text);
  return project ? "" : "must be 1 to 64 letters, digits, hyphens or underscores";
}

std::string read_visibility(const std::string& text, std::optional<Visibility>& visibility) {
  if (text.empty()) return "";
  visibility = visibility_of(text);
  return why_not_visibility(text);
}

// The service sets members without a name. A member without a row does not compile.
constexpr auto kForm = base::describe<Media>(
    base::Field{"name", &Media::name, FromForm{read_name}},
    base::Field{"description", &Media::description, FromForm{read_description}},
    base::Field{kProjectField, &Media::project, FromForm{read_project}},
    base::Field{kVisibilityField, &Media::visibility, FromForm{read_visibility}},
    base::Field{"", &Media::id}, base::Field{"", &Media::account}, base::Field{"", &Media::type},
    base::Field{"", &Media::status}, base::Field{"", &Media::duration},
    base::Field{"", &Media::native}, base::Field{"", &Media::player_color},
    base::Field{"", &Media::thumbnail}, base::Field{"", &Media::allowed_domains},
    base::Field{"", &Media::created}, base::Field{"", &Media::updated},
    base::Field{"", &Media::assets}, base::Field{"", &Media::captions},
    base::Field{"", &Media::chapters}, base::Field{"", &Media::chapters_are_set},
    base::Field{"", &Media::storyboard}, base::Field{"", &Media::failure},
    base::Field{"", &Media::customizations}, base::Field{"", &Media::set_poster},
    base::Field{"", &Media::next_poster}, base::Field{"", &Media::folders},
    base::Field{"", &Media::links_from}, base::Field{"", &Media::links});

}  // namespace

std::string why_not_given_name(const std::string& name) {
  if (text::json::written_size(name) <= kMaxNameBytes && is_one_line(name) && !has_control(name) &&
      text::has_visible(name))
    return "";
  return "must be one line of UTF-8 with a visible character and without control characters, at "
         "most 2048 bytes in JSON, where each <, > and & takes six";
}

std::string why_not_link_name(const std::string& name) {
  if (name.empty() || (text::json::written_size(name) <= kMaxLinkName && is_one_line(name) &&
                       !has_control(name) && text::has_visible(name)))
    return "";
  return "must be one line of UTF-8 with a visible character and without control characters, at "
         "most " +
         std::to_string(kMaxLinkName) + " bytes in JSON, where each <, > and & takes six";
}

std::string why_not_given_description(const std::string& description) {
  if (text::is_utf8(description) && !has_control(description) &&
      text::json::written_size(description) <= kMaxUploadDescriptionBytes)
    return "";
  return "must be UTF-8 without control characters except tabs and line ends, at most 8 KiB in "
         "JSON, where each <, > and & takes six";
}

base::Result<UploadForm, FormProblem> read_upload_form(const text::Multipart& form,
                                                       const std::string& now) {
  if (!form.file || form.file->field != kFileField)
    return refuse(kFileField,
                  "the form has no file: send it as the field \"file\", with a file name");
  if (form.file->length == 0) return refuse(kFileField, "the file is empty");
  UploadForm read;
  read.file.offset = form.file->offset;
  read.file.length = form.file->length;
  const std::string_view file_name = text::trimmed(last_part(form.file->name));
  if (is_one_line(file_name) && text::has_visible(file_name)) read.file.name = shortened(file_name);
  Media& media = read.media;
  media.type = "Video";  // until svc-ingest knows
  media.created = media.updated = now;
  FormProblem problem;
  base::for_each(kForm, [&](const auto& row) {
    if constexpr (requires { row.rule.read; }) {
      if (!problem.words.empty()) return;
      // Ignored, visibility[]=private would be a public film.
      if (std::ranges::any_of(form.fields, [&](const text::Multipart::Field& each) {
            return text::is_in_list(each.name, row.name);
          })) {
        problem = {row.name, std::string(kNotAList)};
        return;
      }
      const std::string* const text = form.find(row.name);
      if (text == nullptr) return;
      problem = {row.name, row.rule.read(*text, media.*row.member)};
      if (std::ranges::count(form.fields, row.name, &text::Multipart::Field::name) > 1)
        problem.words = "is given twice";
    }
  });
  if (media.name.empty()) media.name = read.file.name;
  if (media.name.empty()) media.name = kFallbackName;
  if (std::string why = why_not_given_name(media.name); !why.empty())
    return refuse("name", std::move(why));
  if (!problem.words.empty()) return base::Refusal{std::move(problem)};
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

HashedId new_id(base::Entropy& entropy) {
  std::array<unsigned char, 16> bytes{};
  entropy.fill(bytes);
  return id_of_upload({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace svc::media
