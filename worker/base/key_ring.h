// KeyRing: the server's own keys. They encrypt secrets that must be readable
// again (client secrets) and compute HMACs.
//
// The key file has one line per key, `<key id>:<64 hex digits>`. Blank lines
// and lines that begin with # are ignored. The first key encrypts, all of them
// decrypt: to rotate, insert a new key at the top.
#pragma once

#include <cstddef>
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
  static constexpr std::size_t kKeyBytes = 32;

  KeyRing(KeyRing&&) noexcept;
  KeyRing& operator=(KeyRing&&) noexcept;
  ~KeyRing();

  // The error names the line and the format, never a key. load() refuses a file
  // that may be read by users other than its owner and group, or written by any
  // but the owner.
  static Result<KeyRing, std::string> load(const std::string& path);
  static Result<KeyRing, std::string> parse(std::string_view text);

  // The ids of all keys, in the order of the file.
  std::vector<std::string> ids() const;
  // Returns the id of the key that sealed the text, also if that key is not in
  // the ring. Does not check the rest: returns any text before the first colon,
  // or an empty text if the colon is missing.
  static std::string_view id_of(std::string_view sealed);

  // Encrypts with AES-256-GCM and a fresh 96-bit nonce. Returns
  //   <key id>:<nonce, ciphertext and tag in hex>
  // `context` is the additional authenticated data. It names the kind and the
  // owner of the value, so that sealed values cannot be exchanged. Throws
  // Unavailable if OpenSSL fails, like all functions below.
  std::string seal(std::string_view plain, std::string_view context, Entropy& entropy) const;

  // Returns nullopt if the text does not have the form above, its key is not in
  // the ring, or the text or its context was changed.
  std::optional<std::string> open(std::string_view sealed, std::string_view context) const;

  // The same with bytes instead of hex, which take half the room.
  std::string seal_bytes(std::string_view plain, std::string_view context, Entropy& entropy) const;
  std::optional<std::string> open_bytes(std::string_view sealed, std::string_view context) const;

  // Returns the HMAC-SHA-256 of `message` under the first key, in hex. Each
  // label has a key of its own, derived from the ring's: a MAC of one kind is
  // never valid as another.
  std::string mac(std::string_view label, std::string_view message) const;
  // Returns the MACs under all keys, the first key's first. For a MAC that is
  // used to look up a record.
  std::vector<std::string> macs(std::string_view label, std::string_view message) const;
  bool mac_matches(std::string_view label, std::string_view message, std::string_view mac) const;

 private:
  struct Key {
    std::string id;
    std::string bytes;
  };
  class Mac;
  explicit KeyRing(std::vector<Key> keys);

  // HMACs with the keys that the ring's keys derive for this label. Made once
  // per label.
  const std::vector<Mac>& macs_for(std::string_view label) const;

  std::vector<Key> keys_;
  mutable std::map<std::string, std::vector<Mac>, std::less<>> by_label_;
};

}  // namespace svc::base
