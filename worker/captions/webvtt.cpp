#include "captions/webvtt.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/number.h"
#include "captions/lines.h"
#include "captions/settings.h"
#include "captions/times.h"
#include "text/ascii.h"
#include "text/character_reference.h"

namespace svc::captions {
namespace {

constexpr std::string_view kSignature = "WEBVTT";
constexpr std::string_view kTimesArrow = "-->";
constexpr std::string_view kWhiteSpace = " \t\n\f";

// In the order of Tag.
constexpr std::array<std::string_view, 8> kTagNames{"b", "i", "u", "c", "v", "lang", "ruby", "rt"};

std::string_view name_of(Tag tag) { return kTagNames.at(static_cast<std::size_t>(tag)); }

bool has_annotation(Tag tag) { return tag == Tag::Voice || tag == Tag::Language; }

// Returns the number of exactly this many digits, or of any if that is 0, and removes it.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count, unsigned most) {
  std::string_view rest = text;
  const auto number = base::take_number<unsigned>(rest);
  if (!number || *number > most || (count > 0 && text.size() - rest.size() != count))
    return std::nullopt;
  text = rest;
  return number;
}

// §6.3 "collect a WebVTT timestamp": "1:02:03.004" or "02:03.004". Removes it from `text`.
std::optional<std::int64_t> take_timestamp(std::string_view& text) {
  std::string_view rest = text;
  unsigned hours = 0;
  auto minutes = take_digits(rest, 2, 59);
  auto next = rest;
  const bool is_short = minutes && rest.starts_with(':') &&
                        (next.remove_prefix(1), take_digits(next, 2, 59)) && !next.starts_with(':');
  if (!is_short) {
    rest = text;
    const auto first = take_digits(rest, 0, kMaxHours);
    if (!first || !rest.starts_with(':')) return std::nullopt;
    hours = *first;
    rest.remove_prefix(1);
    minutes = take_digits(rest, 2, 59);
  }
  if (!minutes || !rest.starts_with(':')) return std::nullopt;
  rest.remove_prefix(1);
  const auto seconds = take_digits(rest, 2, 59);
  if (!seconds || !rest.starts_with('.')) return std::nullopt;
  rest.remove_prefix(1);
  const auto milliseconds = take_digits(rest, 3, 999);
  if (!milliseconds) return std::nullopt;
  text = rest;
  return ((std::int64_t{hours} * 60 + *minutes) * 60 + *seconds) * 1000 + *milliseconds;
}

std::string_view without_leading_space(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
}

// §6.3 "collect WebVTT cue timings and settings".
bool read_timings(std::string_view line, Cue& cue) {
  line = without_leading_space(line);
  const auto begin = take_timestamp(line);
  line = without_leading_space(line);
  if (!begin || !line.starts_with(kTimesArrow)) return false;
  line = without_leading_space(line.substr(kTimesArrow.size()));
  const auto end = take_timestamp(line);
  if (!end) return false;
  cue.begin = *begin;
  cue.end = *end;
  cue.settings = settings_of(line);
  return true;
}

// Decodes references, and makes one space of white space.
std::string annotation_of(std::string_view text) {
  std::string found;
  bool space = false;
  while (!text.empty()) {
    std::string character;
    if (!text::take_character_reference(text, character)) {
      character = text.front();
      text.remove_prefix(1);
    }
    if (character.find_first_of("\r\n\t\f ") != std::string::npos) {
      space = !found.empty();
      continue;
    }
    if (std::exchange(space, false)) found += ' ';
    found += character;
  }
  return found;
}

// The classes and the annotation of a tag, after its name, as in Part::text.
std::string more_of(Tag tag, std::string_view rest) {
  std::string more;
  std::string_view classes = rest.substr(0, rest.find_first_of(kWhiteSpace));
  rest.remove_prefix(classes.size());
  while (!classes.empty()) {
    const std::string_view name = take_field(classes, '.');
    // "<c.a-->" would be an arrow.
    if (!name.empty() && name.find('&') == std::string_view::npos && !name.ends_with("--"))
      more.append(".").append(name);
  }
  if (!has_annotation(tag)) return more;
  const std::string annotation = annotation_of(rest);
  return annotation.empty() ? more : more + ' ' + annotation;
}

std::optional<Tag> tag_of(std::string_view name) {
  const auto* const found = std::ranges::find(kTagNames, text::to_lower(name));
  if (found == kTagNames.end()) return std::nullopt;
  return static_cast<Tag>(found - kTagNames.begin());
}

// Returns false for a text that is not a tag of WebVTT.
bool apply(std::string_view tag, TextBuilder& shown) {
  if (tag.starts_with('/')) {
    const auto ended = tag_of(tag.substr(1));
    if (ended) shown.end(*ended);
    return ended.has_value();
  }
  std::string_view rest = tag;
  if (take_timestamp(rest)) return rest.empty();
  const std::size_t end = std::min(tag.find_first_of(". \t\n\f"), tag.size());
  const auto begun = tag_of(tag.substr(0, end));
  if (begun) shown.begin(*begun, more_of(*begun, tag.substr(end)));
  return begun.has_value();
}

void append_webvtt_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
}

}  // namespace

void read_webvtt_text(std::string_view text, std::vector<Part>& parts) {
  TextBuilder shown(parts);
  while (!text.empty()) {
    if (const auto tag = enclosed(text, '<', '>', ""); tag && apply(*tag, shown)) {
      text.remove_prefix(tag->size() + 2);
      continue;
    }
    if (std::string character; text::take_character_reference(text, character)) {
      shown.add(character);
      continue;
    }
    const std::size_t length = std::min(text.find_first_of("<&", 1), text.size());
    shown.add(text.substr(0, length));
    text.remove_prefix(length);
  }
  shown.finish();
}

bool is_webvtt(std::string_view file) {
  return file.starts_with(kSignature) &&
         (file.size() == kSignature.size() ||
          std::string_view(" \t\n").find(file[kSignature.size()]) != std::string_view::npos);
}

std::vector<Cue> read_webvtt(std::string_view file) {
  std::vector<Cue> cues;
  take_line(file);        // the signature
  std::size_t lines = 1;  // read of this block; the header is one
  bool in_header = true;
  bool is_cue = false;
  std::string_view text;
  Cue cue;
  const auto finish = [&] {
    if (is_cue) {
      read_webvtt_text(text, cue.parts);
      cues.push_back(std::exchange(cue, {}));
    }
    is_cue = in_header = false;
    text = {};
    lines = 0;
  };
  bool seen_arrow = false;
  while (!file.empty()) {
    const std::string_view line = take_line(file);
    if (line.find(kTimesArrow) != std::string_view::npos) {
      // In a header or a text, an arrow begins the next block, without an id.
      if (in_header || seen_arrow || lines > 1) finish();
      ++lines;
      seen_arrow = true;
      is_cue = read_timings(line, cue);
      text = {};
    } else if (line.empty()) {
      finish();
      seen_arrow = false;
    } else {
      ++lines;
      // The lines of a text are next to each other in the file.
      const char* const begin = text.empty() ? line.data() : text.data();
      text = {begin, static_cast<std::size_t>(line.data() + line.size() - begin)};
    }
  }
  finish();
  return cues;
}

std::string to_webvtt(const std::vector<Cue>& cues) {
  std::string out;
  for (const Cue& cue : cues) {
    out += out.empty() ? "WEBVTT\n\n" : "\n";
    out += time_text(cue.begin, '.') + " --> " + time_text(cue.end, '.');
    if (!cue.settings.empty()) out += ' ' + cue.settings;
    out += '\n';
    for (const Part& part : cue.parts) {
      switch (part.kind) {
        case Part::Kind::Text: append_webvtt_escaped(out, part.text); break;
        case Part::Kind::Begin:
          out.append("<").append(name_of(part.tag));
          append_webvtt_escaped(out, part.text);
          if (out.ends_with("--")) out.replace(out.size() - 1, 1, "&#45;");  // no arrow
          out += '>';
          break;
        case Part::Kind::End: out.append("</").append(name_of(part.tag)).append(">");
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace svc::captions
