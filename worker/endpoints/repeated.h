// Repeated: Idempotency-Key (api-N10): a repeated POST gets the response of the first one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "oauth/repetitions.h"
#include "oauth/stores.h"

namespace svc::endpoints {

class Repeated {
 public:
  Repeated(oauth::Repetitions& repetitions, const base::WallClock& clock)
      : repetitions_(repetitions), clock_(clock) {}

  // Answers by `answering`, or as the first request with this key. `body`: what two equal requests
  // have in common, BodyFields::canonical(). Without the header, `answering` runs each time. The
  // request and `issued` outlive the task.
  loop::Task<http::Response> answer(const http::Request& request, const oauth::Issued& issued,
                                    std::string body, loop::Task<http::Response> answering);

 private:
  oauth::Repetitions& repetitions_;
  const base::WallClock& clock_;
};

}  // namespace svc::endpoints
