#include "endpoints/medias.h"

#include <optional>
#include <string>
#include <utility>

#include "base/paths.h"
#include "endpoints/media_response.h"
#include "endpoints/path_id.h"
#include "http/api_error.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "oauth/operation.h"

namespace svc::endpoints {
Medias::Medias(const embed::Site& site, media::Catalog& catalog, media::Uploads& uploads,
               oauth::Grants& grants, oauth::Standings& standings, oauth::Audit& audit)
    : ApiEndpoint(grants, standings),
      site_(site),
      catalog_(catalog),
      uploads_(uploads),
      audit_(audit) {}

loop::Task<std::shared_ptr<media::MediaWithProject>> Medias::find_media(
    const std::optional<media::HashedId>& id) {
  if (!id) co_return nullptr;
  co_return co_await catalog_.find_with_project(*id);
}

// Reads the token, its grant, its holder, the media and its project in one round
// trip. The project of a media that was not read before takes another, and so
// does the progress of one that is being converted.
loop::Task<http::Response> Medias::answer(const http::Request& request) {
  const bool deletes = request.method == "DELETE";
  const oauth::ScopeSet scopes = (deletes ? oauth::kDeleteMedia : oauth::kSeeMedia).any_of();
  const auto token = oauth::bearer_token(request.query, request.authorization);
  if (!token) co_return refusal(token.error(), scopes);
  const auto id =
      id_between(base::paths::kMedia.before(), request.path, base::paths::kMedia.after());
  auto both = loop::all(check(*token, scopes), loop::attempt(find_media(id)));
  auto found = co_await both;
  auto& [issued, of_media] = found;
  if (!issued) co_return refusal(issued.error(), scopes);
  const std::shared_ptr<media::MediaWithProject>& found_media = of_media.get();
  // For this token, a media of another account does not exist.
  if (!found_media || found_media->media.account != issued->account)
    co_return http::api_error(404, "no such media in this account");
  const auto& [media, project, kept] = *found_media;
  if (deletes) {
    loop::Task<http::Response> removing = remove(request, media, *issued);
    co_return co_await removing;
  }
  if (media.status == media::Status::Processing) {
    const double progress = co_await uploads_.progress(media.id);
    co_return media_response(media, media_json(site_, media, project, progress));
  }
  if (kept.empty())
    found_media->json =
        media_json(site_, media, project, media.status == media::Status::Ready ? 1 : 0);
  co_return media_response(media, kept);
}

loop::Task<http::Response> Medias::remove(const http::Request& request, const media::Media& media,
                                          const oauth::Issued& issued) {
  const std::string detail = "media " + media.id.value();
  oauth::AuditEvent event{.what = "media.removed",
                          .contact = issued.contact,
                          .account = issued.account,
                          .client = issued.client.value(),
                          .address = request.remote_address,
                          .detail = detail,
                          .makes_room = true};
  co_await audit_.record(event);
  co_await uploads_.remove(media.id, media.account);
  http::Response response;
  response.status = 204;
  response.about = media.id.value();
  co_return response;
}

}  // namespace svc::endpoints
