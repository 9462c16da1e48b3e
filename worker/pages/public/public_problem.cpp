#include "pages/public/public_problem.h"

#include <utility>

#include "pages/template.h"

namespace svc::pages {

http::Response public_problem(Place place, const embed::Site& site, int status,
                              std::string_view title, std::string_view text,
                              std::string_view request_id) {
  Values values("problem");
  values.set("TITLE", title)
      .set("TEXT", text)
      .set("EMBED_HOST", site.embed_host)
      .set("CODES", site.app_url + "/embed-codes");
  if (!request_id.empty()) values.show("HAS_REQUEST_ID").set("REQUEST_ID", request_id);
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = values.expand(place == Place::Frame ? "frame_problem.tpl" : "problem.tpl");
  return response;
}

http::Response public_unavailable(Place place, const embed::Site& site, http::Response away,
                                  std::string_view request_id) {
  http::Response page =
      public_problem(place, site, away.status, "Not available just now",
                     "This is our doing, not yours. Please try again in a moment.", request_id);
  page.headers = std::move(away.headers);
  return page;
}

}  // namespace svc::pages
