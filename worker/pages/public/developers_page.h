// DevelopersPage: `/developers` and the pages below it, for authors of pages that show a player and
// of programs that use the data API. Their templates are made from pages/developers/ when the
// program is built; the values of an installation, and the operations (api-N9), are filled in
// here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_ring.h"
#include "embed/site.h"
#include "endpoints/description.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "login/visitors.h"
#include "loop/task.h"
#include "media/contact.h"
#include "media/people.h"
#include "oauth/limits.h"
#include "oauth/stores.h"

namespace svc::pages {

// In the order of their navigation.
struct DeveloperGuide {
  std::string_view path;  // below /developers/; "": that page itself
  std::string_view title;
  std::string_view about;  // for search engines
  const char* file;        // its template
};
std::span<const DeveloperGuide> developer_guides();  // made by pages/developers/build.py

// The facts about the service that the pages show.
struct DeveloperFacts {
  endpoints::ApiDescription api;
  oauth::Limits limits;
  // The paths of a zone whose requests nginx counts.
  struct LimitedPaths {
    std::string_view zone;
    std::vector<std::string_view> paths;
  };
  std::vector<LimitedPaths> limited;
  // The largest sizes that a program may send and an account may have.
  struct Size {
    std::string_view of;
    std::string most;
  };
  std::vector<Size> sizes;
};

class DevelopersPage : public http::Endpoint {
 public:
  // All references must outlive it.
  DevelopersPage(const embed::Site& site, DeveloperFacts facts, login::Visitors& visitors,
                 media::People& people, oauth::Applications& applications,
                 const base::KeyRing& keys);

  // Each page is the same for every visitor. Only the page about OAuth has the user that is logged
  // in and the values of an application of theirs, and reads the store, if the request has a
  // session's cookie; it sets no cookie.
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  struct Shown;
  loop::Task<std::vector<oauth::Client>> applications_of(const media::Contact& contact);
  http::Response page(const DeveloperGuide& guide, const Shown& shown) const;

  const embed::Site& site_;
  const DeveloperFacts facts_;
  login::Visitors& visitors_;
  media::People& people_;
  oauth::Applications& applications_;
  const base::KeyRing& keys_;
};

}  // namespace svc::pages
