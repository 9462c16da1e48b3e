#include "media/guard.h"

#include <algorithm>

#include "base/public_paths.h"

namespace svc::media {

Guard guard_of(const Media& media, const SiteRule& of_account) {
  const AllowedDomains& domains =
      media.allowed_domains ? *media.allowed_domains : of_account.domains;
  const bool has_rule = media.is_private() || media.allowed_domains;
  Guard guard{.is_guarded = media.is_private() || !domains.empty(),
              .as_account = has_rule ? std::nullopt : std::optional(media.account),
              .is_private = media.is_private(),
              .links_from = media.links_from.value_or(0)};
  for (const WatchLink& link : media.links)
    if (!link.is_open()) guard.ended_links.push_back(link.id);
  return guard;
}

std::string_view file_elsewhere(const Media& media, const Guard& guard) {
  if (!guard.is_guarded) return "";
  const auto is_ours = [&](std::string_view url) {
    if (url.starts_with(base::paths::kCaptionsFile.before())) return true;
    const auto file = own_file(url);
    if (!file) return false;
    return file->folder == media.id ||
           std::ranges::find(media.folders, file->folder) != media.folders.end() ||
           // It is being copied.
           (media.set_poster && media.set_poster->source == url);
  };
  for (const std::string_view url :
       guard.is_private ? urls_of(media) : urls_without_posters(media)) {
    if (!is_ours(url)) return url;
  }
  return "";
}

bool opens_a_file(const Media& before, const Media& after, const SiteRule& of_account) {
  const Guard was = guard_of(before, of_account);
  const Guard is = guard_of(after, of_account);
  if (file_elsewhere(after, is).empty()) return false;
  const bool is_stricter = is.is_private > was.is_private || is.is_guarded > was.is_guarded;
  return is_stricter || file_elsewhere(before, was).empty();
}

std::string_view guarding_field(const Guard& guard) {
  return guard.is_private ? kVisibilityField : kAllowedDomainsField;
}

std::string why_not_guarded(const Guard& guard, std::string_view url, std::string_view than) {
  std::string why(guard.is_private ? "must not be private" : "must allow every site");
  if (!than.empty()) why.append(", ").append(than);
  return why + ": " + not_our_file(url);
}

std::string not_our_file(std::string_view url) {
  return std::string(url) + " is not a file of this service";
}

GuardChange guard_change(const Media& before, const Media& after, const SiteRule& of_account) {
  const Guard was = guard_of(before, of_account);
  const Guard is = guard_of(after, of_account);
  if (is.is_private > was.is_private || is.is_guarded > was.is_guarded) return GuardChange::Closes;
  // The account may get a list at the same time.
  if (was.is_open() && is.as_account) return GuardChange::Closes;
  const bool ends_a_link = std::ranges::any_of(is.ended_links, [&](std::int64_t link) {
    return std::ranges::find(was.ended_links, link) == was.ended_links.end();
  });
  if (is.is_guarded && ends_a_link) return GuardChange::Closes;
  // An open folder has no number.
  if (was.is_open() && is.is_open()) return GuardChange::None;
  return was == is ? GuardChange::None : GuardChange::Other;
}

bool changes_guards(const SiteRule& before, const SiteRule& after) {
  return before.is_everywhere() != after.is_everywhere();
}

}  // namespace svc::media
