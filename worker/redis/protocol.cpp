#include "redis/protocol.h"

#include <hiredis/hiredis.h>

namespace svc::redis {
namespace {

constexpr std::size_t kMostElements = 1 << 20;  // per array; more than any reply has

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> words) {
  std::size_t size = 16;
  for (const std::string_view word : words) size += word.size() + 16;
  out.reserve(out.size() + size);
  out += '*';
  out += std::to_string(words.size());
  out += "\r\n";
  for (const std::string_view word : words) {
    out += '$';
    out += std::to_string(word.size());
    out += "\r\n";
    out += word;
    out += "\r\n";
  }
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
