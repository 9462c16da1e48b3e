// OembedCaching: for how long others keep the responses of the oEmbed endpoint.
#pragma once

#include <optional>

namespace svc::endpoints {

struct OembedCaching {
  int max_age = 3600;                // seconds, Cache-Control of a 200
  int stale_while_revalidate = 600;  // seconds
  int negative_max_age = 10;         // seconds, Cache-Control of a refusal
  std::optional<int> cache_age;      // seconds, the key `cache_age` of the response
};

}  // namespace svc::endpoints
