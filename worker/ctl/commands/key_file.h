// key_file: how `svcctl keys rotate` changes the file of a base::KeyRing, and the file from which
// nginx reads the secrets of signed addresses.
//
// A new key comes into use in two steps, because workers read the file at their start, and old and
// new workers run at the same time during a restart:
//
//   keys in the file:   old          old, new             new, old
//   workers:            use old ──▶  all can read new ──▶  encrypt with new, still read old
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/result.h"

namespace svc::ctl {

// Returns k and the time, such as k20261121T090000Z, so that an id shows the key's age. If the
// clock was set back: one second after the newest key of the ring.
std::string new_key_id(const base::KeyRing& ring, std::int64_t now);

// Returns the id of a key that was added at the end and does not encrypt yet; nullopt if no key
// waits. Recognises only ids of new_key_id(): the last id has that form, and the first id does not
// or is older.
std::optional<std::string> waiting_key(const base::KeyRing& ring);

// Return the text of the file with one more key at its end, or with its last key moved before all
// others. All other lines stay.
std::string with_new_key(std::string_view file, std::string_view id, base::Entropy& entropy);
std::string with_last_key_first(std::string_view file);

// Lock: while the object exists, no other svcctl changes the file.
class KeyFileLock {
 public:
  // Does not wait. error() is empty if this process has the lock.
  explicit KeyFileLock(const std::string& path);
  ~KeyFileLock();
  KeyFileLock(const KeyFileLock&) = delete;
  KeyFileLock& operator=(const KeyFileLock&) = delete;

  const std::string& error() const { return error_; }

 private:
  int directory_ = -1;
  std::string error_;
};

// Replaces the file atomically, also if the machine loses power. Mode and owner stay. Returns the
// reason of a failure, without any content of the file, or "".
std::string replace_key_file(const std::string& path, std::string_view text);

// Returns the lines of nginx's map from a key's id to its secret (nginx/svc-media-values.conf). The
// error names two ids that nginx cannot tell apart.
base::Result<std::string, std::string> nginx_secrets(const base::KeyRing& ring);

// The same for the file of these lines, next to watch-key-file. A new file has the owner of
// watch-key-file, and only the owner may read it.
std::string replace_nginx_secrets(const std::string& watch_key_file, std::string_view text);

}  // namespace svc::ctl
