// cue: a time and a text with markup, as all formats of captions have them.
//
// The elements are those of WebVTT. A text is canonical: its elements nest and are not empty, each
// line has a character other than a space, and all characters are valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::captions {

enum class Tag : std::uint8_t { Bold, Italic, Underline, Class, Voice, Language, Ruby, RubyText };

// Characters, or the beginning or the end of an element.
struct Part {
  enum class Kind : std::uint8_t { Text, Begin, End };

  Kind kind = Kind::Text;
  Tag tag{};  // not of a text
  std::string
      text;  // for a beginning, its classes and annotation: "", ".loud", ".loud Fred", " Fred"

  bool operator==(const Part&) const = default;
};

struct Cue {
  std::int64_t begin = 0;  // milliseconds
  std::int64_t end = 0;    // not after begin: unknown
  std::vector<Part> parts;
  std::string settings{};  // where it is shown, as settings_of() returns it

  bool operator==(const Cue&) const = default;
};

// Faces of characters, a set; these are the bits of 3GPP TS 26.245 §5.17.1.1.
inline constexpr unsigned kBold = 1;
inline constexpr unsigned kItalic = 2;
inline constexpr unsigned kUnderline = 4;

constexpr unsigned with_face(unsigned faces, unsigned face, bool on) {
  return on ? faces | face : faces & ~face;
}

// Makes the canonical text of a cue from any bytes and any order of tags.
class TextBuilder {
 public:
  explicit TextBuilder(std::vector<Part>& parts) : parts_(parts) {}

  // Replaces a NUL and bytes that are not UTF-8 by U+FFFD. An empty line within the text gets a
  // U+00A0. The end of the view is that of a character.
  void add(std::string_view text);

  // From the next character on exactly these faces are worn. Not to be used with begin() and end().
  void wear(unsigned faces) { wanted_ = faces; }

  // `more` as in Part::text. Ignores an rt outside of ruby.
  void begin(Tag tag, std::string more = {});
  // Ignores all elements but the innermost; the end of ruby also ends its rt (WebVTT §6.4).
  void end(Tag tag);

  // Ends the elements that are open.
  void finish();

 private:
  void apply_faces();
  void begin_lines();
  std::string& characters();  // at the end of the text

  std::vector<Part>& parts_;
  std::vector<Tag> open_;
  std::size_t lines_ = 0;  // ends of lines since the last character
  std::string indent_;     // spaces after the last of them
  bool at_begin_of_line_ = true;
  bool begun_ = false;  // there is a character
  unsigned faces_ = 0;
  unsigned wanted_ = 0;
};

// Returns the cues sorted by their beginning. A cue whose end is unknown ends when the next cue
// begins, after at most 5 seconds. A cue that begins before 0 begins at 0. Leaves out cues without
// text, and those that end at 0 or before. Cues that overlap stay.
std::vector<Cue> in_order(std::vector<Cue> cues);

}  // namespace svc::captions
