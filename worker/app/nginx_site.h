// nginx_site: nginx's site file: a server for each host of the configuration, with the paths that
// the table of routes gives to it.
#pragma once

#include <string>

#include "embed/site.h"

namespace svc::app {

struct SiteChoices {
  bool tls = false;  // TLS ends in this nginx
  bool media_domains =
      false;  // players' hosts include service-domain, short-domain and those below
};

std::string nginx_site(const embed::Site& site, SiteChoices choices);

}  // namespace svc::app
