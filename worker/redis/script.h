// Script: a Lua script, which Redis runs atomically, the SHA-1 of its text, by
// which EVALSHA names it, and the form of its replies (redis/reply_shape.h).
//
// Every script must be safe to run twice for one request.
#pragma once

#include <string>
#include <string_view>

#include "redis/reply_shape.h"

namespace svc::redis {

class Script {
 public:
  Script(std::string_view text, std::string_view reply);

  const std::string& text() const { return text_; }
  const std::string& sha1() const { return sha1_; }
  ReplyShape reply() const { return {reply_}; }

 private:
  std::string text_;
  std::string sha1_;
  std::string_view reply_;  // a literal
};

}  // namespace svc::redis
