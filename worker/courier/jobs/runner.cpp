#include "courier/jobs/runner.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/result.h"
#include "base/unavailable.h"

namespace svc::courier {
namespace {

constexpr base::Duration kAskStoreAgain = std::chrono::seconds(1);

}  // namespace

loop::Task<> Runner::take_jobs() {
  while (true) {
    while (running_ >= kMostAtOnce) {
      loop::Event::Next next(ended_);
      co_await next;
    }
    std::optional<std::string> url;
    bool is_available = true;
    try {
      loop::Task<std::optional<std::string>> taking = jobs_.next();
      url = co_await taking;
    } catch (const base::Unavailable& error) {
      is_available = false;
      if (!std::exchange(said_unavailable_, true))
        base::log::warn("courier.store_unavailable", {{"reason", error.what()}});
    }
    if (is_available) said_unavailable_ = false;
    if (url) {
      ++running_;
      tasks_.spawn(fetch(std::move(*url)));
    } else if (!is_available) {
      loop::Sleep pause(loop_, loop_.clock().now() + kAskStoreAgain);
      co_await pause;
    }
  }
}

loop::Task<> Runner::fetch(std::string url) {
  try {
    loop::Task<std::string> fetching = fetch_one(url);
    const std::string why = co_await fetching;
    const oauth::AuditEvent fetched{.what = oauth::event_named<"client_metadata.fetched">(),
                                    .client = url};
    const oauth::AuditEvent refused{
        .what = oauth::event_named<"client_metadata.refused">(), .client = url, .detail = why};
    loop::Task<> recording = audit_.record(why.empty() ? fetched : refused);
    co_await recording;
  } catch (const base::Unavailable& error) {
    // Those who wait get no answer, and may ask again.
    base::log::warn("courier.store_unavailable", {{"reason", error.what()}});
  }
  --running_;
  ended_.happen();
}

loop::Task<std::string> Runner::fetch_one(std::string url) {
  // The queue is open to the programs that ask; the rules are this program's own.
  std::string why;
  if (auto refused = oauth::why_not_document_url(url, rules_)) why = "client_id " + *refused;
  if (why.empty()) {
    loop::Task<base::Result<Document, std::string>> fetching = fetcher_.fetch(url);
    const base::Result<Document, std::string> document = co_await fetching;
    if (document) {
      const auto client = oauth::read_client_document(url, document->text, rules_.scopes);
      if (client) {
        loop::Task<> putting = jobs_.put_document(url, document->text, document->fresh);
        co_await putting;
        co_return std::string();
      }
      why = client.error();
    } else {
      why = document.error();
    }
  }
  loop::Task<> putting = jobs_.put_refusal(url, why);
  co_await putting;
  co_return why;
}

}  // namespace svc::courier
