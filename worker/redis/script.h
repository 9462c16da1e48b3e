// Script: a Lua script that Redis runs as one step, and its name there (SHA-1 of its text).
//
// Every script we have may run twice for one request: what it does is keyed by what it is given.
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
