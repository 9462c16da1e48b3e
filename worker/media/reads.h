// Reads: which records of the store an answer is made from. The store notes them as it reads, so no
// endpoint can forget one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::media {

class Reads {
 public:
  void note(std::string_view key) { keys_.emplace_back(key); }
  const std::vector<std::string>& keys() const { return keys_; }
  std::vector<std::string> take() { return std::exchange(keys_, {}); }

 private:
  std::vector<std::string> keys_;  // keys of Redis
};

}  // namespace svc::media
