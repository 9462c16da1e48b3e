#include "login/throttle.h"

#include <algorithm>
#include <cstddef>

namespace svc::login {
namespace {

constexpr std::int64_t kFreeFailures = 4;  // the 5th failure causes the first delay
constexpr std::int64_t kLongestDelay = 15 * 60;
constexpr std::int64_t kAddressFailures = 100;
// The widest network is a /24 or a /48; the narrower network is a /56, about one
// site.
constexpr std::int64_t kWidestFailures = 1000;
constexpr std::int64_t kSiteFailures = 300;
constexpr std::int64_t kEmailFailures = 100;
constexpr std::int64_t kEmailDelay = 5;
// After that the pair must wait again. Otherwise an attacker could collect many
// waits in advance.
constexpr std::int64_t kToldIsGoodFor = 60;

std::int64_t delay_after(std::int64_t failures) {
  if (failures <= kFreeFailures) return 0;
  const std::int64_t doublings = std::min<std::int64_t>(failures - kFreeFailures - 1, 20);
  return std::min(std::int64_t{1} << doublings, kLongestDelay);
}

}  // namespace

std::optional<HoldUp> hold_up(const AttemptHistory& history, std::int64_t now) {
  // Not for an address from which the email has logged in: an attacker at the
  // same address (NAT) or in the same network must not keep its other users
  // out.
  if (!history.email_knows_address) {
    if (history.address_failures >= kAddressFailures)
      return HoldUp{std::max<std::int64_t>(history.address_ends_in, 1)};
    for (std::size_t i = 0; i < history.networks.size(); ++i) {
      const bool widest = i + 1 == history.networks.size();
      const AttemptHistory::Counted& network = history.networks[i];
      if (network.failures >= (widest ? kWidestFailures : kSiteFailures))
        return HoldUp{std::max<std::int64_t>(network.ends_in, 1)};
    }
  }
  // If the clock was set back, the wait must not exceed the delay.
  const std::int64_t since = std::max<std::int64_t>(now - history.pair_last, 0);
  if (const std::int64_t delay = delay_after(history.pair_failures); since < delay)
    return HoldUp{delay - since};
  if (history.email_failures < kEmailFailures || history.email_knows_address) return std::nullopt;
  // Each address waits on its own. In one queue for all clients that know the
  // email, the attacker would always be first.
  const std::int64_t waited = now - history.pair_told;
  if (history.pair_told == 0 || waited < 0 || waited > kToldIsGoodFor)
    return HoldUp{kEmailDelay, true};
  if (waited < kEmailDelay) return HoldUp{kEmailDelay - waited};
  return std::nullopt;
}

}  // namespace svc::login
