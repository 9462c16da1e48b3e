#include "courier/answer.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "text/ascii.h"

namespace svc::courier {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxChunkLine = 256;  // bytes; extensions are ignored

base::Refusal<std::string> refused_answer(std::string why) { return {std::move(why)}; }

// Returns the line before the first line end, and removes both; nullopt without a line end.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find(kLineEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + kLineEnd.size());
  return line;
}

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return text::is_alnum(c) || kOthers.find(c) != std::string_view::npos;
  });
}

bool has_only_digits(std::string_view text, bool (*is)(char)) {
  return !text.empty() && text.size() <= 9 && std::ranges::all_of(text, is);
}

// RFC 9112 §4: HTTP-version SP status-code SP reason.
std::optional<int> status_in(std::string_view line) {
  const bool is_http = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  if (!is_http || line.size() < 12) return std::nullopt;
  const std::string_view code = line.substr(9, 3);
  if (!has_only_digits(code, [](char c) { return text::is_digit(c); })) return std::nullopt;
  if (line.size() > 12 && line[12] != ' ') return std::nullopt;
  const auto status = base::parse_number<int>(code);
  return status && *status >= 100 ? status : std::nullopt;
}

}  // namespace

AnswerReader::Read AnswerReader::add(std::string_view bytes) {
  bytes_ += bytes;
  return read();
}

AnswerReader::Read AnswerReader::end(bool properly) {
  if (has_fields_ && kind_ == Body::UntilEnd && properly)
    return std::optional<Answer>(std::move(answer_));
  return refused_answer("the connection ended before the response did");
}

AnswerReader::Read AnswerReader::read() {
  while (!has_fields_) {
    const std::size_t end = bytes_.find("\r\n\r\n");
    if (std::min(end, bytes_.size()) > kMaxFields)
      return refused_answer("its header fields are larger than 16 KiB");
    if (end == std::string::npos) return std::optional<Answer>();
    const std::string head = bytes_.substr(0, end + kLineEnd.size());
    bytes_.erase(0, end + 2 * kLineEnd.size());
    if (auto why = read_fields(head)) return refused_answer(std::move(*why));
  }
  switch (kind_) {
    case Body::Chunks: return read_chunks();
    case Body::Length: {
      const std::size_t taken = std::min(length_, bytes_.size());
      answer_.body.append(bytes_, 0, taken);
      bytes_.erase(0, taken);
      length_ -= taken;
      break;
    }
    case Body::UntilEnd:
      answer_.body += bytes_;
      bytes_.clear();
      break;
  }
  if (answer_.body.size() > most_)
    return refused_answer("its body is larger than " + std::to_string(most_) + " bytes");
  if (kind_ == Body::Length && length_ == 0) return std::optional<Answer>(std::move(answer_));
  return std::optional<Answer>();
}

// Returns why the response is refused. Sets has_fields_, unless the response is an interim one,
// after which another follows (RFC 9110 §15.2).
std::optional<std::string> AnswerReader::read_fields(std::string_view head) {
  const auto first = take_line(head);
  const auto status = status_in(first.value_or(""));
  if (!status) return "it is not a response of HTTP/1.1";
  answer_ = {};
  answer_.status = *status;
  std::optional<std::string> length;
  bool is_chunked = false;
  while (const auto line = take_line(head)) {
    const std::size_t colon = std::min(line->find(':'), line->size());
    const std::string name = text::to_lower(line->substr(0, colon));
    // §5.1, §5.2: no space before the colon, and no folded lines.
    if (colon == line->size() || !is_token(name)) return "it has a malformed header field";
    const std::string_view value = text::trimmed(line->substr(colon + 1));
    if (std::ranges::any_of(value, [](char c) { return text::is_control(c) && c != '\t'; }))
      return "it has a malformed header field";
    if (name == "content-length") {
      if (length && *length != value) return "it has two lengths";
      length = value;
    } else if (name == "transfer-encoding") {
      if (is_chunked || !text::equal_ignoring_case(value, "chunked"))
        return "it has a transfer coding other than chunked";
      is_chunked = true;
    } else if (name == "content-encoding") {
      if (!value.empty() && !text::equal_ignoring_case(value, "identity"))
        return "it is compressed, although that was not accepted";
    } else if (name == "content-type") {
      if (!answer_.content_type.empty()) return "it has two types";
      answer_.content_type = value;
    } else if (name == "cache-control") {
      if (!answer_.cache_control.empty()) answer_.cache_control += ", ";
      answer_.cache_control += value;
    } else if (name == "age") {
      answer_.age = value;
    }
  }
  if (answer_.status < 200) {
    if (answer_.status == 101) return "it changes the protocol";
    return std::nullopt;
  }
  has_fields_ = true;
  if (is_chunked && length) return "it has both a length and chunks";
  if (is_chunked) {
    kind_ = Body::Chunks;
  } else if (length) {
    if (!has_only_digits(*length, [](char c) { return text::is_digit(c); }))
      return length->size() > 9 ? "its body is larger than " + std::to_string(most_) + " bytes"
                                : "it has a malformed length";
    length_ = base::parse_number<std::size_t>(*length).value_or(0);
    if (length_ > most_) return "its body is larger than " + std::to_string(most_) + " bytes";
    kind_ = Body::Length;
  }
  if (answer_.status == 204 || answer_.status == 304) {
    kind_ = Body::Length;
    length_ = 0;
  }
  return std::nullopt;
}

// RFC 9112 §7.1. `length_`: the bytes that are left of a chunk and of its line end.
AnswerReader::Read AnswerReader::read_chunks() {
  while (true) {
    while (length_ > kLineEnd.size() && !bytes_.empty()) {
      const std::size_t taken = std::min(length_ - kLineEnd.size(), bytes_.size());
      answer_.body.append(bytes_, 0, taken);
      bytes_.erase(0, taken);
      length_ -= taken;
    }
    if (length_ > kLineEnd.size()) return std::optional<Answer>();
    if (length_ == kLineEnd.size()) {
      if (bytes_.size() < kLineEnd.size()) return std::optional<Answer>();
      if (!bytes_.starts_with(kLineEnd)) return refused_answer("it has a malformed chunk");
      bytes_.erase(0, kLineEnd.size());
      length_ = 0;
    }
    const std::size_t end = bytes_.find(kLineEnd);
    if (std::min(end, bytes_.size()) > kMaxChunkLine)
      return refused_answer("it has a malformed chunk");
    if (end == std::string::npos) return std::optional<Answer>();
    const std::string line = bytes_.substr(0, std::min(end, bytes_.find(';')));
    const std::string_view size = text::trimmed(line);
    if (!has_only_digits(size, [](char c) { return text::is_hex_digit(c); }))
      return refused_answer("it has a malformed chunk");
    const std::size_t chunk =
        base::parse_number<std::size_t>(size, 0, ~std::size_t{0}, 16).value_or(0);
    // Trailer fields, which may follow, say nothing about a document.
    if (chunk == 0) return std::optional<Answer>(std::move(answer_));
    if (chunk > most_ - answer_.body.size())
      return refused_answer("its body is larger than " + std::to_string(most_) + " bytes");
    bytes_.erase(0, end + kLineEnd.size());
    length_ = chunk + kLineEnd.size();
  }
}

}  // namespace svc::courier
