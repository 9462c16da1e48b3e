#include "fastcgi/answer_records.h"

#include <algorithm>

namespace svc::fastcgi {
namespace {

constexpr std::size_t kLongest = 65'535;  // bytes of one record's content
constexpr char kVersion = 1;
constexpr char kEndRequest = 3;
constexpr char kStdout = 6;

void write_header(char* to, char type, std::uint16_t id, std::size_t length) {
  to[0] = kVersion;
  to[1] = type;
  to[2] = static_cast<char>(id >> 8);
  to[3] = static_cast<char>(id & 0xff);
  to[4] = static_cast<char>(length >> 8);
  to[5] = static_cast<char>(length & 0xff);
}

}  // namespace

AnswerRecords::AnswerRecords(std::uint16_t request_id, std::string_view head,
                             std::string_view body) {
  // An END_REQUEST that is all zero: FCGI_REQUEST_COMPLETE, and no status of an application.
  write_header(last_.data(), kStdout, request_id, 0);
  write_header(last_.data() + kHeader, kEndRequest, request_id, kHeader);
  const std::string_view last(last_.data(), last_.size());
  const std::size_t length = head.size() + body.size();
  if (length > 0 && length <= kLongest) {
    write_header(first_.data(), kStdout, request_id, length);
    for (const std::string_view piece :
         {std::string_view(first_.data(), first_.size()), head, body, last})
      add(piece);
    return;
  }
  const auto append = [&](std::string_view text) {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kLongest))) {
      const std::string_view piece = text.substr(0, kLongest);
      write_header(first_.data(), kStdout, request_id, piece.size());
      copied_.append(first_.data(), first_.size()).append(piece);
    }
  };
  copied_.reserve(length + (length / kLongest + 6) * kHeader);
  append(head);
  append(body);
  copied_ += last;
  add(copied_);
}

void AnswerRecords::add(std::string_view piece) {
  if (piece.empty()) return;
  pieces_[count_++] = {const_cast<char*>(piece.data()), piece.size()};
  size_ += piece.size();
}

void AnswerRecords::append_from(std::size_t offset, std::string& out) const {
  out.reserve(out.size() + size_ - offset);
  for (const iovec& piece : pieces()) {
    const std::string_view text(static_cast<const char*>(piece.iov_base), piece.iov_len);
    const std::size_t skipped = std::min(offset, text.size());
    out += text.substr(skipped);
    offset -= skipped;
  }
}

}  // namespace svc::fastcgi
