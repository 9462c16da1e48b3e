// answers: FastCGI responses as a peer reads them (specification §3.3, §5.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace svc::fakes {

struct FcgiRecord {
  int type = 0;
  std::uint16_t id = 0;
  std::string content;
};

// Returns the complete records at the start of `bytes` and removes them from
// it.
inline std::vector<FcgiRecord> take_records(std::string_view& bytes) {
  std::vector<FcgiRecord> records;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  while (bytes.size() >= 8) {
    const auto length = static_cast<std::size_t>(byte(4) << 8 | byte(5));
    const std::size_t size = 8 + length + byte(6);
    if (bytes.size() < size || byte(0) != 1) break;
    records.push_back({byte(1), static_cast<std::uint16_t>(byte(2) << 8 | byte(3)),
                       std::string(bytes.substr(8, length))});
    bytes.remove_prefix(size);
  }
  return records;
}

// The content of STDOUT, and whether the response is complete: the end of
// STDOUT, then END_REQUEST with FCGI_REQUEST_COMPLETE, and nothing else.
struct AnswerText {
  std::string text;
  bool whole = false;
  bool operator==(const AnswerText&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const AnswerText& answer) {
    return out << answer.text << (answer.whole ? "" : " (cut)");
  }
};

inline AnswerText answer_in(std::string_view bytes) {
  AnswerText answer;
  bool out_ended = false;
  bool ended = false;
  bool right = true;
  for (const FcgiRecord& record : take_records(bytes)) {
    switch (record.type) {
      case 6:  // STDOUT
        answer.text += record.content;
        out_ended = record.content.empty();
        break;
      case 3:  // END_REQUEST
        right = right && out_ended && record.content == std::string(8, '\0');
        ended = true;
        break;
      default: right = false;
    }
  }
  answer.whole = ended && right && bytes.empty();
  return answer;
}

}  // namespace svc::fakes
