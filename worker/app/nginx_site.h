// nginx_site: nginx's site file: one server per host of the configuration, with the paths that the
// table of routes assigns to the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"

namespace svc::app {

struct SiteChoices {
  bool tls = false;  // TLS ends in this nginx
  bool media_domains =
      false;                  // players' hosts include service-domain, short-domain and those below
  std::string certificate{};  // with its key; empty: those of svc-certificate.conf
  std::string key{};
  bool http2_directive = false;
};

// Whether nginx has the directive http2, by what `nginx -v` prints. Others have a word of listen in
// its place, of which newer ones warn.
bool has_http2_directive(std::string_view version);

// Returns a line for each URL that a site with TLS does not serve: of http, or with a port.
std::vector<std::string> warnings_of_site(const embed::Site& site, const SiteChoices& choices);

// Returns the names of the site's servers, as a certificate has to have them.
std::vector<std::string> names_of_site(const embed::Site& site, const SiteChoices& choices);

std::string nginx_site(const embed::Site& site, const SiteChoices& choices);

}  // namespace svc::app
