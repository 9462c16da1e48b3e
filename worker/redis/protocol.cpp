#include "redis/protocol.h"

#include <hiredis/hiredis.h>

namespace svc::redis {

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

void FreeReader::operator()(redisReader* reader) const { redisReaderFree(reader); }

}  // namespace svc::redis
