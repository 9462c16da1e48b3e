// Repeated: Idempotency-Key (api-N10): a repeated POST gets the response to the first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "endpoints/body_fields.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "oauth/repetitions.h"
#include "oauth/stores.h"

namespace svc::endpoints {

class Repeated {
 public:
  // `keys` encrypt what is kept: a response may have a link, or another secret. All outlive it.
  Repeated(oauth::Repetitions& repetitions, const base::WallClock& clock, const base::KeyRing& keys,
           base::Entropy& entropy)
      : repetitions_(repetitions), clock_(clock), keys_(keys), entropy_(entropy) {}

  using Owner = oauth::Repetitions::Owner;

  // Answers by `answering`, or as the first request of this grant with this key; a refusal as a
  // short one with its status and code. `body`: what two equal requests have in common, such as
  // BodyFields::canonical(). Without the header, `answering` runs each time. The request outlives
  // the task.
  loop::Task<http::Response> answer(const http::Request& request, Owner owner, std::string body,
                                    loop::Task<http::Response> answering);
  // The same for the grant of a token, and the fields of a body.
  loop::Task<http::Response> answer(const http::Request& request, const oauth::Issued& issued,
                                    const BodyFields& body, loop::Task<http::Response> answering);
  // Reads the fields of the body first. `answer_by` makes the task from them.
  template <class AnswerBy>
  loop::Task<http::Response> post(const http::Request& request, const oauth::Issued& issued,
                                  const AnswerBy& answer_by) {
    auto body = BodyFields::read(request);
    if (!body) co_return body.error();
    loop::Task<http::Response> answering = answer_by(*body);
    co_return co_await answer(request, issued, *body, std::move(answering));
  }

 private:
  oauth::Repetitions& repetitions_;
  const base::WallClock& clock_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
};

}  // namespace svc::endpoints
