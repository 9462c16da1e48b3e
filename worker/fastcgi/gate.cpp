#include "fastcgi/gate.h"

#include <array>

#include "fastcgi/answer_records.h"
#include "http/response.h"

namespace svc::fastcgi {
namespace {

constexpr std::size_t kHeaderSize = 8;
constexpr unsigned kVersion = 1;
constexpr unsigned kBeginRequest = 1;
constexpr unsigned kEndRequest = 3;
constexpr unsigned kParams = 4;
constexpr unsigned kStdin = 5;
constexpr unsigned kGetValues = 9;
constexpr unsigned kGetValuesResult = 10;
constexpr unsigned kResponder = 1;
constexpr unsigned kKeepConnection = 1;
constexpr char kUnknownRole = 3;

unsigned byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}
unsigned pair_at(std::string_view bytes, std::size_t i) {
  return byte_at(bytes, i) << 8 | byte_at(bytes, i + 1);
}

struct Record {
  unsigned type = 0;
  std::uint16_t id = 0;
  std::string_view content;
  std::size_t size = 0;  // with header and padding
};

enum class Take { Whole, Partial, Broken };

// The record that `bytes` begins with. Partial as soon as the header could still become right.
Take take_record(std::string_view bytes, Record& record) {
  if (!bytes.empty() && byte_at(bytes, 0) != kVersion) return Take::Broken;
  if (bytes.size() >= 2) record.type = byte_at(bytes, 1);
  if (bytes.size() < kHeaderSize) return Take::Partial;
  record.id = static_cast<std::uint16_t>(pair_at(bytes, 2));
  const std::size_t length = pair_at(bytes, 4);
  record.size = kHeaderSize + length + byte_at(bytes, 6);
  if (bytes.size() < record.size) return Take::Partial;
  record.content = bytes.substr(kHeaderSize, length);
  return Take::Whole;
}

// Follows name-value pairs (§3.4) through records that may cut them anywhere.
class PairWalk {
 public:
  explicit PairWalk(std::size_t limit) : limit_(limit) {}

  // False when a length cannot be honest.
  bool feed(std::string_view content) {
    total_ += content.size();
    if (total_ > limit_) return false;
    while (!content.empty()) {
      if (skip_ > 0) {
        const std::size_t step = std::min(skip_, content.size());
        // libfcgi makes C strings of them: what it hands on would end here, and not where it was
        // sent to end.
        if (content.substr(0, step).find('\0') != std::string_view::npos) return false;
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
    if (++lengths_ == 2) {
      skip_ = sum_;
      sum_ = 0;
      lengths_ = 0;
    }
    return true;
  }

  const std::size_t limit_;
  std::size_t total_ = 0;
  std::size_t skip_ = 0;  // bytes of a name and value that are still to come
  std::size_t sum_ = 0;   // of the lengths read of this pair
  std::size_t length_ = 0;
  unsigned length_bytes_ = 0;  // of the length being read that are still to come
  unsigned lengths_ = 0;       // read of this pair
};

void append_record(std::string& out, unsigned type, std::uint16_t id, std::string_view content) {
  const std::array<char, kHeaderSize> header{static_cast<char>(kVersion),
                                             static_cast<char>(type),
                                             static_cast<char>(id >> 8),
                                             static_cast<char>(id & 0xff),
                                             static_cast<char>(content.size() >> 8),
                                             static_cast<char>(content.size() & 0xff),
                                             0,
                                             0};
  out.append(header.data(), header.size());
  out += content;
}

// §3.4: one byte for lengths below 128, else four.
bool take_length(std::string_view& bytes, std::size_t& length) {
  if (bytes.empty()) return false;
  length = byte_at(bytes, 0);
  if (length < 0x80) {
    bytes.remove_prefix(1);
    return true;
  }
  if (bytes.size() < 4) return false;
  length = (length & 0x7f) << 24 | byte_at(bytes, 1) << 16 | pair_at(bytes, 2);
  bytes.remove_prefix(4);
  return true;
}

}  // namespace

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

Inspection inspect(std::string_view seen, const Limits& limits) {
  Inspection result;
  Record record;
  const auto says = [&](Verdict verdict) {
    result.verdict = verdict;
    return result;
  };
  switch (take_record(seen, record)) {
    case Take::Broken: return says(Verdict::Refuse);
    case Take::Partial:
      if (seen.size() >= 2 && record.type != kBeginRequest && record.type != kGetValues) {
        return says(Verdict::Refuse);
      }
      if (seen.size() >= kHeaderSize && (record.type == kBeginRequest) == (record.id == 0)) {
        return says(Verdict::Refuse);
      }
      return says(Verdict::NeedMore);
    case Take::Whole: break;
  }
  if (record.type == kGetValues && record.id == 0) {
    result.size = record.size;
    return says(Verdict::GetValues);
  }
  if (record.type != kBeginRequest || record.id == 0 || record.content.size() != 8) {
    return says(Verdict::Refuse);
  }
  result.request_id = record.id;
  result.padded = record.size > kHeaderSize + record.content.size();
  result.keeps = (byte_at(record.content, 2) & kKeepConnection) != 0;
  if (pair_at(record.content, 0) != kResponder) return says(Verdict::UnknownRole);

  std::size_t at = record.size;
  PairWalk pairs(limits.params);
  std::size_t body = 0;
  // libfcgi adds up records of any size, so many empty-looking ones are bounded here too.
  constexpr std::size_t kMaxRecords = 4096;
  unsigned expected = kParams;
  for (std::size_t records = 0;; ++records) {
    const Take take = take_record(seen.substr(at), record);
    if (take == Take::Broken || records > kMaxRecords) return says(Verdict::Refuse);
    if (take == Take::Partial) {
      const std::size_t left = seen.size() - at;
      if (left >= 2 && record.type != expected) return says(Verdict::Refuse);
      if (left >= kHeaderSize && record.id != result.request_id) return says(Verdict::Refuse);
      return says(Verdict::NeedMore);
    }
    if (record.type != expected || record.id != result.request_id) return says(Verdict::Refuse);
    at += record.size;
    if (expected == kParams) {
      if (record.content.empty()) {
        result.padded |= record.size > kHeaderSize;
        if (!pairs.at_boundary()) return says(Verdict::Refuse);
        expected = kStdin;
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
  while (take_record(request, record) == Take::Whole) {
    append_record(out, record.type, record.id, record.content);
    request.remove_prefix(record.size);
    record = {};
  }
  return out;
}

std::string parameter(std::string_view request, std::string_view name) {
  // Put together first: records may cut a pair anywhere.
  std::string pairs;
  Record record;
  while (take_record(request, record) == Take::Whole) {
    if (record.type == kParams) pairs += record.content;
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
  if (take_record(request, begin) != Take::Whole) return std::nullopt;
  request.remove_prefix(begin.size);
  if (take_record(request, params) != Take::Whole) return std::nullopt;
  // Behind it two empty records: the ends of PARAMS and of STDIN.
  if (request.size() != params.size + 2 * kHeaderSize) return std::nullopt;
  return params.content;
}

std::string answer_get_values(std::string_view record) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kValues{
      {{"FCGI_MAX_CONNS", "1024"}, {"FCGI_MAX_REQS", "1"}, {"FCGI_MPXS_CONNS", "0"}}};
  std::array<bool, kValues.size()> asked{};
  Record parsed;
  if (take_record(record, parsed) != Take::Whole) return {};
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
    if (!asked[i]) continue;
    answer += static_cast<char>(kValues[i].first.size());
    answer += static_cast<char>(kValues[i].second.size());
    answer += kValues[i].first;
    answer += kValues[i].second;
  }
  std::string out;
  append_record(out, kGetValuesResult, 0, answer);
  return out;
}

std::string unknown_role(std::uint16_t request_id) {
  std::string out;
  append_record(out, kEndRequest, request_id,
                std::string("\0\0\0\0", 4) + kUnknownRole + std::string(3, '\0'));
  return out;
}

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
