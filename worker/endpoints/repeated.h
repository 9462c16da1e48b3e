// Repeated: Idempotency-Key (api-N10): a repeated POST gets the response to the first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "oauth/grant.h"
#include "oauth/repetitions.h"

namespace svc::endpoints {

class Repeated {
 public:
  Repeated(oauth::Repetitions& repetitions, const base::WallClock& clock)
      : repetitions_(repetitions), clock_(clock) {}

  // Answers by `answering`, or as the first request of this grant with this key. `body`: what two
  // equal requests have in common, such as BodyFields::canonical(). Without the header, `answering`
  // runs each time. The request outlives the task.
  loop::Task<http::Response> answer(const http::Request& request, oauth::GrantId grant,
                                    std::string body, loop::Task<http::Response> answering);

 private:
  oauth::Repetitions& repetitions_;
  const base::WallClock& clock_;
};

}  // namespace svc::endpoints
