// Unwritable: a record was not stored, because it is too large or its readers would refuse it.
// Nothing was written.
//
// The router responds 422 with its words, a form shows them. They begin with the name of a field,
// such as "chapters[0]: title must …", and name a limit, never a value. Work that handles a record
// that cannot be read handles this in the same way.
#pragma once

#include <string_view>

#include "base/unreadable.h"

namespace svc::base {

class Unwritable : public Unreadable {
 public:
  using Unreadable::Unreadable;

  std::string_view field() const {
    const std::string_view words = what();
    return words.substr(0, words.find_first_of(" [:"));
  }
  // The words without the field: "must …".
  std::string_view problem() const {
    const std::string_view words = what();
    const std::size_t begin = field().size();
    return words.substr(begin + (words.substr(begin).starts_with(' ') ? 1 : 0));
  }
};

}  // namespace svc::base
