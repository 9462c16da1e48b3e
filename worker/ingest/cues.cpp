#include "ingest/cues.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/number.h"
#include "ingest/bytes.h"
#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::ingest {
namespace {

constexpr std::string_view kHardSpace = "\u00a0";
constexpr std::string_view kReplacement = "\ufffd";
constexpr std::int64_t kLongestUnknown = 5000;  // milliseconds
constexpr double kLastTime = 1e12;              // milliseconds

void add(std::vector<Run>& runs, unsigned faces, std::string_view text) {
  if (text.empty()) return;
  if (runs.empty() || runs.back().faces != faces) runs.push_back({"", faces});
  runs.back().text += text;
}

// Removes a line and its end from `rest`, and returns the line.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Removes the text up to `separator` and the separator from `rest`.
std::string_view take_field(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return text::trimmed(field);
}

unsigned with(unsigned faces, unsigned face, bool on) { return on ? faces | face : faces & ~face; }

// The state that override tags of ASS change.
struct Look {
  unsigned style = 0;    // faces of the style
  unsigned faces = 0;    // present ones
  bool drawing = false;  // the text is a vector drawing
};

// Applies one override tag of ASS without its backslash. Most tags have no
// counterpart in WebVTT.
void apply_tag(std::string_view tag, Look& look) {
  if (tag.starts_with('r')) look.faces = look.style;  // \r, \rStyle
  if (tag.empty() || !std::ranges::all_of(tag.substr(1), text::is_digit)) return;
  const auto value = base::parse_number<int>(tag.substr(1), 0);
  const auto set = [&](unsigned face, bool on) {
    look.faces = with(look.faces, face, value ? on : (look.style & face) != 0);
  };
  switch (tag.front()) {
    case 'b': return set(kBold, value == 1 || value >= 600);  // or a weight
    case 'i': return set(kItalic, value != 0);
    case 'u': return set(kUnderline, value != 0);
    case 'p': look.drawing = value.value_or(0) != 0; return;
    default: return;
  }
}

// Applies the block between braces. Text of a block without a backslash is a comment.
void apply_block(std::string_view block, Look& look) {
  take_field(block, '\\');
  while (!block.empty()) apply_tag(take_field(block, '\\'), look);
}

std::vector<Run> runs_of_ass(std::string_view text, unsigned style) {
  std::vector<Run> runs;
  Look look{style, style, false};
  bool closes = true;  // false: no block that begins later has an end
  while (!text.empty()) {
    if (text.front() == '{' && closes) {
      const std::size_t end = text.find('}');
      closes = end != std::string_view::npos;
      if (closes) {
        apply_block(text.substr(1, end - 1), look);
        text.remove_prefix(end + 1);
        continue;
      }
    }
    std::string_view shown = text.substr(0, 1);
    std::size_t length = 1;
    if (text.front() == '\\' && text.size() > 1) {
      length = 2;
      switch (text[1]) {
        case 'N':
        case 'n': shown = "\n"; break;
        case 'h': shown = kHardSpace; break;
        case '{':
        case '}': shown = text.substr(1, 1); break;
        default: length = 1;
      }
    }
    if (!look.drawing) add(runs, look.faces, shown);
    text.remove_prefix(length);
  }
  return runs;
}

// Returns the text between `open` at the beginning and the next `close`, if none of `not_within` is
// in it: a scan over many openings without an end stays short.
std::optional<std::string_view> enclosed(std::string_view text, char open, char close,
                                         std::string_view not_within) {
  if (!text.starts_with(open)) return std::nullopt;
  const std::size_t end = text.find_first_of(std::string(not_within) + open + close, 1);
  if (end == std::string_view::npos || text[end] != close) return std::nullopt;
  return text.substr(1, end - 1);
}

// Applies a tag of SubRip: i, b, u, s or font, the latter with attributes. Returns false for any
// other text, such as "vector<int>" has.
bool apply_html(std::string_view tag, unsigned& faces) {
  const bool opens = !tag.starts_with('/');
  if (!opens) tag.remove_prefix(1);
  const std::size_t end = std::min(tag.find(' '), tag.size());
  const std::string name = text::to_lower(tag.substr(0, end));
  const std::string_view attributes = tag.substr(end);
  if (name == "font") return attributes.empty() || attributes.find('=') != attributes.npos;
  if (!attributes.empty()) return false;
  constexpr std::array<std::pair<std::string_view, unsigned>, 4> kNames{
      {{"b", kBold}, {"i", kItalic}, {"u", kUnderline}, {"s", 0}}};
  for (const auto& [known, face] : kNames) {
    if (known != name) continue;
    faces = with(faces, face, opens);
    return true;
  }
  return false;
}

// SubRip lacks a standard. Players know five tags of HTML, and override tags of ASS.
std::vector<Run> runs_of_subrip(std::string_view text) {
  std::vector<Run> runs;
  Look look;
  while (!text.empty()) {
    if (const auto tag = enclosed(text, '<', '>', "\n"); tag && apply_html(*tag, look.faces)) {
      text.remove_prefix(tag->size() + 2);
      continue;
    }
    const auto block = enclosed(text, '{', '}', " \t\r\n");
    if (block && block->size() > 1 && block->front() == '\\' && text::is_alpha((*block)[1])) {
      apply_block(*block, look);
      text.remove_prefix(block->size() + 2);
      continue;
    }
    add(runs, look.faces, text.substr(0, 1));
    text.remove_prefix(1);
  }
  return runs;
}

std::string utf8_of(std::uint32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
}

// The characters of a text in UTF-8, or in UTF-16 after a byte order mark. Each byte that is not
// valid in UTF-8 is one character, which to_webvtt() replaces.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> found;
  const bool little = text.starts_with("\xff\xfe");
  if (!little && !text.starts_with("\xfe\xff")) {
    while (!text.empty()) {
      found.emplace_back(text.substr(0, std::max<std::size_t>(1, text::utf8_length(text))));
      text.remove_prefix(found.back().size());
    }
    return found;
  }
  const auto unit = [&](std::size_t at) {
    const auto number = static_cast<std::uint32_t>(number_at(text, at, 2));
    return little ? (number & 0xff) << 8 | number >> 8 : number;
  };
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    std::uint32_t point = unit(at);
    if (point >= 0xd800 && point < 0xdc00 && at + 3 < text.size()) {
      const std::uint32_t low = unit(at + 2);
      if (low >= 0xdc00 && low < 0xe000) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        at += 2;
      }
    }
    found.push_back(point >= 0xd800 && point < 0xe000 ? std::string(kReplacement) : utf8_of(point));
  }
  return found;
}

// 3GPP TS 26.245 §5.17: the length of the text, the text, then boxes. The box "styl" has records of
// twelve bytes: first character, the one after the last, font, faces, size, colour. They are in the
// order of the text and do not overlap.
std::vector<Run> runs_of_mov_text(std::string_view packet) {
  std::vector<Run> runs;
  if (packet.size() < 2) return runs;
  const std::string_view text = packet.substr(2, number_at(packet, 0, 2));
  std::string_view boxes = packet.substr(2 + text.size());
  const std::vector<std::string> all = characters(text);
  std::size_t done = 0;
  const auto show = [&](std::size_t end, unsigned faces) {
    for (; done < std::min(end, all.size()); ++done) add(runs, faces, all[done]);
  };
  while (boxes.size() >= 8) {
    const std::size_t size = number_at(boxes, 0, 4);
    if (size < 8 || size > boxes.size()) break;
    if (boxes.substr(4, 4) == "styl") {
      for (std::size_t at = 10; at + 12 <= size; at += 12) {
        show(number_at(boxes, at, 2), 0);
        show(number_at(boxes, at + 2, 2),
             static_cast<unsigned>(number_at(boxes, at + 6, 1)) & (kBold | kItalic | kUnderline));
      }
    }
    boxes.remove_prefix(size);
  }
  show(all.size(), 0);
  return runs;
}

std::vector<Run> runs_of(TextFormat format, std::string_view packet) {
  switch (format) {
    case TextFormat::SubRip: return runs_of_subrip(packet);
    case TextFormat::MovText: return runs_of_mov_text(packet);
    default: break;
  }
  std::vector<Run> runs;
  add(runs, 0, packet);
  return runs;
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
    unsigned faces = 0;
    for (const std::string& field : fields_) {
      const std::string_view value = take_field(line, ',');
      const bool on = !value.empty() && value != "0";
      if (field == "name") name = value;
      if (field == "bold" && on) faces |= kBold;
      if (field == "italic" && on) faces |= kItalic;
      if (field == "underline" && on) faces |= kUnderline;
    }
    faces_[name] = faces;
  }

  unsigned faces_of(std::string_view name) const {
    const auto found = faces_.find(name);
    return found == faces_.end() ? 0 : found->second;
  }

 private:
  static constexpr std::size_t kMostFields = 64;  // ASS has 23

  std::vector<std::string> fields_;
  std::map<std::string_view, unsigned> faces_;
};

// Writes the text of a cue: escaped, with markup, and without an empty line, which would end it.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void add(const Run& run) {
    std::string_view text = run.text;
    while (!text.empty()) {
      const std::size_t length = text::utf8_length(text);
      const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
      text.remove_prefix(character.size());
      if (character == "\r" && text.starts_with('\n')) continue;
      if (character == "\n" || character == "\r") {
        ++lines_;
        continue;
      }
      begin_lines();
      wear(run.faces);
      if (length == 0 || character.front() == '\0') {
        out_ += kReplacement;
      } else if (character == "&") {
        out_ += "&amp;";
      } else if (character == "<") {
        out_ += "&lt;";
      } else if (character == ">") {
        out_ += "&gt;";
      } else {
        out_ += character;
      }
    }
  }

  void end() { wear(0); }

 private:
  static constexpr std::array<std::pair<unsigned, char>, 3> kTags{
      {{kItalic, 'i'}, {kBold, 'b'}, {kUnderline, 'u'}}};

  // The ends of lines so far, unless they are the first or the last of the cue.
  void begin_lines() {
    for (; lines_ > 0 && begun_; --lines_) {
      out_ += '\n';
      if (lines_ > 1) out_ += kHardSpace;
    }
    lines_ = 0;
    begun_ = true;
  }

  // Tags nest, so the last tag is closed first.
  void wear(unsigned faces) {
    while (faces_ & ~faces) {
      const auto [face, letter] = kTags[open_.back()];
      open_.pop_back();
      faces_ &= ~face;
      out_ += {'<', '/', letter, '>'};
    }
    for (std::size_t i = 0; i < kTags.size(); ++i) {
      const auto [face, letter] = kTags[i];
      if ((faces & ~faces_ & face) == 0) continue;
      open_.push_back(i);
      faces_ |= face;
      out_ += {'<', letter, '>'};
    }
  }

  std::string& out_;
  std::size_t lines_ = 0;
  bool begun_ = false;
  unsigned faces_ = 0;
  std::vector<std::size_t> open_;
};

bool has_text(const Cue& cue) {
  return std::ranges::any_of(cue.runs,
                             [](const Run& run) { return !text::trimmed(run.text).empty(); });
}

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
    cues.push_back(
        {clamped(*time * unit), clamped((*time + *duration) * unit), runs_of(format, packet)});
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
    if (line.starts_with(kFormat)) {
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
      cues.push_back({*begin, *end, runs_of_ass(line, styles.faces_of(name))});
    }
  }
  return cues;
}

std::string webvtt_time(std::int64_t milliseconds) {
  const std::int64_t all = std::max<std::int64_t>(0, milliseconds);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02d:%02d.%03d",
                static_cast<long long>(all / 3'600'000), static_cast<int>(all / 60'000 % 60),
                static_cast<int>(all / 1000 % 60), static_cast<int>(all % 1000));
  return text.data();
}

std::string to_webvtt(std::vector<Cue> cues) {
  std::erase_if(cues, [](const Cue& cue) { return !has_text(cue); });
  std::ranges::stable_sort(cues, {}, &Cue::begin);
  std::string out;
  auto next = std::numeric_limits<std::int64_t>::max();  // begin of the next cue that begins later
  std::vector<std::int64_t> ends(cues.size());
  for (std::size_t i = cues.size(); i-- > 0;) {
    const std::int64_t begin = cues[i].begin;
    if (i + 1 < cues.size() && cues[i + 1].begin > begin) next = cues[i + 1].begin;
    ends[i] = cues[i].end;
    if (ends[i] > begin) continue;
    ends[i] = std::min(begin + kLongestUnknown, next);
  }
  for (std::size_t i = 0; i < cues.size(); ++i) {
    if (ends[i] <= 0) continue;  // before the film
    out += out.empty() ? "WEBVTT\n\n" : "\n";
    out += webvtt_time(cues[i].begin) + " --> " + webvtt_time(ends[i]) + "\n";
    Writer writer(out);
    for (const Run& run : cues[i].runs) writer.add(run);
    writer.end();
    out += '\n';
  }
  return out;
}

}  // namespace svc::ingest
