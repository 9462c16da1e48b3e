// override_tags: ASS's tags within braces, such as "{\i1}", which SubRip has from it.
#pragma once

#include <string_view>

namespace svc::captions {

// The state that override tags change.
struct Look {
  unsigned style = 0;    // faces of the style
  unsigned faces = 0;    // present ones
  bool drawing = false;  // the text is a vector drawing
};

// Applies the block between braces. Text of a block without a backslash is a comment. Most tags,
// such as those of places, have no counterpart in WebVTT.
void apply_block(std::string_view block, Look& look);

}  // namespace svc::captions
