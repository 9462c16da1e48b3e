// CborReader: reads CBOR (RFC 8949) as authenticators write it: only items of a known length, as
// CTAP 2.1 §8 requires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::login {

class CborReader {
 public:
  // Views of the results are of `bytes`.
  explicit CborReader(std::string_view bytes) : rest_(bytes) {}

  // Each reads the next item and returns its value. Returns nullopt, and reads nothing, if the next
  // item is of another type, is truncated, or has no known length.
  std::optional<std::int64_t> integer();
  std::optional<std::string_view> bytes();
  std::optional<std::string_view> text();
  // The number of its pairs, which follow as items: key, value, …
  std::optional<std::size_t> map();

  // Passes over the next item with all that it contains. Returns false, and may have read a part of
  // it, if it is not complete, or nested deeper than kMaxDepth.
  bool skip() { return skip_item(kMaxDepth); }

  std::string_view rest() const { return rest_; }

  static constexpr int kMaxDepth = 8;

 private:
  struct Head {
    std::uint8_t type;
    std::uint64_t value;
    std::size_t size;
  };
  std::optional<Head> head() const;
  std::optional<std::string_view> string_of(std::uint8_t type);
  bool skip_item(int depth);

  std::string_view rest_;
};

}  // namespace svc::login
