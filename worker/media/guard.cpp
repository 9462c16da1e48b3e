#include "media/guard.h"

namespace svc::media {

Guard guard_of(const Media& media, const SiteRule& of_account) {
  const AllowedDomains& domains =
      media.allowed_domains ? *media.allowed_domains : of_account.domains;
  return {.is_guarded = media.is_private() || !domains.empty(),
          .is_private = media.is_private(),
          .links_from = media.links_from.value_or(0)};
}

std::string guard_state(const Media& media) {
  const std::string number = " " + std::to_string(media.links_from.value_or(0));
  if (media.is_private()) return "private" + number;
  if (!media.allowed_domains) return "of account " + std::to_string(media.account.value()) + number;
  return media.allowed_domains->empty() ? "open" : "guarded" + number;
}

std::string guard_state(const SiteRule& of_account) {
  return of_account.is_everywhere() ? "open" : "guarded";
}

}  // namespace svc::media
