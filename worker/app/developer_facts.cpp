#include "app/developer_facts.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/api_description.h"
#include "app/routes.h"
#include "captions/file.h"
#include "embed/watch_keys.h"
#include "endpoints/api/captions.h"
#include "endpoints/body_fields.h"
#include "endpoints/list_query.h"
#include "library/project_service.h"
#include "media/allowed_domains.h"
#include "media/media.h"
#include "media/record_fields.h"
#include "media/upload_form.h"
#include "oauth/applications.h"
#include "oauth/client_authentication.h"
#include "oauth/document_client.h"
#include "oauth/redirect_uri.h"
#include "oauth/repetitions.h"
#include "pages/formatting.h"

namespace svc::app {

namespace {

std::string of_bytes(std::int64_t number) {
  constexpr std::int64_t kMebi = 1 << 20;
  constexpr std::int64_t kKibi = 1 << 10;
  if (number >= kMebi && number % kMebi == 0)
    return pages::with_separators(number / kMebi) + " MiB";
  if (number >= kKibi && number % kKibi == 0)
    return pages::with_separators(number / kKibi) + " KiB";
  return pages::with_separators(number) + " bytes";
}

std::vector<pages::DeveloperFacts::Size> sizes_of(const Options& options) {
  const auto number = [](auto value) {
    return pages::with_separators(static_cast<std::int64_t>(value));
  };
  const auto bytes = [](auto value) { return of_bytes(static_cast<std::int64_t>(value)); };
  constexpr std::int64_t kDay = 86'400;  // s
  std::vector<pages::DeveloperFacts::Size> sizes{
      {"A body of JSON or a form for the data API", bytes(endpoints::kMaxRecordBody)},
      {"The same with captions", bytes(endpoints::kMaxCaptionsBody)},
      {"A file of captions",
       bytes(captions::kMaxFileBytes) + ", " + number(captions::kMaxCues) + " cues"},
      {"A cue", bytes(captions::kMaxCueBytes)},
      {"A page of captions", bytes(endpoints::CaptionsList::kMostBytes)},
      {"Captions of a media", number(media::kMaxCaptions)},
      {"Captions of an account", bytes(options.captions.bytes)},
      {"Chapters of a media",
       number(media::kMaxChapters) + ", with titles of " + bytes(media::kMaxChapterBytes)},
      {"The name of a media or project", bytes(media::kMaxNameBytes)},
      {"A description", bytes(media::kMaxUploadDescriptionBytes)},
      {"Sites of a media", number(media::kMaxDomains)},
      {"Records that pages reach", number(endpoints::kMostByPages)},
      {"Projects of an account", number(library::ProjectService::kMostProjects)},
      {"Uploads of an account", number(options.uploads.uploads)},
      {"Uploads of an account that wait or are converted", number(options.uploads.unfinished)},
      {"The life of a link to a private media", number(embed::kLongestLink / kDay) + " days"},
      {"Live values of Idempotency-Key of an account", number(oauth::Repetitions::kMostNames)},
      {"Responses that are kept for them", bytes(oauth::Repetitions::kMostBytes)},
      {"Live access tokens of a grant; the oldest ends", number(options.limits.live_access_tokens)},
      {"Applications of an account", number(options.limits.applications_per_account)},
      {"Account tokens of an account", number(options.limits.tokens_per_account)},
      {"Redirect URIs of an application",
       number(oauth::kMostRedirectUris) + ", each of " + bytes(oauth::kMaxRedirectUri)},
      {"Secrets of an application", number(oauth::kMostLiveSecrets)},
      {"A client ID metadata document", bytes(oauth::kMaxDocument)},
      {"Wrong secrets of an application from an address",
       number(oauth::ClientAuthentication::kMaxGuesses) + " per minute"},
  };
  if (options.uploads.bytes > 0)
    sizes.push_back({"Files of an account", bytes(options.uploads.bytes)});
  return sizes;
}

}  // namespace

pages::DeveloperFacts developer_facts(const Options& options) {
  struct Row {
    Zones zone;
    std::string_view name;
  };
  // The zones that clients of others meet (pages/developers/limits.md); forms have others.
  constexpr auto kRows = std::to_array<Row>({
      {kEmbedZone, "embed"},
      {kOembedZone, "oembed"},
      {kTokenZone, "token"},
      {kIntrospectZone, "introspect"},
      {kUploadZone, "upload"},
      {kTextZone, "text"},
  });
  pages::DeveloperFacts facts{describe_api(), options.limits, {}, sizes_of(options)};
  for (const Row& row : kRows) {
    pages::DeveloperFacts::LimitedPaths limited{row.name, {}};
    for (const Route& each : routes()) {
      if ((each.zones & row.zone) != 0 && each.role != Role::Web)
        limited.paths.push_back(each.path.pattern);
    }
    facts.limited.push_back(std::move(limited));
  }
  return facts;
}

}  // namespace svc::app
