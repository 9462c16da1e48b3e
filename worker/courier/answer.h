// Answer: a response to a GET, read from the bytes of a connection. RFC 9112.
//
// It accepts only a status line, fields, and a body within its limit whose only coding may be
// `chunked`: a document needs nothing more. Everything else is refused, so a body is never
// decompressed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::courier {

struct Answer {
  int status = 0;
  std::string content_type;
  std::string cache_control;  // all of them, with commas
  std::string age;
  std::string body;
};

// Reads one response, whose bytes arrive in pieces.
class AnswerReader {
 public:
  static constexpr std::size_t kMaxFields = 16 * 1024;  // bytes, with the status line

  // `most`: bytes of the body.
  explicit AnswerReader(std::size_t most) : most_(most) {}

  // Adds bytes. Returns the response once it is complete, nullopt if it needs more bytes, or why it
  // is refused. Not called again after a response or a refusal.
  using Read = base::Result<std::optional<Answer>, std::string>;
  Read add(std::string_view bytes);
  // The peer has ended the connection. `properly`: so that none of its bytes can be missing.
  Read end(bool properly);

 private:
  enum class Body : std::uint8_t { Length, Chunks, UntilEnd };

  Read read();
  std::optional<std::string> read_fields(std::string_view head);
  Read read_chunks();

  const std::size_t most_;
  std::string bytes_;  // not read yet
  bool has_fields_ = false;
  Body kind_ = Body::UntilEnd;
  std::size_t length_ = 0;  // bytes of the body, or of its rest
  Answer answer_;
};

}  // namespace svc::courier
