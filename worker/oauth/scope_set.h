// ScopeSet: an unordered set of scopes, of which five exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::oauth {

class ScopeSet {
 public:
  static constexpr std::string_view kNames[] = {"all:all", "all:read", "media:read", "stats:read",
                                                "media:upload"};

  static ScopeSet any();               // all of them
  static std::string list_of_names();  // for messages: "all:all, all:read, …"

  // Returns false, and leaves the set unchanged, if the name is unknown.
  bool add(std::string_view name);
  // Parses names separated by spaces, RFC 6749 §3.3. Returns nullopt if a name
  // is unknown.
  static std::optional<ScopeSet> parse(std::string_view text);
  // The same for a scope parameter of a client. The scopes of OpenID Connect, which many clients
  // always add, are ignored; returns `if_none` if the parameter has no others. Returns nullopt also
  // if the parameter is blank.
  static std::optional<ScopeSet> asked_for(std::string_view text, const ScopeSet& if_none);
  std::string to_text() const;
  void add(const ScopeSet& other) { bits_ = static_cast<std::uint8_t>(bits_ | other.bits_); }
  bool empty() const { return bits_ == 0; }
  bool covers(const ScopeSet& other) const { return (other.bits_ & ~bits_) == 0; }
  // Returns true if the two have a scope in common.
  bool meets(const ScopeSet& other) const { return (other.bits_ & bits_) != 0; }
  std::vector<std::string_view> names() const;  // in the order of kNames
  bool is_whole() const;                        // whether it has every scope
  // The one that opens the least; "" of an empty set.
  std::string_view narrowest() const;
  bool operator==(const ScopeSet&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace svc::oauth
