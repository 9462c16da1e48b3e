// AnswerRecords: a whole response as FastCGI records: STDOUT …, STDOUT(empty),
// END_REQUEST (§3.3, §5.5 of the FastCGI 1.0 specification).
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fastcgi/record.h"

namespace svc::fastcgi {

class AnswerRecords {
 public:
  // Head and body must outlive it; they are only copied if they do not fit into
  // one record.
  AnswerRecords(std::uint16_t request_id, std::string_view head, std::string_view body);
  AnswerRecords(const AnswerRecords&) = delete;
  AnswerRecords& operator=(const AnswerRecords&) = delete;

  // For writev(2) and sendmsg(2).
  std::span<const iovec> pieces() const { return std::span(pieces_).first(count_); }
  // Bytes of all pieces.
  std::size_t size() const { return size_; }
  // Appends all bytes from `offset` on to `out`.
  void append_from(std::size_t offset, std::string& out) const;

 private:
  void add(std::string_view piece);

  std::array<char, kHeaderSize> first_{};
  std::array<char, 3 * kHeaderSize> last_{};
  std::string copied_;  // all records, if they do not fit into one
  std::array<iovec, 4> pieces_{};
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace svc::fastcgi
