// Result: a value or a refusal; the part of std::expected that we use.
//
// A refusal means that the caller asked for something it may not have. A
// failure of a dependency is an exception instead (base/unavailable). To call
// value() on a refusal, or error() on a value, is a bug and aborts.
#pragma once

#include <cstdlib>
#include <utility>
#include <variant>

namespace svc::base {

// Wraps an error, so that a Result<std::string, std::string> can tell the two
// apart.
template <class E>
struct Refusal {
  E error;
};
template <class E>
Refusal(E) -> Refusal<E>;

template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  Result(Refusal<E> refusal)                                             // NOLINT: implicit
      : state_(std::in_place_index<1>, std::move(refusal.error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  const T& value() const& { return *checked(std::get_if<0>(&state_)); }
  T& value() & { return *checked(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(*checked(std::get_if<0>(&state_))); }
  const E& error() const { return *checked(std::get_if<1>(&state_)); }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  template <class P>
  static P* checked(P* pointer) {
    if (pointer == nullptr) std::abort();
    return pointer;
  }

  std::variant<T, E> state_;
};

}  // namespace svc::base
