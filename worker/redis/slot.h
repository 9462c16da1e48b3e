// slot: the hash slot of a key in a Redis Cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace svc::redis {

inline constexpr std::size_t kSlots = 16'384;

// Returns CRC16 (XMODEM) of the key modulo 16384. If the text in its first pair
// of braces is not empty, only that text counts.
// https://redis.io/docs/reference/cluster-spec, "Key distribution model"
std::uint16_t slot_of(std::string_view key);

// Returns the first key of a command; nullopt for one without keys (PING, SCAN).
std::optional<std::string_view> first_key(std::span<const std::string_view> words);

// Returns all keys of a function's call; of another command its first one, if it has any. `words`
// may be the first words only.
std::vector<std::string_view> keys_of(std::span<const std::string_view> words);

// A command that Redis would refuse in a cluster because its keys are in
// several slots, as one command per key.
struct SplitCommand {
  enum class Reply : std::uint8_t { Array, Sum, Ok };  // how the replies become one
  Reply reply;
  std::vector<std::vector<std::string_view>> parts;
};

// Splits MGET, MSET, EXISTS, DEL, UNLINK and XREAD if they name keys in several
// slots. Returns nullopt for all others.
std::optional<SplitCommand> split_by_key(std::span<const std::string_view> words);

}  // namespace svc::redis
