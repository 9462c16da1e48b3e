#include "endpoints/catalog_endpoint.h"

namespace svc::endpoints {

http::WatchRefusal refusal_for(embed::NotEmbeddable why) {
  switch (why) {
    case embed::NotEmbeddable::NotFound:
    case embed::NotEmbeddable::NoEmbedCode: return http::WatchRefusal::None;
    case embed::NotEmbeddable::OnlyPrivate:
    case embed::NotEmbeddable::Private: return http::WatchRefusal::Private;
    case embed::NotEmbeddable::WrongLink: return http::WatchRefusal::WrongLink;
    case embed::NotEmbeddable::EndedLink: return http::WatchRefusal::EndedLink;
  }
  return http::WatchRefusal::None;
}

loop::Task<http::Response> CatalogEndpoint::answer(const http::Request& request) {
  media::Reads reads;
  http::Response response = co_await answer_get(request, reads);
  response.made_from = reads.take();
  co_return response;
}

std::string_view FilmEndpoint::query_used(const http::Request& request) const {
  const auto id = request.part<media::HashedId>("media");
  return id ? keys_.part_of(request.query, id->value()) : "";
}

http::Response FilmEndpoint::refusal(int status, std::string_view message) const {
  http::Response response = http::json_error(status, message);
  response.with("Cache-Control", negative_cache_control_);
  return response;
}

}  // namespace svc::endpoints
