// override_tags: ASS's tags within braces, such as "{\i1}", which SubRip has from it.
#pragma once

#include <string_view>

namespace svc::captions {

// The state that override tags change.
struct Look {
  unsigned style = 0;    // faces of the style
  unsigned faces = 0;    // present ones
  bool drawing = false;  // the text is a vector drawing
  int place = 0;         // a key of the number pad; 0: the style's
};

// Returns the key of the number pad for a place as SSA numbers them: 1 to 3 at the bottom, 5 to 7
// at the top, 9 to 11 in the middle. 0 for another number.
constexpr int key_of_ssa(int place) {
  const int row = place / 4;
  const int column = place % 4;
  if (column == 0 || place < 1 || place > 11) return 0;
  return column + (row == 1 ? 6 : row == 2 ? 3 : 0);
}

// Applies the block between braces. Text of a block without a backslash is a comment. Of places,
// the first of a cue counts; those of \pos and the like have no counterpart in WebVTT.
void apply_block(std::string_view block, Look& look);

}  // namespace svc::captions
