// DevelopersPage: `/developers` and the pages below it, for authors of pages that show a player and
// of programs that use the data API. What a table, a declaration or a configuration has already is
// read from there (sources.h); operations are from the tables of the OpenAPI document (api-N9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
#include "oauth/stores.h"

namespace svc::pages {

// What the pages tell about the service, in addition to sources.h.
struct DeveloperFacts {
  endpoints::ApiDescription api;
  struct Lifetimes {  // seconds
    std::int64_t code;
    std::int64_t access;
    std::int64_t refresh_idle;
    std::int64_t public_refresh_idle;
    std::int64_t public_refresh_lifetime;
  };
  Lifetimes lifetimes;
  // The paths of a zone whose requests nginx counts (reference_tables.h).
  struct LimitedPaths {
    std::string_view zone;
    std::string about;
    std::vector<std::string_view> paths;
  };
  std::vector<LimitedPaths> limits;
  // What a program may send and an account may have.
  struct Size {
    std::string_view of;
    std::string most;
  };
  std::vector<Size> sizes;
  std::string_view changes;  // the changelog
};

class DevelopersPage : public http::Endpoint {
 public:
  // All references must outlive it.
  DevelopersPage(const embed::Site& site, DeveloperFacts facts, login::Visitors& visitors,
                 media::People& people, oauth::Applications& applications,
                 const base::KeyRing& keys);

  // Each page is the same for every visitor, and built by its first request. Only the page about
  // OAuth has the user that is logged in and the values of an application of theirs, and reads the
  // store, if the request has a session's cookie; it sets no cookie.
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  struct Shown;
  loop::Task<std::vector<oauth::Client>> applications_of(const media::Contact& contact);
  std::string html_of(std::size_t guide, const Shown& shown) const;
  loop::Task<http::Response> answer_oauth(const http::Request& request, std::size_t guide);

  const embed::Site& site_;
  const DeveloperFacts facts_;
  login::Visitors& visitors_;
  media::People& people_;
  oauth::Applications& applications_;
  const base::KeyRing& keys_;
  std::map<std::size_t, std::string> built_;  // by the number of the page
};

}  // namespace svc::pages
