#include "fastcgi/request_inspection.h"

#include <algorithm>
#include <array>

#include "fastcgi/answer_records.h"
#include "fastcgi/record.h"
#include "http/response.h"

namespace svc::fastcgi {
namespace {

using enum RecordType;

constexpr unsigned kKeepConnection = 1;
constexpr char kRequestComplete = 0;
constexpr char kUnknownRole = 3;

// Returns true if a record with this type and id can be the first on a
// connection, or after the end of a request.
bool may_be_first(RecordType type, std::uint16_t id) {
  if (id == 0) return type == GetValues || !is_defined(type);
  return type == BeginRequest || type == AbortRequest;
}

std::string end_request(std::uint16_t request_id, char protocol_status) {
  std::string out;
  append_record(out, EndRequest, request_id,
                std::string("\0\0\0\0", 4) + protocol_status + std::string(3, '\0'));
  return out;
}

// Parses the lengths of name-value pairs (§3.4), which may be split across
// records at any byte.
class PairWalk {
 public:
  explicit PairWalk(std::size_t limit) : limit_(limit) {}

  // Returns false if a length exceeds the limit, if a name or value contains
  // NUL, or if a name contains an equals sign.
  bool feed(std::string_view content) {
    total_ += content.size();
    if (total_ > limit_) return false;
    while (!content.empty()) {
      if (skip_ > 0) {
        const std::size_t step = std::min(skip_, content.size());
        // libfcgi makes C strings "name=value" of them: a NUL would cut the text,
        // and an equals sign in a name would end the name.
        if (content.substr(0, step).find('\0') != std::string_view::npos) return false;
        const std::size_t of_name = std::min(name_, step);
        if (content.substr(0, of_name).find('=') != std::string_view::npos) return false;
        name_ -= of_name;
        skip_ -= step;
        content.remove_prefix(step);
        continue;
      }
      if (!feed_length(byte_at(content, 0))) return false;
      content.remove_prefix(1);
    }
    return true;
  }

  bool at_boundary() const { return skip_ == 0 && lengths_ == 0 && length_bytes_ == 0; }

 private:
  bool feed_length(unsigned byte) {
    if (length_bytes_ == 0) {
      length_bytes_ = byte < 0x80 ? 1 : 4;
      length_ = byte < 0x80 ? byte : byte & 0x7f;
    } else {
      length_ = length_ << 8 | byte;
    }
    if (--length_bytes_ > 0) return true;
    sum_ += length_;
    if (sum_ > limit_) return false;
    if (lengths_ == 0) name_ = length_;
    if (++lengths_ == 2) {
      skip_ = sum_;
      sum_ = 0;
      lengths_ = 0;
    }
    return true;
  }

  const std::size_t limit_;
  std::size_t total_ = 0;
  std::size_t skip_ = 0;  // bytes of a name and value that were not read yet
  std::size_t name_ = 0;  // bytes of the name among them
  std::size_t sum_ = 0;   // sum of the lengths read of this pair
  std::size_t length_ = 0;
  unsigned length_bytes_ = 0;  // bytes of the current length that were not read yet
  unsigned lengths_ = 0;       // lengths read of this pair
};

}  // namespace

Inspection inspect(std::string_view seen, const Limits& limits) {
  Inspection result;
  Record record;
  const auto says = [&](Verdict verdict) {
    result.verdict = verdict;
    return result;
  };
  switch (read_record(seen, record)) {
    case RecordState::Broken: return says(Verdict::Refuse);
    case RecordState::Partial:
      if (seen.size() >= 2 && !may_be_first(record.type, 0) && !may_be_first(record.type, 1)) {
        return says(Verdict::Refuse);
      }
      if (seen.size() >= kHeaderSize && !may_be_first(record.type, record.id)) {
        return says(Verdict::Refuse);
      }
      return says(Verdict::NeedMore);
    case RecordState::Whole: break;
  }
  if (!may_be_first(record.type, record.id)) return says(Verdict::Refuse);
  if (record.type != BeginRequest) {
    result.size = record.size;
    result.type = static_cast<std::uint8_t>(record.type);
    if (record.id != 0) return says(Verdict::Ignore);
    return says(record.type == GetValues ? Verdict::GetValues : Verdict::UnknownType);
  }
  if (record.content.size() != 8) return says(Verdict::Refuse);
  result.request_id = record.id;
  result.padded = record.size > kHeaderSize + record.content.size();
  result.keeps = (byte_at(record.content, 2) & kKeepConnection) != 0;
  if (two_bytes_at(record.content, 0) != kResponder) return says(Verdict::UnknownRole);

  std::size_t at = record.size;
  PairWalk pairs(limits.params);
  std::size_t body = 0;
  // Bounds the number of records: libfcgi accepts any number of tiny ones.
  constexpr std::size_t kMaxRecords = 4096;
  RecordType expected = Params;
  for (std::size_t records = 0;; ++records) {
    const RecordState state = read_record(seen.substr(at), record);
    if (state == RecordState::Broken || records > kMaxRecords) return says(Verdict::Refuse);
    if (state == RecordState::Partial) {
      const std::size_t left = seen.size() - at;
      if (left >= 2 && record.type != expected && record.type != AbortRequest)
        return says(Verdict::Refuse);
      if (left >= kHeaderSize && record.id != result.request_id) return says(Verdict::Refuse);
      return says(Verdict::NeedMore);
    }
    if (record.id != result.request_id) return says(Verdict::Refuse);
    at += record.size;
    if (record.type == AbortRequest) {
      result.size = at;
      return says(Verdict::Abort);
    }
    if (record.type != expected) return says(Verdict::Refuse);
    if (expected == Params) {
      if (record.content.empty()) {
        result.padded |= record.size > kHeaderSize;
        if (!pairs.at_boundary()) return says(Verdict::Refuse);
        expected = Stdin;
      } else if (!pairs.feed(record.content)) {
        return says(Verdict::Refuse);
      }
    } else if (record.content.empty()) {
      result.size = at;
      return says(Verdict::Pass);
    } else {
      body += record.content.size();
      if (body > limits.body) return says(Verdict::TooLarge);
    }
  }
}

std::string without_padding(std::string_view request) {
  std::string out;
  out.reserve(request.size());
  Record record;
  while (read_record(request, record) == RecordState::Whole) {
    append_record(out, record.type, record.id, record.content);
    request.remove_prefix(record.size);
    record = {};
  }
  return out;
}

std::string parameter(std::string_view request, std::string_view name) {
  // Concatenate first: records may split a pair at any byte.
  std::string pairs;
  Record record;
  while (read_record(request, record) == RecordState::Whole) {
    if (record.type == Params) pairs += record.content;
    request.remove_prefix(record.size);
    record = {};
  }
  std::string_view rest = pairs;
  std::string_view key;
  std::string_view value;
  while (take_pair(rest, key, value)) {
    if (key == name) return std::string(value);
  }
  return {};
}

std::optional<std::string_view> single_params(std::string_view request) {
  Record begin;
  Record params;
  if (read_record(request, begin) != RecordState::Whole) return std::nullopt;
  request.remove_prefix(begin.size);
  if (read_record(request, params) != RecordState::Whole) return std::nullopt;
  // After it, exactly two empty records: the ends of PARAMS and STDIN.
  if (request.size() != params.size + 2 * kHeaderSize) return std::nullopt;
  return params.content;
}

std::string answer_get_values(std::string_view record) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kValues{
      {{"FCGI_MAX_CONNS", "1024"}, {"FCGI_MAX_REQS", "1"}, {"FCGI_MPXS_CONNS", "0"}}};
  std::array<bool, kValues.size()> asked{};
  Record parsed;
  if (read_record(record, parsed) != RecordState::Whole) return {};
  std::string_view content = parsed.content;
  std::string_view name;
  std::string_view value;
  while (take_pair(content, name, value)) {
    for (std::size_t i = 0; i < kValues.size(); ++i) {
      if (name == kValues[i].first) asked[i] = true;
    }
  }
  std::string answer;
  for (std::size_t i = 0; i < kValues.size(); ++i) {
    if (asked[i]) append_pair(answer, kValues[i].first, kValues[i].second);
  }
  std::string out;
  append_record(out, GetValuesResult, 0, answer);
  return out;
}

std::string unknown_type(std::uint8_t type) {
  std::string out;
  append_record(out, UnknownType, 0,
                std::string(1, static_cast<char>(type)) + std::string(7, '\0'));
  return out;
}

std::string aborted(std::uint16_t request_id) { return end_request(request_id, kRequestComplete); }

std::string unknown_role(std::uint16_t request_id) { return end_request(request_id, kUnknownRole); }

std::string refusal(std::uint16_t request_id, int status, std::string_view message) {
  const http::Response response = http::json_error(status, message);
  const std::string text =
      "Status: " + std::to_string(status) + " " + std::string(http::reason_phrase(status)) +
      "\r\nContent-Type: " + response.content_type +
      "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n\r\n" + response.body;
  std::string out;
  AnswerRecords(request_id, text, "").append_from(0, out);
  return out;
}

}  // namespace svc::fastcgi
