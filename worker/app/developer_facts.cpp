#include "app/developer_facts.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/api_description.h"
#include "app/routes.h"
#include "app/version.h"

namespace svc::app {

pages::DeveloperFacts developer_facts(const oauth::Limits& limits) {
  struct Row {
    Zones zone;
    std::string_view name;
    std::string_view about;
  };
  // The zones that clients of others meet; forms have others.
  constexpr auto kRows = std::to_array<Row>({
      {kEmbedZone, "embed", "The player, its data and the public pages"},
      {kOembedZone, "oembed", "oEmbed"},
      {kTokenZone, "token", "Tokens"},
      {kUploadZone, "upload", "Lists of media and uploads"},
  });
  pages::DeveloperFacts facts{describe_api(),
                              {limits.code, limits.access, limits.refresh_idle,
                               limits.public_refresh_idle, limits.public_refresh_lifetime},
                              {},
                              changes()};
  for (const Row& row : kRows) {
    pages::DeveloperFacts::LimitedPaths limited{row.name, std::string(row.about), {}};
    for (const Route& each : routes()) {
      if ((each.zones & row.zone) != 0 && each.role != Role::Web)
        limited.paths.push_back(each.path.pattern);
    }
    facts.limits.push_back(std::move(limited));
  }
  return facts;
}

}  // namespace svc::app
