#include "captions/subrip.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/number.h"
#include "captions/lines.h"
#include "captions/override_tags.h"
#include "captions/settings.h"
#include "captions/times.h"
#include "text/ascii.h"
#include "text/character_reference.h"

namespace svc::captions {
namespace {

struct Face {
  std::string_view name;
  unsigned face;  // 0: known, and left out
  Tag tag;
};
constexpr std::array<Face, 4> kFaceTags{{{"b", kBold, Tag::Bold},
                                         {"i", kItalic, Tag::Italic},
                                         {"u", kUnderline, Tag::Underline},
                                         {"s", 0, Tag::Class}}};

// Applies a tag: i, b, u, s or font, the latter with attributes. Returns false for any other text.
bool apply_html(std::string_view tag, unsigned& faces) {
  const bool opens = !tag.starts_with('/');
  if (!opens) tag.remove_prefix(1);
  const std::size_t end = std::min(tag.find(' '), tag.size());
  const std::string name = text::to_lower(tag.substr(0, end));
  const std::string_view attributes = tag.substr(end);
  if (name == "font") return attributes.empty() || attributes.find('=') != attributes.npos;
  if (!attributes.empty()) return false;
  const auto* const known = std::ranges::find(kFaceTags, name, &Face::name);
  if (known == kFaceTags.end()) return false;
  faces = with_face(faces, known->face, opens);
  return true;
}

// Removes markup or a character reference from the beginning of the text.
bool take_markup(std::string_view& text, References references, Look& look, TextBuilder& shown) {
  if (const auto tag = enclosed(text, '<', '>', "\n"); tag && apply_html(*tag, look.faces)) {
    text.remove_prefix(tag->size() + 2);
    return true;
  }
  const auto block = enclosed(text, '{', '}', " \t\r\n");
  if (block && block->size() > 1 && block->front() == '\\' && text::is_alpha((*block)[1])) {
    apply_block(*block, look);
    text.remove_prefix(block->size() + 2);
    return true;
  }
  std::string character;
  if (references == References::Text || !text::take_character_reference(text, character))
    return false;
  shown.wear(look.faces);
  shown.add(character);
  return true;
}

struct Times {
  std::int64_t begin = 0, end = 0;
};

// "-1:02:03,004", "02:03.4" or "02:03". Removes it from `text`.
std::optional<std::int64_t> take_time(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  std::string_view rest = text.substr(is_negative ? 1 : 0);
  std::array<unsigned, 3> fields{};
  std::size_t count = 0;
  for (; count < fields.size(); ++count) {
    const std::size_t before = rest.size();
    const auto number = base::take_number<unsigned>(rest);
    if (!number || *number > (count == 0 ? kMaxHours : 99)) return std::nullopt;
    if (count > 0 && before - rest.size() > 2) return std::nullopt;
    fields.at(count) = *number;
    if (count == 2 || !rest.starts_with(':')) {
      ++count;
      break;
    }
    rest.remove_prefix(1);
  }
  if (count < 2) return std::nullopt;
  std::int64_t seconds = fields[0];
  for (std::size_t i = 1; i < count; ++i) seconds = seconds * 60 + fields.at(i);
  std::int64_t milliseconds = 0;
  if (rest.starts_with(',') || rest.starts_with('.')) {
    rest.remove_prefix(1);
    // Players read ",5" as 5 ms.
    const std::size_t digits =
        rest.size() - std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::string_view fraction = rest.substr(0, rest.size() - digits);
    milliseconds = base::parse_number<int>(fraction.substr(0, 3)).value_or(0);
    rest.remove_prefix(fraction.size());
  }
  text = rest;
  const std::int64_t time = seconds * 1000 + milliseconds;
  return is_negative ? -time : time;
}

constexpr std::string_view kArrow = "-->";

enum class Line : std::uint8_t { Text, Times, Broken };

Line read_times(std::string_view line, Times& times) {
  line = text::trimmed(line);
  const auto begin = take_time(line);
  line = text::trimmed(line);
  if (!begin || !line.starts_with(kArrow)) return Line::Text;
  line = text::trimmed(line.substr(kArrow.size()));
  const auto end = take_time(line);
  if (!end || !(line.empty() || line.front() == ' ' || line.front() == '\t')) return Line::Broken;
  times = {*begin, *end};
  return Line::Times;
}

bool is_number(std::string_view line) {
  line = text::trimmed(line);
  return !line.empty() && std::ranges::all_of(line, text::is_digit);
}

// The characters between two tags.
void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    const char next = text.size() > 1 ? text[1] : '\0';
    std::string character;
    std::string_view rest = text;
    if (c == '&' && text::take_character_reference(rest, character)) {
      out += "&amp;";
    } else if (c == '<' && (text::is_alpha(next) || next == '/' || next == '!' || next == '?')) {
      out += "&lt;";
    } else if (c == '{' && next == '\\') {
      out += "&#123;";
    } else {
      // "-->" and all longer ones become "->".
      while (c == '>' && out.ends_with("--")) out.pop_back();
      out += c;
    }
    text.remove_prefix(1);
  }
}

// The parts with the faces only, as they will be read again.
std::vector<Part> only_faces(const std::vector<Part>& parts) {
  std::vector<Part> kept;
  TextBuilder text(kept);
  std::array<std::size_t, kFaceTags.size()> depths{};
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::Text) {
      unsigned faces = 0;
      for (std::size_t i = 0; i < depths.size(); ++i)
        faces = with_face(faces, kFaceTags.at(i).face, depths.at(i) > 0);
      text.wear(faces);
      text.add(part.text);
      continue;
    }
    const auto* const tag = std::ranges::find(kFaceTags, part.tag, &Face::tag);
    if (tag == kFaceTags.end() || tag->face == 0) continue;
    std::size_t& depth = depths.at(static_cast<std::size_t>(tag - kFaceTags.begin()));
    part.kind == Part::Kind::Begin ? ++depth : --depth;
  }
  text.finish();
  return kept;
}

void append_text(std::string& out, const std::vector<Part>& parts) {
  for (const Part& part : only_faces(parts)) {
    if (part.kind == Part::Kind::Text) {
      append_escaped(out, part.text);
      continue;
    }
    const auto* const tag = std::ranges::find(kFaceTags, part.tag, &Face::tag);
    out.append(part.kind == Part::Kind::Begin ? "<" : "</").append(tag->name).append(">");
  }
}

}  // namespace

void read_subrip_text(std::string_view text, References references, Cue& cue) {
  TextBuilder shown(cue.parts);
  Look look;
  while (!text.empty()) {
    if (take_markup(text, references, look, shown)) continue;
    const std::size_t length = std::min(text.find_first_of("<{&", 1), text.size());
    shown.wear(look.faces);
    shown.add(text.substr(0, length));
    text.remove_prefix(length);
  }
  shown.finish();
  cue.settings = settings_of_place(look.place);
}

std::vector<Cue> read_subrip(std::string_view file) {
  std::vector<Cue> cues;
  std::optional<Times> open;  // the times of the cue whose text is read
  std::string_view lines;     // its text so far
  std::string_view last;      // the line before, with its end
  const auto finish = [&](std::string_view beginning_of_next) {
    if (!open) return;
    Cue cue{open->begin, open->end, {}};
    lines.remove_suffix(beginning_of_next.size());
    read_subrip_text(lines, References::Decoded, cue);
    cues.push_back(std::move(cue));
  };
  while (!file.empty()) {
    const std::string_view whole = file;
    const std::string_view line = take_line(file);
    Times times;
    const Line kind = read_times(line, times);
    if (kind == Line::Text) {
      last = whole.substr(0, whole.size() - file.size());
      lines = lines.empty() ? last : std::string_view(lines.data(), lines.size() + last.size());
      continue;
    }
    finish(is_number(last) ? last : std::string_view());
    open = kind == Line::Times ? std::optional(times) : std::nullopt;
    lines = last = {};
  }
  finish({});
  return cues;
}

std::string to_subrip(const std::vector<Cue>& cues) {
  std::string out;
  std::size_t number = 0;
  for (const Cue& cue : cues) {
    if (number > 0) out += '\n';
    out += std::to_string(++number) + '\n';
    out += time_text(cue.begin, ',') + " --> " + time_text(cue.end, ',') + '\n';
    if (const int key = place_of(cue.settings); key != kMiddleAtTheBottom)
      out += "{\\an" + std::to_string(key) + '}';
    append_text(out, cue.parts);
    out += '\n';
  }
  return out;
}

}  // namespace svc::captions
