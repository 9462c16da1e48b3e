#include "pages/settings/home_page.h"

#include "pages/page_response.h"

namespace svc::pages {

loop::Task<http::Response> HomePage::answer(const http::Request& request) {
  if (!request.is_get_or_head()) co_return http::method_not_allowed("GET, HEAD");
  co_return see_other(site_.app_url + "/settings", {});
}

}  // namespace svc::pages
