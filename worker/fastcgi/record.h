// record: FastCGI records and name-value pairs, read and written. The FastCGI 1.0 specification's
// sections are in parentheses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::fastcgi {

inline constexpr char kVersion = 1;
inline constexpr std::size_t kHeaderSize = 8;
inline constexpr std::size_t kMaxContent = 65'535;  // bytes of one record

// The types that we read or write (§8). A received record may have any other
// value.
enum class RecordType : std::uint8_t {
  BeginRequest = 1,
  AbortRequest = 2,
  EndRequest = 3,
  Params = 4,
  Stdin = 5,
  Stdout = 6,
  GetValues = 9,
  GetValuesResult = 10,
  UnknownType = 11,
};

// Returns true if the specification defines the type (§8).
constexpr bool is_defined(RecordType type) {
  return type >= RecordType::BeginRequest && type <= RecordType::UnknownType;
}

inline constexpr unsigned kResponder = 1;  // the only role that we support (§5.1)

struct Record {
  RecordType type{};
  std::uint16_t id = 0;
  std::string_view content;
  std::size_t size = 0;  // bytes, header and padding included
};

// Broken: not a record of version 1.
enum class RecordState { Whole, Partial, Broken };

inline unsigned byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}
inline unsigned two_bytes_at(std::string_view bytes, std::size_t i) {
  return byte_at(bytes, i) << 8 | byte_at(bytes, i + 1);
}

// Reads the record at the begin of `bytes` (§3.3). For a partial record, sets
// the type if two bytes are available, and the id if the header is complete.
// The content is a view of `bytes`. Inline, because then each check of an index follows from a
// check of the size.
[[gnu::always_inline]] inline RecordState read_record(std::string_view bytes, Record& record) {
  if (!bytes.empty() && bytes[0] != kVersion) return RecordState::Broken;
  if (bytes.size() >= 2) record.type = static_cast<RecordType>(byte_at(bytes, 1));
  if (bytes.size() < kHeaderSize) return RecordState::Partial;
  record.id = static_cast<std::uint16_t>(two_bytes_at(bytes, 2));
  const std::size_t length = two_bytes_at(bytes, 4);
  record.size = kHeaderSize + length + byte_at(bytes, 6);
  if (bytes.size() < record.size) return RecordState::Partial;
  record.content = bytes.substr(kHeaderSize, length);
  return RecordState::Whole;
}

// Writes the header of a record of `length` bytes without padding to kHeaderSize bytes.
inline void write_header(char* to, RecordType type, std::uint16_t id, std::size_t length) {
  to[0] = kVersion;
  to[1] = static_cast<char>(type);
  to[2] = static_cast<char>(id >> 8);
  to[3] = static_cast<char>(id & 0xff);
  to[4] = static_cast<char>(length >> 8);
  to[5] = static_cast<char>(length & 0xff);
  to[6] = to[7] = 0;  // no padding, and a reserved byte
}

// Appends a record whose content has at most kMaxContent bytes.
void append_record(std::string& out, RecordType type, std::uint16_t id, std::string_view content);

// Removes the first name-value pair (§3.4). Returns false at the end, or if a
// length exceeds the rest.
bool take_pair(std::string_view& bytes, std::string_view& name, std::string_view& value);

// Appends a name-value pair (§3.4).
void append_pair(std::string& out, std::string_view name, std::string_view value);

// Returns a whole request to the responder without a body, with id 1 and these
// name-value pairs.
enum class KeepConnection { No, Yes };
std::string request_without_body(std::string_view pairs, KeepConnection keep);

}  // namespace svc::fastcgi
