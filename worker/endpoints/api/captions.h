// CaptionsList: `/v1/captions`, MediaCaptions: `/v1/medias/<id>/captions` (api-C1, api-C3).
// Captions:
// `/v1/medias/<id>/captions/<language>`, in several formats (api-C2, api-C3).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "embed/site.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/list_query.h"
#include "endpoints/record_endpoint.h"
#include "endpoints/repeated.h"
#include "library/caption_service.h"
#include "media/catalog.h"
#include "media/listings.h"

namespace svc::endpoints {

// Those of all media of an account.
class CaptionsList : public ApiEndpoint {
 public:
  CaptionsList(const embed::Site& site, media::Catalog& catalog, media::Listings& listings,
               library::CaptionService& service, const ApiAccess& access)
      : ApiEndpoint(access),
        site_(site),
        catalog_(catalog),
        listings_(listings),
        service_(service) {}

  static Described describe();

  // The most media among which a page of the account's captions is looked for.
  static constexpr std::size_t kMostMedias = 10'000;
  // The most bytes of a page, so that a worker can hold it.
  static constexpr std::size_t kMostBytes = 16 << 20;

  loop::Task<http::Response> answer(const http::Request& request) override;

  // Lists those of a media.
  loop::Task<http::Response> list_of(const http::Request& request, const media::Media& media);

 private:
  struct Each {
    media::HashedId media;
    media::Captions captions;
  };
  using Found = std::vector<Each>;
  static Found page_of(const media::Media& media, const ListQuery& query);
  static http::Response too_long_page();
  // The refusal is a sentence.
  loop::Task<base::Result<Found, std::string>> find(media::AccountId account, std::size_t first,
                                                    std::size_t count);
  // `has_media`: each of the list names its media.
  loop::Task<http::Response> show(const http::Request& request, const ListQuery& query,
                                  media::AccountId account, Found& found, bool has_media);

  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Listings& listings_;
  library::CaptionService& service_;
};

// GET lists those of a media, POST adds some.
class MediaCaptions : public MediaEndpoint {
 public:
  MediaCaptions(const embed::Site& site, media::Catalog& catalog, CaptionsList& list,
                library::CaptionService& service, Repeated& repeated, const ApiAccess& access)
      : MediaEndpoint(access, catalog),
        site_(site),
        list_(list),
        service_(service),
        repeated_(repeated) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;
  loop::Task<http::Response> add(const http::Request& request, const oauth::Issued& issued,
                                 const media::HashedId& id, BodyFields& body,
                                 std::shared_ptr<loop::HeavyWork::Ticket> ticket);

  const embed::Site& site_;
  CaptionsList& list_;
  library::CaptionService& service_;
  Repeated& repeated_;
};

class Captions : public MediaEndpoint {
 public:
  Captions(media::Catalog& catalog, library::CaptionService& service, const ApiAccess& access)
      : MediaEndpoint(access, catalog), service_(service) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;
  loop::Task<http::Response> change(const http::Request& request, const oauth::Issued& issued,
                                    const media::HashedId& id, const media::Captions& present);

  library::CaptionService& service_;
};

}  // namespace svc::endpoints
