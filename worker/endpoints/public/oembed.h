// Oembed: the oEmbed endpoint (oembed.com, 1.0), in JSON, JSONP and XML.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "embed/embeddable.h"
#include "embed/media_url.h"
#include "embed/rendering.h"
#include "embed/renderings.h"
#include "embed/site.h"
#include "embed/subjects.h"
#include "embed/watch_keys.h"
#include "endpoints/catalog_endpoint.h"
#include "endpoints/public/oembed_caching.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/reads.h"
#include "text/form.h"

namespace svc::embed {
struct EmbedRequest;
}

namespace svc::endpoints {

class Oembed : public CatalogEndpoint {
 public:
  // Open: the parameter `format` decides (/oembed). Json, Xml: the path decides
  // (/oembed.json, /oembed.xml).
  enum class Path { Open, Json, Xml };

  // If `renderings` is given, looks there for renderings of media, and for the
  // playlist data that responses depend on, before they are built.
  Oembed(Path path, const embed::Site& site, const OembedCaching& caching, media::Catalog& catalog,
         const embed::WatchKeys& keys, embed::Renderings* renderings = nullptr);

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  struct Refused {
    int status;
    const char* message;
    http::WatchRefusal refused_for = http::WatchRefusal::None;
  };
  struct Asked;

  base::Result<embed::Format, Refused> format_of(const text::Form& form) const;
  base::Result<Asked, Refused> parse(const text::Form& form, embed::Format format) const;
  // Marks the response if the subject came from `renderings`.
  loop::Task<base::Result<embed::Embeddable, Refused>> find(const Asked& asked,
                                                            http::Response& response,
                                                            media::Reads& reads);
  http::Response refusal(embed::Format format, const Refused& refused) const;
  // Returns the variant under which the rendering is cached, or an empty text
  // if it is not cached.
  std::string cacheable_variant(embed::Format format, const embed::EmbedRequest& request) const;

  const Path path_;
  const embed::Site& site_;
  const OembedCaching caching_;
  const embed::MediaUrls urls_;
  const embed::WatchKeys& keys_;
  embed::Subjects subjects_;
  embed::Renderings* const renderings_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
};

}  // namespace svc::endpoints
