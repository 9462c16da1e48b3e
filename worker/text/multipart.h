// multipart: the form of an upload, a multipart/form-data body in a file
// (RFC 7578, RFC 2046 §5.1.1).
//
// Only the beginning and the end of the body are read, at most `window_size` bytes
// each: whatever its size, that is where the fields are. The bytes of the
// uploaded file are never looked at, so a boundary inside them is not noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::text {

// Returns the boundary in a Content-Type; nullopt if the type is not multipart/form-data, or its
// boundary is missing or invalid.
std::optional<std::string> multipart_boundary(std::string_view content_type);

struct Multipart {
  static constexpr std::size_t kWindow = 192 * 1024;  // bytes
  static constexpr std::size_t kMaxParts = 64;

  struct Field {
    std::string name;
    std::string value;  // as sent
  };
  // The part with a file name. Its bytes are those of the body from `offset`.
  struct File {
    std::string field;  // the name of its field
    std::string name;   // as sent: not trusted
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };

  std::vector<Field> fields;
  std::optional<File> file;

  // Returns the first field of that name, or nullptr.
  const std::string* find(std::string_view name) const;
};

// Returns `length` bytes of the body at `offset`, or fewer if it cannot.
using ReadPiece = std::function<std::string(std::uint64_t offset, std::size_t length)>;

// Reads the form of a body of `size` bytes. The refusal is a sentence for the
// client: the form is malformed, cut off, has fields of more than `window_size` in
// all, or more than one file.
base::Result<Multipart, std::string> read_multipart(std::string_view boundary, std::uint64_t size,
                                                    const ReadPiece& read,
                                                    std::size_t window_size = Multipart::kWindow);

}  // namespace svc::text
