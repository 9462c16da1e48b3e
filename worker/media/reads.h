// Reads: the keys of the records that a response depends on. The store adds
// each key when it reads it, so no endpoint can omit one.
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
  std::vector<std::string> keys_;  // Redis keys
};

}  // namespace svc::media
