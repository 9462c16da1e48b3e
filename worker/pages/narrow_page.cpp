#include "pages/narrow_page.h"

#include "pages/page_response.h"

namespace svc::pages {

void show_form_answer(Values& frame, const http::Request& request, std::string_view path) {
  if (request.method == "POST") frame.include("FORM_ANSWER", "form_answer.tpl").set("PATH", path);
}

NarrowPage::NarrowPage(std::string_view title, std::string_view product,
                       std::string_view body_template, const Language& language)
    : language_(language), body_(frame_.include("BODY", body_template)) {
  frame_.set("TITLE", title)
      .set("PRODUCT", product)
      .set("LANGUAGE", language.tag())
      .set("DIRECTION", language.direction());
}

NarrowPage& NarrowPage::with_script(std::string_view path) {
  frame_.show_with("SCRIPT").set("PATH", path);
  return *this;
}

http::Response NarrowPage::respond(int status, const login::Visitor& visitor,
                                   std::string_view redirect_origin) const {
  http::Response response =
      page_response(status, frame_.expand("narrow.tpl", &language_), visitor, redirect_origin);
  response.with("Content-Language", language_.tag());
  return response;
}

NarrowPage& NarrowPage::answers(const http::Request& request, std::string_view path) {
  show_form_answer(frame_, request, path);
  return *this;
}

}  // namespace svc::pages
