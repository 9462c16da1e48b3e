#include "pages/public/public_problem.h"

#include <string>

#include "base/paths.h"
#include "pages/page_frame.h"
#include "pages/refusal_page.h"
#include "pages/template.h"

namespace svc::pages {

http::Response public_problem(Place place, const embed::Site& site, int status,
                              std::string_view title, std::string_view text,
                              std::string_view request_id) {
  const auto fill = [&](Values& values) {
    values.set("TITLE", title).set("TEXT", text);
    if (!request_id.empty()) values.show("HAS_REQUEST_ID").set("REQUEST_ID", request_id);
  };
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  if (place == Place::Frame) {
    Values values;
    fill(values);
    values.set("EMBED_HOST", site.embed_host);
    response.body = values.expand("frame_problem.tpl");
    return response;
  }
  PageFrame page(site, PageFrame::Shape::Narrow, title, "problem.tpl", english(),
                 PageFrame::Server::Embed);
  page.unlisted().for_anyone(Spot::None, "");
  fill(page.body());
  page.body()
      .show_with("HAS_LINK")
      .set("LINK", site.url(base::paths::kEmbedCodes))
      .set("LINK_NAME", "Look up a video by its address");
  response.body = page.html();
  return response;
}

http::Response public_refusal(Place place, const embed::Site& site, const http::Request& request,
                              int status) {
  const RefusalWords& words = refusal_words(status);
  return public_problem(place, site, status, words.title,
                        std::string(words.text) + " " + std::string(words.next),
                        status == http::kUnavailable ? request.request_id : "");
}

}  // namespace svc::pages
