// Stats: `/v1/stats/…` and `/v1/medias/<id>/stats`, how often media were watched (api-T1 to
// api-T6).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "viewing/statistics.h"

namespace svc::endpoints {

// `/v1/stats/account`, and by day.
class AccountStats : public ApiEndpoint {
 public:
  enum class Form : std::uint8_t { Whole, ByDate };

  AccountStats(Form form, viewing::Statistics& statistics, const base::WallClock& time,
               const ApiAccess& access)
      : ApiEndpoint(access), form_(form), statistics_(statistics), time_(time) {}

  static Described describe();
  static Described describe_by_date();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> by_date(media::AccountId account, std::string_view query);

  const Form form_;
  viewing::Statistics& statistics_;
  const base::WallClock& time_;
};

// `/v1/stats/projects/<id>`
class ProjectStats : public ProjectEndpoint {
 public:
  ProjectStats(media::Catalog& catalog, media::Listings& listings, viewing::Statistics& statistics,
               const ApiAccess& access)
      : ProjectEndpoint(access, catalog, oauth::kReadStatistics),
        listings_(listings),
        statistics_(statistics) {}

  static Described describe();

 private:
  struct Sums {
    viewing::Counts counts;
    std::int64_t videos = 0;
  };
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Project& project) override;
  loop::Task<Sums> sums_of(const media::Project& project);

  media::Listings& listings_;
  viewing::Statistics& statistics_;
};

// The paths of one media.
class MediaStats : public MediaEndpoint {
 public:
  enum class Form : std::uint8_t { Whole, ByDate, Engagement, Percents };

  MediaStats(Form form, media::Catalog& catalog, viewing::Statistics& statistics,
             const base::WallClock& time, const ApiAccess& access)
      : MediaEndpoint(access, catalog, oauth::kReadStatistics),
        form_(form),
        statistics_(statistics),
        time_(time) {}

  static Described describe();
  static Described describe_by_date();
  static Described describe_engagement();
  static Described describe_percents();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;

  const Form form_;
  viewing::Statistics& statistics_;
  const base::WallClock& time_;
};

}  // namespace svc::endpoints
