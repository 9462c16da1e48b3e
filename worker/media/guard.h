// Guard: which files of a media nginx refuses without a signed address (oembed-W11).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/media.h"
#include "media/site_rules.h"

namespace svc::media {

struct Guard {
  bool is_guarded = false;                  // all but the posters
  std::optional<AccountId> as_account{};    // the same, as long as the rule of that account demands
  bool is_private = false;                  // the posters, too
  std::int64_t links_from = 0;              // signatures for other numbers are refused
  std::vector<std::int64_t> ended_links{};  // and those for these links
  bool operator==(const Guard&) const = default;
  // Whether nothing ever refuses a file.
  bool is_open() const { return !is_guarded && !as_account; }
};

// `of_account`: the rule of the media's account, by which is_guarded is what holds now. Without it,
// is_guarded is what the media itself demands.
Guard guard_of(const Media& media, const SiteRule& of_account);

// Returns the first file that svc-keeper cannot guard as demanded: it is in no folder of the media.
// "": none.
std::string_view file_elsewhere(const Media& media, const Guard& guard);

// Whether the files of `after` are less guarded than its rule demands, and those of `before` were
// not (oembed-W13).
bool opens_a_file(const Media& before, const Media& after, const SiteRule& of_account);

// The field that demands the guard, and why it must not: it stands after the field's name. `than`:
// what else has the value, if not the field.
std::string_view guarding_field(const Guard& guard);
std::string why_not_guarded(const Guard& guard, std::string_view url, std::string_view than = "");
std::string not_our_file(std::string_view url);

// What a change of a record does to the folders of its media. Unless it is None, the writer has
// svc-keeper mark them (Uploads::guard()). It does not depend on the account's rule, which has a
// marker of its own, but for its haste.
enum class GuardChange : std::uint8_t { None, Closes, Other };
GuardChange guard_change(const Media& before, const Media& after, const SiteRule& of_account);
bool changes_guards(const SiteRule& before, const SiteRule& after);

}  // namespace svc::media
