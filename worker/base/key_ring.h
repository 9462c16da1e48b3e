// KeyRing: the server's own keys, which seal what must be readable again (client secrets).
//
// A file with a line a key, `<key id>:<64 hex digits>`; blank lines and lines beginning with # are
// left out. The first key seals, all open, so a key is rotated by putting a new one on top.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/entropy.h"
#include "base/result.h"

namespace svc::base {

class KeyRing {
 public:
  KeyRing(KeyRing&&) noexcept;
  KeyRing& operator=(KeyRing&&) noexcept;
  ~KeyRing();

  // The error names the line and what is allowed, never a key. A file that others than its owner
  // and group may read is refused.
  static Result<KeyRing, std::string> load(const std::string& path);
  static Result<KeyRing, std::string> parse(std::string_view text);

  // Of all keys, the first one's first.
  std::vector<std::string> ids() const;
  // Which key sealed that, whether it is in the ring or not; empty for what was not sealed.
  static std::string_view id_of(std::string_view sealed);

  // AES-256-GCM with a fresh 96-bit nonce: `<key id>:<nonce, ciphertext, tag in hex>`. `context` is
  // the additional data (what and whose this is), so that sealed values cannot be swapped.
  std::string seal(std::string_view plain, std::string_view context, Entropy& entropy) const;

  // Nothing when the key is not in the ring, or the value or its context was changed.
  std::optional<std::string> open(std::string_view sealed, std::string_view context) const;

  // HMAC-SHA-256 under the first key, and whether `mac` is one of `message` under any key, compared
  // in constant time. The label keeps kinds apart: a digest of one kind is never one of another.
  std::string mac(std::string_view label, std::string_view message) const;
  // The same under every key, the first key's first: where a mac is a name to look for.
  std::vector<std::string> macs(std::string_view label, std::string_view message) const;
  bool mac_matches(std::string_view label, std::string_view message, std::string_view mac) const;

 private:
  struct Key {
    std::string id;
    std::string bytes;
  };
  class Mac;
  explicit KeyRing(std::vector<Key> keys);

  // Of every key the one that it makes for this label, made once.
  const std::vector<Mac>& macs_for(std::string_view label) const;

  std::vector<Key> keys_;
  mutable std::map<std::string, std::vector<Mac>, std::less<>> by_label_;
};

}  // namespace svc::base
