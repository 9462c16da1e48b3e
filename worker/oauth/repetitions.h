// Repetitions: the responses to requests with an Idempotency-Key, so that a repetition changes
// nothing (api-N10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "loop/task.h"
#include "media/id.h"
#include "oauth/grant.h"

namespace svc::oauth {

class Repetitions {
 public:
  static constexpr std::int64_t kRunning = 60;      // seconds, after which a request has not ended
  static constexpr std::int64_t kKept = 24 * 3600;  // seconds
  // Of an account, as they are stored. A name without a response counts kNameBytes, and while its
  // request runs also kMostKept, so that each response that begin() let through has room.
  static constexpr std::size_t kMostNames = 10'000;
  static constexpr std::size_t kMostBytes = 16 * 1024 * 1024;
  static constexpr std::size_t kNameBytes = 512;
  static constexpr std::size_t kMostKept = 17 * 1024;  // bytes of a response, as end() gets it

  virtual ~Repetitions() = default;

  // The names of requests are those of their grant; all grants of its account share the limits.
  struct Owner {
    GrantId grant;
    media::AccountId account;
  };

  enum class State : std::uint8_t {
    New,      // the first request with this name: the caller makes the change
    Running,  // another request with it has not ended
    Kept,     // `response` is what end() got
    Full,     // the account has kMostNames names, or no room for another response
  };
  struct Begun {
    State state = State::New;
    std::string body{};      // the first request's; not if Full
    std::string response{};  // if Kept
    // If Full: seconds until the first name of the account ends, from 1 to kKept.
    std::int64_t retry_after = 0;
  };

  // Both throw base::Unavailable. `name`: of the request and its repetitions. `body`: a digest of
  // its body. `request`: an id of this request, the same if nginx sends it again. The first two
  // have neither blanks nor line ends. Arguments outlive the tasks.
  virtual loop::Task<Begun> begin(const Owner& owner, std::string_view name, std::string_view body,
                                  std::string_view request, std::int64_t now) = 0;
  // Ends a request that was New, unless another request has begun since: keeps its response, of at
  // most kMostKept bytes. Without one the name is taken until kRunning is over.
  virtual loop::Task<> end(const Owner& owner, std::string_view name, std::string_view body,
                           std::string_view request, std::string_view response,
                           std::int64_t now) = 0;
};

}  // namespace svc::oauth
