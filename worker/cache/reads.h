// Reads: which keys of the store an answer was made from. The store notes them as it reads, so no
// endpoint can forget one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::cache {

class Reads {
 public:
  void note(std::string_view key) { keys_.emplace_back(key); }
  const std::vector<std::string>& keys() const { return keys_; }
  void clear() { keys_.clear(); }

  // Whether the store has to ask again, also for what it has been told in this round already.
  void read_afresh(bool afresh) { afresh_ = afresh; }
  bool afresh() const { return afresh_; }

 private:
  std::vector<std::string> keys_;
  bool afresh_ = false;
};

}  // namespace svc::cache
