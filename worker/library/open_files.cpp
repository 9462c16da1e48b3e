#include "library/open_files.h"

#include <string_view>
#include <utility>
#include <vector>

#include "media/guard.h"

namespace svc::library {
namespace {

constexpr std::size_t kReadAtOnce = 500;

}  // namespace

loop::Task<media::SiteRule> site_rule_of(media::People& people, media::AccountId account) {
  const std::optional<media::Account> found = co_await people.find_account(account);
  co_return found ? found->site_rule() : media::SiteRule();
}

loop::Task<std::string> open_file_of(media::Listings& listings, media::AccountId account,
                                     std::function<bool(const media::HashedId&)> is_left_out) {
  media::MediaQuery query;
  query.order.count = kReadAtOnce;
  for (;;) {
    const std::vector<media::Media> medias = co_await listings.medias(account, query);
    for (const media::Media& media : medias) {
      if (media.is_private() || media.allowed_domains) continue;
      if (is_left_out && is_left_out(media.id)) continue;
      const std::string_view url = file_elsewhere(media, {.is_guarded = true});
      if (!url.empty())
        co_return media::not_our_file(std::string(url) + " of the media " + media.id.value());
    }
    if (medias.size() < kReadAtOnce) co_return "";
    query.from = listings.place_of(medias.back());
  }
}

loop::Task<std::string> open_file_of(media::Listings& listings, media::AccountId account,
                                     media::SiteRule before, media::SiteRule after) {
  if (!before.is_everywhere() || after.is_everywhere()) co_return "";
  std::function<bool(const media::HashedId&)> none;
  co_return co_await open_file_of(listings, account, std::move(none));
}

}  // namespace svc::library
