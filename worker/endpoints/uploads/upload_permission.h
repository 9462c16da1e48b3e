// UploadPermission: decides on an upload before its body is read (nginx's
// auth_request), for the role grant. oauth-S2.
//
// nginx asks at kUploadPermission (base/paths.h). The response is 204 with the account and a permit
// (endpoints/uploads/upload_permit.h), or 403. The upload has a place then, until its commit.
// After any other response than 204 nginx asks again at kMediaList, without a body, and sends
// that response to the client: it states the reason.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "endpoints/api_endpoint.h"
#include "media/people.h"
#include "media/upload_limits.h"
#include "media/uploads.h"

namespace svc::endpoints {

class UploadPermission : public ApiEndpoint {
 public:
  static constexpr std::string_view kAccount = "X-Svc-Account";

  UploadPermission(const ApiAccess& access, oauth::Audit& audit, media::Uploads& uploads,
                   media::People& people, media::UploadLimits limits, const base::KeyRing& keys,
                   base::Entropy& entropy, const base::WallClock& clock)
      : ApiEndpoint(access),
        audit_(audit),
        uploads_(uploads),
        people_(people),
        limits_(limits),
        keys_(keys),
        entropy_(entropy),
        clock_(clock) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  oauth::Audit& audit_;
  media::Uploads& uploads_;
  media::People& people_;
  const media::UploadLimits limits_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
};

}  // namespace svc::endpoints
