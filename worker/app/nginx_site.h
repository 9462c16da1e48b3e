// nginx_site: nginx's site file: a server for each host of the configuration, with the paths that
// the table of routes gives to it.
#pragma once

#include <string>
#include <vector>

#include "embed/site.h"

namespace svc::app {

struct SiteChoices {
  bool tls = false;  // TLS ends in this nginx
  bool media_domains =
      false;  // players' hosts include service-domain, short-domain and those below
};

// Returns a line for each URL that a site with TLS does not serve: of http, or with a port.
std::vector<std::string> warnings_of_site(const embed::Site& site, SiteChoices choices);

std::string nginx_site(const embed::Site& site, SiteChoices choices);

}  // namespace svc::app
