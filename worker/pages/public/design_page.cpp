#include "pages/public/design_page.h"

#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/refusal_page.h"

namespace svc::pages {

loop::Task<http::Response> DesignPage::answer(const http::Request& request) {
  if (!site_.is_demonstration()) co_return page_not_found(site_, request);
  PageFrame frame(site_, PageFrame::Shape::Settings, "Design", "design.tpl");
  frame.unlisted().for_anyone(Spot::None, request);
  co_return page_response(200, frame.html(), {});
}

}  // namespace svc::pages
