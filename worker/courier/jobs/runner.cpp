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
      url = co_await jobs_.next();
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
    const std::string why = co_await fetch_one(url);
    const oauth::AuditEvent fetched{.what = oauth::event_named<"client_metadata.fetched">(),
                                    .client = url};
    const oauth::AuditEvent refused{
        .what = oauth::event_named<"client_metadata.refused">(), .client = url, .detail = why};
    const oauth::AuditEvent& event = why.empty() ? fetched : refused;
    co_await audit_.record(event);
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
    const base::Result<Document, std::string> document = co_await fetcher_.fetch(url);
    if (document) {
      const auto client = oauth::read_client_document(url, document->text, rules_.scopes);
      if (client) {
        co_await jobs_.put_document(url, document->text, document->fresh);
        co_return std::string();
      }
      why = client.error();
    } else {
      why = document.error();
    }
  }
  co_await jobs_.put_refusal(url, why);
  co_return why;
}

}  // namespace svc::courier
