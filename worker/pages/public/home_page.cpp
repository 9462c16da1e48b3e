#include "pages/public/home_page.h"

#include <algorithm>
#include <optional>

#include "base/api_paths.h"
#include "base/public_paths.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "media/id.h"
#include "media/media.h"
#include "media/reads.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/template.h"
#include "text/csp_source.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

// Removes the first word and the spaces around it from `text`, and returns it.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return word;
}

void show_demonstration(Values& values, const embed::Site& site) {
  if (!site.is_demonstration()) return;
  Values demo = values.show_with("DEMO");
  if (!site.demo_gallery.empty()) demo.show_with("GALLERY").set("URL", site.demo_gallery + "/");
  if (site.demo_users.empty()) return;
  Values users = demo.show_with("USERS");
  for (std::string_view left = site.demo_users; !left.empty();) {
    Values user = users.show_with("USER");
    user.set("EMAIL", take_word(left));
    user.set("PASSWORD", take_word(left));
  }
}

}  // namespace

HomePage::HomePage(const embed::Site& site, login::Visitors& visitors, media::People& people,
                   media::Catalog& catalog, const base::KeyRing& keys)
    : site_(site),
      visitors_(visitors),
      people_(people),
      catalog_(catalog),
      keys_(keys),
      app_host_(text::host_header(site.app_url)) {}

loop::Task<http::Response> HomePage::answer(const http::Request& request) {
  if (request.host != app_host_) co_return see_other(site_.url(base::paths::kHome), {});
  const login::Visitor visitor = co_await visitors_.of(request);
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  PageFrame frame(site_, PageFrame::Shape::Home, "Videos for every page", "home.tpl");
  frame.with_script("/assets/copy.js");
  Values& values = frame.body();
  if (contact) {
    frame.for_user(Spot::None, request,
                   {clipped(contact->name, kMaxShownName), contact->email,
                    login::form_token(keys_, visitor, kLogoutPurpose)});
    values.show("LOGGED_IN");
  } else {
    frame.for_visitor(Spot::None, request);
    values.show("LOGGED_OUT");
  }
  values
      .set("OEMBED",
           site_.url(base::paths::kOembed) + "?url=" + text::percent_encode(site_.media_page("ID")))
      .set("PROVIDERS", site_.url(base::paths::kProviders))
      .set("METADATA", site_.url(base::paths::kMetadata))
      .set("API", site_.url(base::paths::kMedia, "ID"));
  co_await show_film(values);
  show_demonstration(values, site_);
  const Foreign foreign{.frames = text::csp_source(site_.embed_host)};
  co_return page_response(200, frame.html(), {}, "", Requests::No, foreign);
}

loop::Task<> HomePage::show_film(Values& values) {
  const auto id = media::HashedId::parse(site_.example_media);
  media::Reads reads;  // the page is not cached
  std::optional<media::Media> media;
  if (id) media = co_await catalog_.find_media(*id, media::Detail::Embed, reads);
  if (!media || embed::why_not_embeddable(*media)) {
    values.show("SKETCH");
    co_return;
  }
  const embed::Embeddable film = embed::embeddable(*media);
  embed::EmbedRequest asked;
  asked.kind = film.kind;
  asked.id = film.id;
  const media::Dimensions size = embed::size_in_ratio(film);
  const std::string code = embed::build_page_code(asked, film, site_);
  const std::string page = site_.media_page(film.id.value());
  values.show_with("FILM")
      .set("TITLE", film.title.empty() ? "Video" : film.title)
      .set("PLAYER", embed::iframe_url(film, site_))
      .set("WIDTH", static_cast<long>(size.width) * 4)
      .set("HEIGHT", static_cast<long>(size.height) * 4)
      .set("CODE", code)
      .set("ROWS", rows_of(code))
      .set("CODES",
           std::string(base::paths::kEmbedCodes.pattern) + "?url=" + text::percent_encode(page));
}

}  // namespace svc::pages
