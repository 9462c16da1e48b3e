// RecordEndpoint: base class of the endpoints below /v1 whose path names a media or a project. For
// a token, a record of another account does not exist: 404.
//
// `Found` is what the catalog returns: a record, or none.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "endpoints/api_endpoint.h"
#include "media/catalog.h"
#include "oauth/operation.h"

namespace svc::endpoints {

template <class Found>
class RecordEndpoint : public ApiEndpoint {
 public:
  // Reads the token, its grant, its holder and the record in one round trip.
  loop::Task<http::Response> answer(const http::Request& request) final;

 protected:
  using Record = std::remove_reference_t<decltype(*std::declval<Found&>())>;

  // `read`: what GET and HEAD do. `change`: what other methods do.
  RecordEndpoint(const ApiAccess& access, media::Catalog& catalog,
                 const oauth::Operation& read = oauth::kReadCatalog,
                 const oauth::Operation& change = oauth::kEdit)
      : ApiEndpoint(access), catalog_(catalog), read_(read), change_(change) {}

  // Responds for a record of the token's account. All outlive the task.
  virtual loop::Task<http::Response> answer_own(const http::Request& request,
                                                const oauth::Issued& issued, Record& record) = 0;

  // Responds to a DELETE of a record that cannot be parsed, of any account.
  virtual loop::Task<http::Response> remove_unreadable(const http::Request& request,
                                                       const oauth::Issued& issued);

  media::Catalog& catalog_;

 private:
  loop::Task<Found> find(const http::Request& request);

  const oauth::Operation& read_;
  const oauth::Operation& change_;
};

using MediaEndpoint = RecordEndpoint<std::optional<media::Media>>;
using MediaWithProjectEndpoint = RecordEndpoint<std::shared_ptr<media::MediaWithProject>>;
using ProjectEndpoint = RecordEndpoint<std::optional<media::Project>>;

template <>
loop::Task<std::optional<media::Media>> MediaEndpoint::find(const http::Request& request);
template <>
loop::Task<std::shared_ptr<media::MediaWithProject>> MediaWithProjectEndpoint::find(
    const http::Request& request);
template <>
loop::Task<std::optional<media::Project>> ProjectEndpoint::find(const http::Request& request);
extern template class RecordEndpoint<std::optional<media::Media>>;
extern template class RecordEndpoint<std::shared_ptr<media::MediaWithProject>>;
extern template class RecordEndpoint<std::optional<media::Project>>;

}  // namespace svc::endpoints
