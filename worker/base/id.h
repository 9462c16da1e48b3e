// Id: the type of the ids of one kind of object, so that the compiler rejects an exchange of two.
//
//   using AccountId = base::Id<struct AccountIdKind, std::int64_t>;
//
// An aggregate: a value becomes an id in braces only, `AccountId{1001}`.
#pragma once

#include <compare>

namespace svc::base {

template <class Kind, class Value>
struct Id {
  Value raw{};  // for the braces; read value()

  const Value& value() const { return raw; }
  auto operator<=>(const Id&) const = default;
};

}  // namespace svc::base
