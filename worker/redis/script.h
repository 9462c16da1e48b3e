// Script: a Lua script, which Redis runs atomically, and the SHA-1 of its text,
// by which EVALSHA names it.
//
// Every script must be safe to run twice for one request.
#pragma once

#include <string>
#include <string_view>

namespace svc::redis {

class Script {
 public:
  explicit Script(std::string_view text);

  const std::string& text() const { return text_; }
  const std::string& sha1() const { return sha1_; }

 private:
  std::string text_;
  std::string sha1_;
};

}  // namespace svc::redis
