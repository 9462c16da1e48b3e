// Repetitions: the responses to requests with an Idempotency-Key, so that a repetition changes
// nothing (api-N10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "loop/task.h"
#include "oauth/grant.h"

namespace svc::oauth {

class Repetitions {
 public:
  static constexpr std::int64_t kRunning = 60;      // seconds, after which a request has not ended
  static constexpr std::int64_t kKept = 24 * 3600;  // seconds
  static constexpr std::size_t kMostPerGrant = 10'000;

  virtual ~Repetitions() = default;

  enum class State : std::uint8_t {
    New,      // the first request with this name: the caller makes the change
    Running,  // another request with it has not ended
    Kept,     // `response` is what keep() got
    Full,     // the grant has kMostPerGrant names
  };
  struct Begun {
    State state = State::New;
    std::string body{};      // the first request's; not if Full
    std::string response{};  // if Kept
  };

  // Both throw base::Unavailable. `name`: of the request and its repetitions. `body`: a digest of
  // its body. `request`: an id of this request, the same if nginx sends it again. The first two
  // have neither blanks nor line ends. Arguments outlive the tasks.
  virtual loop::Task<Begun> begin(const GrantId& grant, std::string_view name,
                                  std::string_view body, std::string_view request,
                                  std::int64_t now) = 0;
  // Keeps the response of a request that was New, unless another request has begun since.
  virtual loop::Task<> keep(const GrantId& grant, std::string_view name, std::string_view body,
                            std::string_view request, std::string_view response,
                            std::int64_t now) = 0;
};

}  // namespace svc::oauth
