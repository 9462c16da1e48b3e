#include "endpoints/path_id.h"

namespace svc::endpoints {

std::optional<media::HashedId> id_between(std::string_view prefix, std::string_view path,
                                          std::string_view suffix) {
  if (path.size() < prefix.size() + suffix.size()) return std::nullopt;
  if (!path.starts_with(prefix) || !path.ends_with(suffix)) return std::nullopt;
  return media::HashedId::parse(
      path.substr(prefix.size(), path.size() - prefix.size() - suffix.size()));
}

}  // namespace svc::endpoints
