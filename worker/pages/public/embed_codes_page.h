// EmbedCodesPage: `/embed-codes`, where a user chooses the look of a video and
// copies its embed code.
//
// It works without JavaScript: the choice is a form, and the page contains the
// result, with a preview. It refuses values that the player would ignore.
#pragma once

#include <string>
#include <string_view>

#include "embed/embeddable.h"
#include "embed/media_url.h"
#include "embed/site.h"
#include "embed/subjects.h"
#include "embed/watch_keys.h"
#include "http/endpoint.h"
#include "media/catalog.h"
#include "media/site_rules.h"
#include "text/form.h"

namespace svc::embed {
struct EmbedRequest;
}

namespace svc::pages {

class Values;

class EmbedCodesPage : public http::Endpoint {
 public:
  EmbedCodesPage(const embed::Site& site, media::Catalog& catalog, media::SiteRules& rules,
                 const embed::WatchKeys& keys, embed::Renderings* renderings = nullptr);

  loop::Task<http::Response> answer(const http::Request& request) override;
  void add_common_headers(http::Response& response) const override;

 private:
  loop::Task<std::string> as_url(std::string_view pasted, media::Reads& reads) const;
  loop::Task<std::string> refusal_of(const embed::EmbedRequest& asked, embed::NotEmbeddable why,
                                     media::Reads& reads) const;
  void fill_choice(Values& values, const text::Form& form) const;
  // Sets `is_private` if the result is that of a private film.
  loop::Task<> fill_result(Values& values, const text::Form& form, media::Reads& reads,
                           bool& is_private);
  void fill_preview(Values& result, const embed::EmbedRequest& asked,
                    const embed::Embeddable& subject) const;
  void fill_templates(Values& values, const embed::Embeddable* subject) const;

  const embed::Site& site_;
  const embed::MediaUrls urls_;
  media::Catalog& catalog_;
  media::SiteRules& rules_;
  const embed::WatchKeys& keys_;
  embed::Subjects subjects_;
};

}  // namespace svc::pages
