// MediaMove: `PUT /v1/medias/move`, which puts media of the grant's account into one of its
// projects (api-M5).
#pragma once

#include "endpoints/api_endpoint.h"
#include "endpoints/description.h"
#include "library/project_service.h"

namespace svc::endpoints {

class MediaMove : public ApiEndpoint {
 public:
  MediaMove(library::ProjectService& service, const ApiAccess& access)
      : ApiEndpoint(access), service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  library::ProjectService& service_;
};

}  // namespace svc::endpoints
