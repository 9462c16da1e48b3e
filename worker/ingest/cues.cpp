#include "ingest/cues.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/number.h"
#include "captions/lines.h"
#include "captions/override_tags.h"
#include "captions/settings.h"
#include "captions/subrip.h"
#include "ingest/bytes.h"
#include "text/ascii.h"
#include "text/utf16.h"
#include "text/utf8.h"

namespace svc::ingest {

using captions::Cue;
using captions::kBold;
using captions::kItalic;
using captions::kUnderline;
using captions::Part;
using captions::take_field;
using captions::take_line;
using captions::TextBuilder;

namespace {

constexpr std::string_view kHardSpace = "\u00a0";
constexpr char32_t kReplacement = 0xfffd;
constexpr double kLastTime = 1e12;  // milliseconds

// How a style shows a text.
struct Style {
  unsigned faces = 0;
  int place = 0;  // a key of the number pad
};

void read_ass_text(std::string_view text, const Style& style, Cue& cue) {
  TextBuilder shown(cue.parts);
  captions::Look look{style.faces, style.faces, false};
  bool closes = true;  // false: no block that begins later has an end
  while (!text.empty()) {
    if (text.front() == '{' && closes) {
      const std::size_t end = text.find('}');
      closes = end != std::string_view::npos;
      if (closes) {
        captions::apply_block(text.substr(1, end - 1), look);
        text.remove_prefix(end + 1);
        continue;
      }
    }
    std::size_t length = std::min(text.find_first_of("{\\", 1), text.size());
    std::string_view characters = text.substr(0, length);
    if (text.front() == '\\' && text.size() > 1) {
      length = 2;
      switch (text[1]) {
        case 'N':
        case 'n': characters = "\n"; break;
        case 'h': characters = kHardSpace; break;
        case '{':
        case '}': characters = text.substr(1, 1); break;
        default: length = characters.size();
      }
    }
    shown.wear(look.faces);
    if (!look.drawing) shown.add(characters);
    text.remove_prefix(length);
  }
  shown.finish();
  cue.settings = captions::settings_of_place(look.place != 0 ? look.place : style.place);
}

// The characters of a text in UTF-8, or in UTF-16 after a byte order mark. Each byte that is not
// valid in UTF-8 is one character, which TextBuilder replaces.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> found;
  const bool is_little = text.starts_with(text::kUtf16LittleMark);
  if (!is_little && !text.starts_with(text::kUtf16BigMark)) {
    while (!text.empty()) {
      found.emplace_back(text.substr(0, std::max<std::size_t>(1, text::utf8_length(text))));
      text.remove_prefix(found.back().size());
    }
    return found;
  }
  const auto order = is_little ? text::ByteOrder::LittleEndian : text::ByteOrder::BigEndian;
  text.remove_prefix(text::kUtf16BigMark.size());
  while (text.size() >= 2)
    text::append_utf8(found.emplace_back(), text::take_utf16(text, order).value_or(kReplacement));
  return found;
}

// 3GPP TS 26.245 §5.17: the length of the text, the text, then boxes. The box "styl" has records of
// twelve bytes: first character, the one after the last, font, faces, size, colour. They are in the
// order of the text and do not overlap.
void read_mov_text(std::string_view packet, std::vector<Part>& parts) {
  if (packet.size() < 2) return;
  const std::string_view text = packet.substr(2, number_at(packet, 0, 2));
  std::string_view boxes = packet.substr(2 + text.size());
  const std::vector<std::string> all = characters(text);
  TextBuilder shown(parts);
  std::size_t done = 0;
  const auto show = [&](std::size_t end, unsigned faces) {
    shown.wear(faces & (kBold | kItalic | kUnderline));
    std::string together;  // a line may end with two characters
    for (; done < std::min(end, all.size()); ++done) together += all[done];
    shown.add(together);
  };
  while (boxes.size() >= 8) {
    const std::size_t size = number_at(boxes, 0, 4);
    if (size < 8 || size > boxes.size()) break;
    if (boxes.substr(4, 4) == "styl") {
      for (std::size_t at = 10; at + 12 <= size; at += 12) {
        show(number_at(boxes, at, 2), 0);
        show(number_at(boxes, at + 2, 2), static_cast<unsigned>(number_at(boxes, at + 6, 1)));
      }
    }
    boxes.remove_prefix(size);
  }
  show(all.size(), 0);
  shown.finish();
}

void read_text(TextFormat format, std::string_view packet, Cue& cue) {
  switch (format) {
    case TextFormat::SubRip:
      return captions::read_subrip_text(packet, captions::References::Text, cue);
    case TextFormat::MovText: return read_mov_text(packet, cue.parts);
    default: break;
  }
  TextBuilder shown(cue.parts);
  shown.add(packet);
  shown.finish();
}

std::int64_t clamped(double milliseconds) {
  return std::llround(std::clamp(milliseconds, -kLastTime, kLastTime));
}

// "0:00:00.10" → 100; nullopt for another text.
std::optional<std::int64_t> ass_time(std::string_view text) {
  const auto hours = base::parse_number<int>(take_field(text, ':'), 0, 1'000'000);
  const auto minutes = base::parse_number<int>(take_field(text, ':'), 0, 59);
  const auto seconds = base::parse_number<double>(text, 0, 60);
  if (!hours || !minutes || !seconds) return std::nullopt;
  return clamped(((*hours * 60.0 + *minutes) * 60 + *seconds) * 1000);
}

// The styles of a script: a line with the names of their fields, then a line each.
class Styles {
 public:
  void name_fields(std::string_view names) {
    fields_.clear();
    while (!names.empty() && fields_.size() < kMostFields)
      fields_.push_back(text::to_lower(take_field(names, ',')));
  }

  void add(std::string_view line) {
    std::string_view name;
    Style style;
    for (const std::string& field : fields_) {
      const std::string_view value = take_field(line, ',');
      const bool on = !value.empty() && value != "0";
      if (field == "name") name = value;
      if (field == "bold" && on) style.faces |= kBold;
      if (field == "italic" && on) style.faces |= kItalic;
      if (field == "underline" && on) style.faces |= kUnderline;
      if (field == "alignment") {
        const int place = base::parse_number<int>(value, 1, 11).value_or(0);
        style.place = is_ssa_ ? captions::key_of_ssa(place) : place;
      }
    }
    styles_[name] = style;
  }

  // SSA numbers places in another way than ASS.
  void begin_section(std::string_view name) { is_ssa_ = text::to_lower(name) == "[v4 styles]"; }

  Style find(std::string_view name) const {
    const auto found = styles_.find(name);
    return found == styles_.end() ? Style() : found->second;
  }

 private:
  static constexpr std::size_t kMostFields = 64;  // ASS has 23

  std::vector<std::string> fields_;
  std::map<std::string_view, Style> styles_;
  bool is_ssa_ = false;
};

}  // namespace

std::vector<Cue> read_packets(TextFormat format, std::string_view list, std::string_view bytes) {
  std::vector<Cue> cues;
  double unit = 1;  // milliseconds
  while (!list.empty()) {
    std::string_view line = take_line(list);
    if (line.starts_with("#tb 0: ")) {
      line.remove_prefix(7);
      const auto numerator = base::parse_number<double>(take_field(line, '/'), 1);
      const auto denominator = base::parse_number<double>(line, 1);
      if (numerator && denominator) unit = *numerator / *denominator * 1000;
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    // Stream, DTS, PTS, duration, size.
    take_field(line, ',');
    take_field(line, ',');
    const auto time = base::parse_number<double>(take_field(line, ','));
    const auto duration = base::parse_number<double>(take_field(line, ','));
    const auto size = base::parse_number<std::size_t>(take_field(line, ','));
    if (!size || *size > bytes.size()) break;
    const std::string_view packet = bytes.substr(0, *size);
    bytes.remove_prefix(*size);
    if (!time || !duration) continue;
    Cue cue{clamped(*time * unit), clamped((*time + *duration) * unit), {}};
    read_text(format, packet, cue);
    cues.push_back(std::move(cue));
  }
  return cues;
}

std::vector<Cue> read_ass(std::string_view script) {
  std::vector<Cue> cues;
  Styles styles;
  constexpr std::string_view kFormat = "Format:";
  constexpr std::string_view kStyle = "Style:";
  constexpr std::string_view kDialogue = "Dialogue:";
  while (!script.empty()) {
    std::string_view line = take_line(script);
    if (line.starts_with('[')) {
      styles.begin_section(text::trimmed(line));
    } else if (line.starts_with(kFormat)) {
      styles.name_fields(line.substr(kFormat.size()));
    } else if (line.starts_with(kStyle)) {
      styles.add(line.substr(kStyle.size()));
    } else if (line.starts_with(kDialogue)) {
      line.remove_prefix(kDialogue.size());
      // Layer, begin, end, style, name, three margins, effect. The rest is the text.
      take_field(line, ',');
      const auto begin = ass_time(take_field(line, ','));
      const auto end = ass_time(take_field(line, ','));
      const std::string_view name = take_field(line, ',');
      for (int i = 0; i < 5; ++i) take_field(line, ',');
      if (!begin || !end) continue;
      Cue cue{*begin, *end, {}};
      read_ass_text(line, styles.find(name), cue);
      cues.push_back(std::move(cue));
    }
  }
  return cues;
}

}  // namespace svc::ingest
