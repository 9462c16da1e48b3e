// Unwritable: a record was not stored, because its readers would refuse it. Nothing was written.
//
// The router responds 422 with its words, which name a field and a limit, never a value. Work that
// handles a record that cannot be read handles this in the same way.
#pragma once

#include "base/unreadable.h"

namespace svc::base {

class Unwritable : public Unreadable {
 public:
  using Unreadable::Unreadable;
};

}  // namespace svc::base
