#include "captions/override_tags.h"

#include <algorithm>

#include "base/number.h"
#include "captions/cue.h"
#include "captions/lines.h"
#include "text/ascii.h"

namespace svc::captions {
namespace {

// Applies one tag without its backslash.
void apply_tag(std::string_view tag, Look& look) {
  if (tag.starts_with('r')) look.faces = look.style;  // \r, \rStyle
  if (tag.starts_with('a')) {                         // \an8, or \a6 as in SSA
    const bool is_key = tag.starts_with("an");
    const auto number = base::parse_number<int>(tag.substr(is_key ? 2 : 1), 1, 11);
    const int key = !number ? 0 : is_key ? *number : key_of_ssa(*number);
    if (look.place == 0 && key <= 9) look.place = key;
    return;
  }
  if (tag.empty() || !std::ranges::all_of(tag.substr(1), text::is_digit)) return;
  const auto value = base::parse_number<int>(tag.substr(1), 0);
  const auto set = [&](unsigned face, bool on) {
    look.faces = with_face(look.faces, face, value ? on : (look.style & face) != 0);
  };
  switch (tag.front()) {
    case 'b': return set(kBold, value == 1 || value >= 600);  // or a weight
    case 'i': return set(kItalic, value != 0);
    case 'u': return set(kUnderline, value != 0);
    case 'p': look.drawing = value.value_or(0) != 0; return;
    default: return;
  }
}

}  // namespace

void apply_block(std::string_view block, Look& look) {
  take_field(block, '\\');
  while (!block.empty()) apply_tag(take_field(block, '\\'), look);
}

}  // namespace svc::captions
