#include "endpoints/path_id.h"

namespace svc::endpoints {

std::optional<media::HashedId> id_between(std::string_view prefix, std::string_view path,
                                          std::string_view suffix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (!path.ends_with(suffix)) return std::nullopt;
  path.remove_suffix(suffix.size());
  return media::HashedId::parse(path);
}

}  // namespace svc::endpoints
