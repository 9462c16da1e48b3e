// topology: what Redis servers say about other servers: which node of a Cluster
// has which slots, and which server is the primary that Sentinels watch.
//
// https://redis.io/docs/reference/cluster-spec
// https://redis.io/docs/reference/sentinel-clients
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "redis/address.h"
#include "redis/reply.h"

namespace svc::redis {

// The number of Sentinels that must name the same primary, if as many are configured.
inline constexpr std::size_t kAgreeingSentinels = 2;

// The slots from `first` to `last`, both below kSlots.
struct SlotRange {
  std::uint16_t first;
  std::uint16_t last;
  Endpoint primary;
};

// Reads the reply to CLUSTER SLOTS of the node `from`, which may leave out its
// own host. Ranges without a known host or with wrong numbers are left out.
std::vector<SlotRange> read_slot_map(const ReplyView& slots, const Endpoint& from);

// Another node has the slot.
struct Redirection {
  bool asking;  // only for this command, after ASKING
  std::uint16_t slot;
  Endpoint to;  // an empty host: the node that replied
};

// Parses the errors "MOVED 3999 127.0.0.1:6381" and "ASK 3999 127.0.0.1:6381".
// Returns nullopt for any other text.
std::optional<Redirection> parse_redirection(std::string_view error);

// Reads the reply to SENTINEL GET-MASTER-ADDR-BY-NAME. Returns nullopt if the
// Sentinel does not know the name.
std::optional<Endpoint> read_primary(const ReplyView& reply);

// Another server became the primary of that name.
struct Switch {
  std::string_view name;
  Endpoint primary;
};

// Parses a +switch-master message: "NAME OLD-HOST OLD-PORT NEW-HOST NEW-PORT".
// The result refers to `message`.
std::optional<Switch> parse_switch(std::string_view message);

}  // namespace svc::redis
