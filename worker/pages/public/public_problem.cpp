#include "pages/public/public_problem.h"

#include <string>

#include "base/paths.h"
#include "pages/refusal_page.h"
#include "pages/template.h"

namespace svc::pages {

http::Response public_problem(Place place, const embed::Site& site, int status,
                              std::string_view title, std::string_view text,
                              std::string_view request_id) {
  Values values;
  values.set("TITLE", title)
      .set("TEXT", text)
      .set("EMBED_HOST", site.embed_host)
      .set("CODES", site.url(base::paths::kEmbedCodes));
  if (!request_id.empty()) values.show("HAS_REQUEST_ID").set("REQUEST_ID", request_id);
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = values.expand(place == Place::Frame ? "frame_problem.tpl" : "problem.tpl");
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
