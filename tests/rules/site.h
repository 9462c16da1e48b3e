// Site: the four pools of an installation, in this process: each a Service with the shipped
// settings of its pool and its own user of the shipped Redis. The clocks of all stand still until
// the test moves them.
//
// With SVC_RULES_FRONT=HOST:PORT, requests go to an nginx instead, in front of pools that serve the
// same catalog under the same names.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/service.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "http/request.h"
#include "loop/loop.h"
#include "loop/shares.h"
#include "loop/task.h"
#include "redis/connection_settings.h"
#include "rules/described.h"
#include "rules/stores.h"

namespace svc::rules {

// A request as a client sends it.
struct Ask {
  std::string method = "GET";
  // With scheme and host; or a path, for the first host that has it.
  std::string target{};
  // By their names in a request, e.g. If-None-Match. Or what nginx sets: UPLOAD_ANSWER,
  // UPLOAD_LENGTH, REQUEST_ID; BODY_FILE for the pool of uploads; UPLOAD_PERMIT and UPLOAD_FORM for
  // the second half of an upload.
  std::map<std::string, std::string> headers{};
  std::string body{};

  // "GET /oembed?url=…"; without a method: GET.
  Ask(std::string_view line);                                    // NOLINT: a row of a table
  Ask(const char* line) : Ask(std::string_view(line)) {}         // NOLINT
  Ask(const std::string& line) : Ask(std::string_view(line)) {}  // NOLINT
  Ask with(std::string name, std::string value) const;
  Ask with_body(std::string body) const;
  // A form's body, and its media type.
  using Fields = std::vector<std::pair<std::string, std::string>>;
  Ask with_form(const Fields& fields) const;
};

struct Answer {
  int status = 0;
  std::string type;                                          // Content-Type, or "none"
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::int64_t counts_for = 0;  // the account whose manifests the worker counts
  http::CacheUse cache = http::CacheUse::None;
  http::WatchRefusal refused_for = http::WatchRefusal::None;  // as the worker counts it
  http::Viewing viewing = http::Viewing::None;                // the same

  // Returns all values joined by ", ", or "none" if the header is missing.
  std::string header(std::string_view name) const;
  bool has(std::string_view text) const { return body.find(text) != std::string::npos; }
};

class Site {
 public:
  // `settings` are flags that replace the shipped ones: "--oembed-cache-age=60"; "--short-domain="
  // removes one of this file.
  explicit Site(std::vector<std::string> settings = {});
  ~Site();

  // Starts the pools again with these settings instead. Stored data stays.
  void restart(std::vector<std::string> settings);

  Answer ask(const Ask& ask);
  // Asks the data API, without comparing with its document. Calls this after each turn of the loop.
  Answer ask(const Ask& ask, const std::function<void()>& after_turn);
  // Returns the document of the data API.
  const Described& described();
  // Like ask(), all at the same time.
  std::vector<Answer> ask_at_once(const std::vector<Ask>& asks);
  std::vector<Answer> ask_at_once(const Ask& ask, std::size_t times) {
    return ask_at_once(std::vector<Ask>(times, ask));
  }
  // Like ask(), of a pool directly and not of nginx: /upload-permission, /status …
  Answer ask_pool(std::string_view role, const Ask& ask);

  // Subscribes the pools to invalidations. Otherwise they cache a response for some seconds of
  // their clock.
  void listen();
  // Runs their loop until it is so.
  void until(const std::function<bool()>& is_so);
  // Both clocks.
  void pass(std::int64_t seconds);
  // Passes five seconds and runs the periodic tasks of the workers.
  void run_periodic_tasks();
  std::int64_t now() const { return wall_clock_.now(); }
  const base::WallClock& wall_clock() const { return wall_clock_; }
  Stores& stores() { return Stores::of_this_process(); }
  // A request of that account (operations-P82); 0: without an account.
  void use(std::string_view pool, std::int64_t account, std::chrono::milliseconds time);
  // The cookie of a new session of that contact, "name=value".
  std::string log_in(std::int64_t contact, std::string_view address = "192.0.2.1");
  const embed::Site& names() const;
  // From which clients' requests come.
  std::string address = "192.0.2.1";
  http::Peer* peer = nullptr;
  PlainPasswords& passwords() { return passwords_; }
  // The id of all requests, as if nginx repeated one; if "", each request has its own.
  std::string request_id;
  // Where nginx and the pool of uploads leave files.
  std::string upload_folder() const { return directory_.path("uploads"); }
  // The number of files there, also of requests, once svc-ingest has done its deletions.
  std::size_t files_of_uploads();
  struct Trips : redis::TripObserver {
    void answered(base::Duration) override {
      ++count;
      if (then) then();
    }
    void failed() override {}
    int count = 0;
    std::function<void()> then;  // after each
  };
  Trips trips;  // to the state Redis

 private:
  struct Pool {
    std::string_view role;
    app::Options options;
    app::Secrets secrets;
    std::unique_ptr<viewing::Table> viewing;  // only the embed pool
    std::unique_ptr<loop::Shares> shares;     // only pools that know accounts
    std::unique_ptr<app::Service> service;
  };

  loop::Task<Answer> answer(Ask ask);
  // Adds a failure if a response of the data API differs from its document.
  loop::Task<Answer> checked(std::string path, Ask ask, loop::Task<Answer> answering);
  loop::Task<Answer> answer_in_process(std::string_view role, std::string scheme, std::string host,
                                       std::string target, Ask ask);
  // A POST with a file: the pool permits it, then nginx stores the body for the pool of uploads,
  // and sends that pool's form to the first pool.
  loop::Task<Answer> upload(std::string_view role, std::string host, std::string target, Ask ask);
  loop::Task<Answer> answer_of_front(std::string host, std::string target, Ask ask);
  std::string id_of_next_request();
  Answer ask_front(std::string_view host, std::string_view target, const Ask& ask) const;

  fakes::TemporaryDirectory directory_;
  const std::string front_;  // HOST:PORT of nginx; "": the pools of this process
  fakes::ManualClock clock_;
  fakes::ManualWallClock wall_clock_;
  PlainPasswords passwords_;
  base::SharedSemaphore hashing_;
  std::unique_ptr<loop::Loop> loop_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::shared_ptr<const Described> described_;
};

}  // namespace svc::rules
