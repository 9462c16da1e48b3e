#include "captions/cue.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "text/characters.h"
#include "text/utf8.h"

namespace svc::captions {
namespace {

constexpr std::string_view kHardSpace = "\u00a0";
constexpr std::string_view kReplacement = "\ufffd";
constexpr std::int64_t kLongestUnknown = 5000;  // milliseconds

constexpr std::array<std::pair<unsigned, Tag>, 3> kFaces{
    {{kItalic, Tag::Italic}, {kBold, Tag::Bold}, {kUnderline, Tag::Underline}}};

bool has_text(const Cue& cue) {
  return std::ranges::any_of(cue.parts, [](const Part& part) {
    return part.kind == Part::Kind::Text && text::has_visible(part.text);
  });
}

}  // namespace

std::string& TextBuilder::characters() {
  if (parts_.empty() || parts_.back().kind != Part::Kind::Text) parts_.emplace_back();
  return parts_.back().text;
}

void TextBuilder::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = text::utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    text.remove_prefix(character.size());
    if (character == "\r" && text.starts_with('\n')) continue;
    if (character == "\n" || character == "\r") {
      ++lines_;
      indent_.clear();
      at_begin_of_line_ = true;
      continue;
    }
    if (at_begin_of_line_ && (character == " " || character == "\t")) {
      indent_ += character;
      continue;
    }
    apply_faces();
    begin_lines();
    characters() += length == 0 || character.front() == '\0' ? kReplacement : character;
  }
}

// The ends of lines so far, unless they are the first or the last of the cue, and the spaces after
// them. They are after the ends of elements and before beginnings, wherever they were.
void TextBuilder::begin_lines() {
  if (!begun_) lines_ = 0;
  if (lines_ > 0 || !indent_.empty()) {
    const auto is_begin = [](const Part& part) { return part.kind == Part::Kind::Begin; };
    const auto begins = std::find_if_not(parts_.rbegin(), parts_.rend(), is_begin).base();
    std::vector<Part> last(std::make_move_iterator(begins), std::make_move_iterator(parts_.end()));
    parts_.erase(begins, parts_.end());
    for (; lines_ > 1; --lines_) characters().append("\n").append(kHardSpace);
    if (lines_ > 0) characters() += '\n';
    characters() += indent_;
    std::ranges::move(last, std::back_inserter(parts_));
  }
  lines_ = 0;
  indent_.clear();
  at_begin_of_line_ = false;
  begun_ = true;
}

// Elements nest, so the last one ends first.
void TextBuilder::apply_faces() {
  const auto face_of = [](Tag tag) {
    return std::ranges::find(kFaces, tag, &std::pair<unsigned, Tag>::second)->first;
  };
  while (faces_ & ~wanted_) {
    faces_ &= ~face_of(open_.back());
    end(open_.back());
  }
  for (const auto& [face, tag] : kFaces) {
    if ((wanted_ & ~faces_ & face) == 0) continue;
    begin(tag);
    faces_ |= face;
  }
}

void TextBuilder::begin(Tag tag, std::string more) {
  if (tag == Tag::RubyText && (open_.empty() || open_.back() != Tag::Ruby)) return;
  open_.push_back(tag);
  parts_.push_back({Part::Kind::Begin, tag, std::move(more)});
}

void TextBuilder::end(Tag tag) {
  if (open_.empty()) return;
  if (tag == Tag::Ruby && open_.back() == Tag::RubyText) end(Tag::RubyText);
  if (open_.back() != tag) return;
  open_.pop_back();
  if (parts_.back().kind == Part::Kind::Begin) {
    parts_.pop_back();
  } else {
    parts_.push_back({Part::Kind::End, tag, ""});
  }
}

void TextBuilder::finish() {
  while (!open_.empty()) end(open_.back());
}

std::vector<Cue> in_order(std::vector<Cue> cues) {
  std::erase_if(cues, [](const Cue& cue) { return !has_text(cue); });
  std::ranges::stable_sort(cues, {}, &Cue::begin);
  auto next = std::numeric_limits<std::int64_t>::max();  // begin of the next cue that begins later
  std::int64_t after = next;                             // begin of the next cue
  for (std::size_t i = cues.size(); i-- > 0;) {
    Cue& cue = cues[i];
    if (after > cue.begin) next = after;
    after = cue.begin;
    if (cue.end <= cue.begin) cue.end = std::min(cue.begin + kLongestUnknown, next);
  }
  std::erase_if(cues, [](const Cue& cue) { return cue.end <= 0; });  // before the film
  for (Cue& cue : cues) cue.begin = std::max<std::int64_t>(0, cue.begin);
  return cues;
}

}  // namespace svc::captions
