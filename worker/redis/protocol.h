// protocol: RESP, the format of commands and replies
// (https://redis.io/docs/reference/protocol-spec). hiredis parses the replies.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct redisReader;

namespace svc::redis {

// The words of a command: a braced list, or a range of views. A view itself.
class Words : public std::span<const std::string_view> {
 public:
  Words(std::initializer_list<std::string_view> list)  // NOLINT: implicit
      : span(list.begin(), list.size()) {}
  template <class Range>
  requires std::is_convertible_v<const Range&, std::span<const std::string_view>> Words(
      const Range& range)
      : span(range) {}  // NOLINT: implicit
};

// Appends a command: an array of bulk strings.
void append_command(std::string& out, Words words);
// Returns its first words, as far as `bytes` has them.
std::vector<std::string_view> words_in(std::string_view bytes);

struct FreeReader {
  void operator()(redisReader* reader) const;
};
using ReplyReader = std::unique_ptr<redisReader, FreeReader>;
// Returns nullptr without memory. A reply with too long an array is an error.
ReplyReader new_reader();

}  // namespace svc::redis
