#include "redis/protocol.h"

#include <hiredis/hiredis.h>

#include <array>
#include <charconv>
#include <optional>

#include "base/number.h"

namespace svc::redis {
namespace {

constexpr std::size_t kMostElements = 1 << 20;  // per array; more than any reply has

}  // namespace

void append_command(std::string& out, Words words) {
  std::size_t size = 16;
  for (const std::string_view word : words) size += word.size() + 16;
  out.reserve(out.size() + size);
  const auto append_length = [&out](char kind, std::size_t length) {
    std::array<char, 24> line{kind};
    char* end = std::to_chars(line.data() + 1, line.data() + line.size() - 2, length).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(line.data(), static_cast<std::size_t>(end - line.data()));
  };
  append_length('*', words.size());
  for (const std::string_view word : words) {
    append_length('$', word.size());
    out.append(word).append("\r\n", 2);
  }
}

std::vector<std::string_view> words_in(std::string_view bytes) {
  std::vector<std::string_view> words;
  // Takes a line such as "$3".
  const auto take_length = [&bytes](char kind) -> std::optional<std::size_t> {
    const std::size_t end = bytes.find("\r\n");
    if (end == std::string_view::npos || bytes.front() != kind) return std::nullopt;
    const auto length = base::parse_number<std::size_t>(bytes.substr(1, end - 1));
    bytes.remove_prefix(end + 2);
    return length;
  };
  if (!take_length('*')) return words;
  while (const auto length = take_length('$')) {
    if (*length + 2 > bytes.size()) break;
    words.push_back(bytes.substr(0, *length));
    bytes.remove_prefix(*length + 2);
  }
  return words;
}

ReplyReader new_reader() {
  ReplyReader reader(redisReaderCreate());
  if (!reader) return reader;
  static const redisReplyObjectFunctions kHiredis = *reader->fn;
  static redisReplyObjectFunctions limited = [] {
    redisReplyObjectFunctions functions = kHiredis;
    // hiredis allocates a whole array in advance. To it, nullptr is a lack of memory.
    functions.createArray = [](const redisReadTask* task, auto elements) -> void* {
      if (static_cast<std::size_t>(elements) > kMostElements) return nullptr;
      return kHiredis.createArray(task, elements);
    };
    return functions;
  }();
  reader->fn = &limited;
  return reader;
}

void FreeReader::operator()(redisReader* reader) const { redisReaderFree(reader); }

}  // namespace svc::redis
