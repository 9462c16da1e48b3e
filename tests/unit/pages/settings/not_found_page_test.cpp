#include "pages/settings/not_found_page.h"

#include <gtest/gtest.h>

#include <string>

#include "fakes/examples.h"
#include "fakes/headers.h"
#include "fakes/tasks.h"

namespace svc::pages {
namespace {

using fakes::header;

http::Response ask(http::Endpoint& page, std::string_view method) {
  http::Request request;
  request.method = method;
  request.host = "embed.host.example";
  request.request_id = "0123456789abcdef";
  return fakes::now(page.answer(request));
}

TEST(NotFoundPage, Is404WithALinkToTheSettingsForEveryMethod) {
  const embed::Site site = fakes::example_site();
  NotFoundPage page(site);
  for (const std::string_view method : {"GET", "HEAD", "POST", "DELETE"}) {
    const http::Response response = ask(page, method);
    EXPECT_EQ(response.status, 404) << method;
    EXPECT_EQ(header(response, "Cache-Control"), "no-store");
    EXPECT_EQ(header(response, "Set-Cookie"), "none");
    for (const std::string_view part :
         {"There is no page at this address.", "Svc &amp; Co",
          "<a href=\"/settings\">My Settings</a>", "0123456789abcdef"}) {
      EXPECT_NE(response.body.find(part), std::string::npos) << part;
    }
  }
}

}  // namespace
}  // namespace svc::pages
