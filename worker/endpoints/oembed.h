// Oembed: the oEmbed endpoint (oembed.com, 1.0), in JSON, JSONP and XML.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/media_url.h"
#include "embed/rendering.h"
#include "embed/renderings.h"
#include "embed/site.h"
#include "embed/subjects.h"
#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/reads.h"
#include "text/form.h"

namespace svc::endpoints {

struct OembedCaching {
  int max_age = 3600;                // seconds, Cache-Control of a 200
  int stale_while_revalidate = 600;  // seconds
  int negative_max_age = 10;         // seconds, Cache-Control of a refusal
  std::optional<int> cache_age;      // seconds, the key `cache_age` of the answer
};

class Oembed : public CatalogEndpoint {
 public:
  // Which formats the path leaves open: on /oembed the parameter `format` decides, on /oembed.json
  // and /oembed.xml the path does.
  enum class Path { Open, Json, Xml };

  // Renderings of media, and what those of playlists are made from, are looked for in `renderings`
  // before they are made, where there is one.
  Oembed(Path path, const embed::Site& site, const OembedCaching& caching, media::Catalog& catalog,
         embed::Renderings* renderings = nullptr);

  void add_common_headers(http::Response& response) const override;
  http::Response unavailable(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;
  http::Response answer_other_method(const http::Request& request) const override;

 private:
  struct Refused {
    int status;
    const char* message;
  };
  struct Asked {
    embed::Format format;
    std::string callback;  // empty: none
    embed::EmbedRequest embed;
  };

  base::Result<embed::Format, Refused> format_of(const text::Form& form) const;
  // Whether a refusal that comes before anything else of the request is looked at is one in XML.
  bool refuses_in_xml(const http::Request& request) const;
  base::Result<Asked, Refused> parse(const text::Form& form, embed::Format format) const;
  // Marks the response if the subject was kept in `renderings`.
  loop::Task<base::Result<embed::Embeddable, Refused>> find(const embed::EmbedRequest& request,
                                                            http::Response& response,
                                                            media::Reads& reads);
  http::Response refusal(embed::Format format, const Refused& refused) const;
  // The variant under which its rendering is cached; empty if it is not.
  std::string cacheable_variant(embed::Format format, const embed::EmbedRequest& request) const;

  const Path path_;
  const embed::Site& site_;
  const OembedCaching caching_;
  const embed::MediaUrls urls_;
  embed::Subjects subjects_;
  embed::Renderings* const renderings_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
};

}  // namespace svc::endpoints
