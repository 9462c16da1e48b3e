#include "pages/public/viewer_problem.h"

#include <string>

#include "base/public_paths.h"
#include "pages/page_frame.h"
#include "pages/refusal_page.h"
#include "pages/template.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kLanguageOption = "lang";  // the player's option

}  // namespace

http::Response viewer_problem(ShownIn shown_in, const embed::Site& site, int status,
                              std::string_view title, std::string_view text,
                              const Language& language, std::string_view request_id) {
  const auto fill = [&](Values& values) {
    values.set("TITLE", title).set("TEXT", text);
    if (!request_id.empty()) values.show("HAS_REQUEST_ID").set("REQUEST_ID", request_id);
  };
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  if (shown_in == ShownIn::Frame) {
    Values values;
    fill(values);
    values.set("EMBED_HOST", site.embed_host);
    values.set("LANGUAGE", language.tag()).set("DIRECTION", language.direction());
    response.body = values.expand("frame_problem.tpl", &language);
    return response.with("Content-Language", language.tag());
  }
  PageFrame page(site, PageFrame::Shape::Narrow, title, "problem.tpl", language,
                 PageFrame::Server::Embed);
  page.unlisted();
  fill(page.body());
  page.body()
      .show_with("HAS_LINK")
      .set("LINK", site.url(base::paths::kHome))
      .set("LINK_NAME", language.translate("Start page"));
  response.body = page.html();
  return response.with("Content-Language", language.tag());
}

http::Response viewer_refusal(ShownIn shown_in, const embed::Site& site,
                              const http::Request& request, int status,
                              const Languages& languages) {
  const RefusalWords& words = refusal_words(status);
  const Language& language = language_of_viewer(languages, request);
  return viewer_problem(shown_in, site, status, language.translate(words.title),
                        language.translate(words.text) + " " + language.translate(words.next),
                        language, status == http::kUnavailable ? request.request_id : "");
}

const Language& language_of_viewer(const Languages& languages, const http::Request& request) {
  std::string wished(request.language);
  if (wished.empty() && request.query.find(kLanguageOption) != std::string_view::npos)
    wished = text::Form::parse(request.query).find(kLanguageOption).value_or("");
  return languages.choose(request,
                          wished.empty() ? "" : "ui_locales=" + text::percent_encode(wished));
}

}  // namespace svc::pages
