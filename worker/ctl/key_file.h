// key_file: the file of a base::KeyRing, as `svcctl keys rotate` changes it.
//
// A key comes into use in two steps, since the workers read the file when they start and old and
// new ones run side by side while they are restarted:
//
//   old                 old, new              new, old
//   what is there  ──▶  all can read new  ──▶  new writes, old still reads
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"

namespace svc::ctl {

// k and the time: a new key's id says how old it is. A second more than the newest of the ring
// where it would not be newer, because the clock was set back, say.
std::string new_key_id(const base::KeyRing& ring, std::int64_t now);

// The key that was added behind the others and does not write yet; nothing when there is none. Only
// ids that new_key_id() made tell: the last is such a one, and the first is not, or is older.
std::optional<std::string> waiting_key(const base::KeyRing& ring);

// The text of the file with one more key at its end, and with its last key before all others. All
// other lines stay as they are.
std::string with_new_key(std::string_view file, std::string_view id, base::Entropy& entropy);
std::string with_last_key_first(std::string_view file);

// While it lives no other svcctl changes the file.
class KeyFileLock {
 public:
  // error() is empty when it is ours.
  explicit KeyFileLock(const std::string& path);
  ~KeyFileLock();
  KeyFileLock(const KeyFileLock&) = delete;
  KeyFileLock& operator=(const KeyFileLock&) = delete;

  const std::string& error() const { return error_; }

 private:
  int directory_ = -1;
  std::string error_;
};

// All of it or nothing, also when the machine loses power; mode and owner stay. Why not, or empty.
// Never says what is in it.
std::string replace_key_file(const std::string& path, std::string_view text);

}  // namespace svc::ctl
