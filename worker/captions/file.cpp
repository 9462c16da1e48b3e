#include "captions/file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "captions/subrip.h"
#include "captions/webvtt.h"
#include "text/utf16.h"
#include "text/utf8.h"

namespace svc::captions {
namespace {

struct Encoding {
  std::string_view mark;  // its byte order mark
  std::size_t unit;       // bytes
  text::ByteOrder order;
};
// The mark of UTF-32 begins with one of UTF-16.
constexpr std::array<Encoding, 4> kEncodings{
    {{std::string_view("\xff\xfe\0\0", 4), 4, text::ByteOrder::LittleEndian},
     {std::string_view("\0\0\xfe\xff", 4), 4, text::ByteOrder::BigEndian},
     {text::kUtf16LittleMark, 2, text::ByteOrder::LittleEndian},
     {text::kUtf16BigMark, 2, text::ByteOrder::BigEndian}}};
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

// Returns nullopt if a unit is not part of a character.
std::optional<std::string> from_units(const Encoding& encoding, std::string_view bytes) {
  if (bytes.size() % encoding.unit != 0) return std::nullopt;
  std::string text;
  while (!bytes.empty()) {
    const std::optional<char32_t> character =
        encoding.unit == 2 ? text::take_utf16(bytes, encoding.order)
                           : text::take_unit(bytes, encoding.unit, encoding.order);
    if (!character || text::is_surrogate(*character) || *character > 0x10ffff) return std::nullopt;
    text::append_utf8(text, *character);
  }
  return text;
}

std::optional<std::string> decoded(std::string_view bytes) {
  for (const Encoding& encoding : kEncodings) {
    if (bytes.starts_with(encoding.mark))
      return from_units(encoding, bytes.substr(encoding.mark.size()));
  }
  if (bytes.starts_with(kUtf8Mark)) bytes.remove_prefix(kUtf8Mark.size());
  if (!text::is_utf8(bytes)) return std::nullopt;
  return std::string(bytes);
}

// "\r\n" and "\r" become "\n".
void unify_ends_of_lines(std::string& text) {
  std::size_t to = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    text[to++] = text[at] == '\r' ? '\n' : text[at];
  }
  text.resize(to);
}

bool is_too_long(const Cue& cue) {
  std::size_t size = 0;
  for (const Part& part : cue.parts)
    size +=
        part.text.size() + (part.kind == Part::Kind::Text ? 0 : std::string_view("</b>").size());
  return size > kMaxCueBytes;
}

}  // namespace

base::Result<std::vector<Cue>, std::string> read_file(std::string_view bytes) {
  const auto refuse = [](std::string why) { return base::Refusal{std::move(why)}; };
  if (bytes.size() > kMaxFileBytes)
    return refuse("the captions have more than " + std::to_string(kMaxFileBytes) + " bytes");
  std::optional<std::string> text = decoded(bytes);
  if (!text || text->find('\0') != std::string::npos)
    return refuse("the captions must be UTF-8, or UTF-16 or UTF-32 with a byte order mark");
  unify_ends_of_lines(*text);
  std::vector<Cue> cues = in_order(is_webvtt(*text) ? read_webvtt(*text) : read_subrip(*text));
  if (cues.empty()) return refuse("the captions must be SRT or WebVTT, and have a cue with a text");
  if (cues.size() > kMaxCues)
    return refuse("the captions have more than " + std::to_string(kMaxCues) + " cues");
  if (std::ranges::any_of(cues, is_too_long))
    return refuse("a cue has more than " + std::to_string(kMaxCueBytes) + " bytes");
  return cues;
}

base::Result<std::string, std::string> read_file_as_webvtt(std::string_view bytes) {
  const auto cues = read_file(bytes);
  if (!cues) return base::Refusal{cues.error()};
  std::string webvtt = to_webvtt(*cues);
  if (webvtt.size() > kMaxWebVttBytes)
    return base::Refusal{"the captions have more than " + std::to_string(kMaxWebVttBytes) +
                         " bytes as WebVTT, as they are stored"};
  return webvtt;
}

std::string to_plain_text(const std::vector<Cue>& cues) {
  std::string out;
  for (const Cue& cue : cues) {
    for (const Part& part : cue.parts) {
      if (part.kind == Part::Kind::Text) out += part.text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace svc::captions
