#include "fastcgi/record.h"

#include <array>

namespace svc::fastcgi {
namespace {

constexpr std::size_t kLongLength = 128;  // longer lengths have four bytes (§3.4)

// As read_record(), by name and value of each parameter of each request.
[[gnu::always_inline]] inline bool take_length(std::string_view& bytes, std::size_t& length) {
  if (bytes.empty()) return false;
  length = byte_at(bytes, 0);
  if (length < kLongLength) {
    bytes.remove_prefix(1);
    return true;
  }
  if (bytes.size() < 4) return false;
  length = (length & 0x7f) << 24 | byte_at(bytes, 1) << 16 | two_bytes_at(bytes, 2);
  bytes.remove_prefix(4);
  return true;
}

void append_length(std::string& out, std::size_t length) {
  if (length >= kLongLength) {
    out += static_cast<char>(length >> 24 | 0x80);
    out += static_cast<char>(length >> 16 & 0xff);
    out += static_cast<char>(length >> 8 & 0xff);
  }
  out += static_cast<char>(length & 0xff);
}

}  // namespace

void append_record(std::string& out, RecordType type, std::uint16_t id, std::string_view content) {
  std::array<char, kHeaderSize> header{};
  write_header(header.data(), type, id, content.size());
  out.append(header.data(), header.size()).append(content);
}

bool take_pair(std::string_view& bytes, std::string_view& name, std::string_view& value) {
  std::size_t name_length = 0;
  std::size_t value_length = 0;
  if (!take_length(bytes, name_length) || !take_length(bytes, value_length) ||
      name_length > bytes.size() || value_length > bytes.size() - name_length) {
    return false;
  }
  name = bytes.substr(0, name_length);
  value = bytes.substr(name_length, value_length);
  bytes.remove_prefix(name_length + value_length);
  return true;
}

void append_pair(std::string& out, std::string_view name, std::string_view value) {
  append_length(out, name.size());
  append_length(out, value.size());
  out.append(name).append(value);
}

std::string request_without_body(std::string_view pairs, KeepConnection keep) {
  constexpr std::uint16_t kId = 1;
  const std::array<char, 8> begin{0, kResponder, keep == KeepConnection::Yes ? char{1} : char{0}};
  std::string out;
  append_record(out, RecordType::BeginRequest, kId, {begin.data(), begin.size()});
  if (!pairs.empty()) append_record(out, RecordType::Params, kId, pairs);
  append_record(out, RecordType::Params, kId, "");
  append_record(out, RecordType::Stdin, kId, "");
  return out;
}

}  // namespace svc::fastcgi
