#include "oauth/authorization_link.h"

#include "base/public_paths.h"
#include "text/uri.h"

namespace svc::oauth {

std::string authorization_link(std::string_view app_url, const Client& client) {
  std::string link(app_url);
  link += std::string(base::paths::kAuthorize.pattern) +
          "?client_id=" + text::percent_encode(client.id.value());
  link += "&response_type=code&redirect_uri=" + text::percent_encode(client.redirect_uris.front());
  link += "&scope=" + text::percent_encode(client.scopes.to_text());
  return link;
}

}  // namespace svc::oauth
