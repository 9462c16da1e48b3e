#include "fastcgi/answer_records.h"

#include <algorithm>

namespace svc::fastcgi {

AnswerRecords::AnswerRecords(std::uint16_t request_id, std::string_view head,
                             std::string_view body) {
  // An END_REQUEST of zeros means FCGI_REQUEST_COMPLETE and application status
  // 0.
  write_header(last_.data(), RecordType::Stdout, request_id, 0);
  write_header(last_.data() + kHeaderSize, RecordType::EndRequest, request_id, kHeaderSize);
  const std::string_view last(last_.data(), last_.size());
  const std::size_t length = head.size() + body.size();
  if (length > 0 && length <= kMaxContent) {
    write_header(first_.data(), RecordType::Stdout, request_id, length);
    for (const std::string_view piece :
         {std::string_view(first_.data(), first_.size()), head, body, last})
      add(piece);
    return;
  }
  const auto append = [&](std::string_view text) {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMaxContent)))
      append_record(copied_, RecordType::Stdout, request_id, text.substr(0, kMaxContent));
  };
  copied_.reserve(length + (length / kMaxContent + 6) * kHeaderSize);
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
