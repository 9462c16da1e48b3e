#include "pages/settings/not_found_page.h"

#include "pages/refusal_page.h"

namespace svc::pages {

loop::Task<http::Response> NotFoundPage::answer(const http::Request& request) {
  co_return page_not_found(site_, request);
}

}  // namespace svc::pages
