// WatchPage: the pages that show a media or playlist: the player's page, which
// an iframe shows, and the public media page around it. All contain oEmbed
// discovery, OpenGraph tags and a player card. A short URL redirects to the
// media page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "embed/embeddable.h"
#include "embed/player_facts.h"
#include "embed/site.h"
#include "embed/subjects.h"
#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/heavy_work.h"
#include "loop/task.h"
#include "media/caption_texts.h"
#include "media/catalog.h"
#include "media/id.h"
#include "media/reads.h"
#include "media/site_rules.h"
#include "pages/languages.h"
#include "pages/public/viewer_problem.h"

namespace svc::pages {

class WatchPage : public endpoints::CatalogEndpoint {
 public:
  enum class Kind { MediaFrame, PlaylistFrame, MediaPage, ShortUrl };

  // The texts of captions, and the threads that parse long ones. Both outlive the page.
  struct Texts {
    media::CaptionTexts* all;
    loop::HeavyWork* heavy;
  };

  // max_age and negative_max_age are in seconds. Media pages have the transcript of captions in
  // `texts`.
  WatchPage(Kind kind, const embed::Site& site, const Languages& languages, int max_age,
            int negative_max_age, media::Catalog& catalog, media::SiteRules& rules,
            const embed::WatchKeys& keys, embed::Renderings* renderings = nullptr,
            std::optional<Texts> texts = std::nullopt);

  std::string_view query_used(const http::Request& request) const override;
  std::string_view language_for(const http::Request& request) const override;
  void add_common_headers(http::Response& response) const override;

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  embed::MediaKind media_kind() const {
    return kind_ == Kind::PlaylistFrame ? embed::MediaKind::Playlist : embed::MediaKind::Media;
  }
  bool is_frame() const { return kind_ == Kind::MediaFrame || kind_ == Kind::PlaylistFrame; }
  ShownIn shown_in() const { return is_frame() ? ShownIn::Frame : ShownIn::Page; }
  static std::optional<media::HashedId> id_of(const http::Request& request);
  // `sources`: for a frame, the hosts of the media's files in addition to ours; for a page, the
  // host of the captions that its script fetches.
  // `ancestors`: the directive frame-ancestors of a frame that only some sites may have.
  // `style`: of a style element, which the policy allows.
  void add_policy(http::Response& response, const std::string& sources,
                  const std::string& ancestors = {}, const std::string& style = {}) const;
  // Returns the page instead of a film: the reason, and whom to ask (pages-W171).
  loop::Task<http::Response> refused(embed::NotEmbeddable why, const http::Request& request,
                                     media::Reads& reads);
  // The same of a film that the page around it may not show.
  loop::Task<http::Response> refuse_site(const http::Request& request, media::AccountId account,
                                         bool is_private, media::Reads& reads);
  loop::Task<std::string> name_of(std::optional<media::AccountId> account, media::Reads& reads);
  // The facts for the player of a frame that has them itself.
  loop::Task<embed::PlaylistFacts> facts_of(const embed::Embeddable& subject, embed::Asker asker,
                                            media::Reads& reads);
  // Returns the captions whose text is ours and that viewers see first.
  struct Transcript {
    std::string language;
    std::string html;
  };
  loop::Task<std::optional<Transcript>> find_transcript(embed::Embeddable subject,
                                                        media::Reads& reads);
  // `position` in seconds, where a shared link begins; 0: at the beginning.
  // `facts` for the player; "": it asks for them.
  std::string render(const embed::Embeddable& subject, const std::optional<Transcript>& transcript,
                     long position, const std::string& facts, const media::Owner& owner,
                     const Language& language) const;

  const Kind kind_;
  const embed::Site& site_;
  const Languages& languages_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
  media::SiteRules& rules_;
  const embed::WatchKeys& keys_;
  embed::Subjects subjects_;
  const std::optional<Texts> texts_;
  // By Accept-Language, because most requests have one of a few.
  mutable std::unordered_map<std::string, const Language*> chosen_;
};

}  // namespace svc::pages
