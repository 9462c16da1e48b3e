#include "endpoints/repeated.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "http/api_error.h"

namespace svc::endpoints {
namespace {

constexpr std::size_t kMaxKey = 255;
constexpr std::string_view kKeyHeader = "Idempotency-Key";
// The headers of a response to a POST that are kept.
constexpr auto kKeptHeaders = std::to_array<std::string_view>({"Location", "ETag"});

bool is_key(std::string_view key) {
  return key.size() <= kMaxKey &&
         std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; });
}

// The store never evicts a kept response. Records are smaller; captions refuse a second POST
// anyway.
constexpr std::size_t kMostKept = 16 * 1024;  // bytes of a body
static_assert(kMostKept < oauth::Repetitions::kMostKept);

bool is_success(int status) { return status >= 200 && status < 300; }

// An outcome that a repetition would not change.
bool is_kept(const http::Response& response) {
  const int status = response.status;
  return response.body.size() <= kMostKept &&
         (is_success(status) || status == 404 || status == 409 || status == 422);
}

// Status, media type and kept headers, a line each, then the body; of a refusal the status, which
// has one code: its words would be what its sender made them.
std::string to_text(const http::Response& response) {
  std::string text = std::to_string(response.status) + "\n";
  if (!is_success(response.status)) return text;
  text += response.content_type + "\n";
  for (const std::string_view name : kKeptHeaders) {
    const auto header = std::ranges::find(response.headers, name, &http::Header::name);
    if (header != response.headers.end()) text += header->value;
    text += '\n';
  }
  return text + response.body;
}

http::Response repeated_refusal(int status) {
  constexpr std::string_view kRefused =
      "is that of a request that was refused: with another key the refusal says why";
  if (status == 422)
    return http::api_invalid_fields({{std::string(kKeyHeader), std::string(kRefused)}});
  return http::api_error(status == 404 ? 404 : 409,
                         std::string(kKeyHeader).append(" ").append(kRefused));
}

http::Response from_text(std::string_view text) {
  const auto line = [&text] {
    const std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    return first;
  };
  const int status = base::parse_number<int>(line(), 100, 599).value_or(409);
  if (!is_success(status)) return repeated_refusal(status);
  http::Response response;
  response.status = status;
  response.content_type = line();
  for (const std::string_view name : kKeptHeaders) {
    const std::string_view value = line();
    if (!value.empty()) response.with(name, std::string(value));
  }
  response.body = text;
  return response;
}

}  // namespace

loop::Task<http::Response> Repeated::answer(const http::Request& request, Owner owner,
                                            std::string body,
                                            loop::Task<http::Response> answering) {
  using State = oauth::Repetitions::State;
  if (request.idempotency_key.empty()) co_return co_await answering;
  if (!is_key(request.idempotency_key))
    co_return http::api_error(
        400, std::string(kKeyHeader).append(" must be 1 to 255 printable ASCII characters"));
  const std::string name =
      base::to_hex(base::sha256(std::string(request.method) + " " + std::string(request.path) +
                                "\n" + std::string(request.idempotency_key)));
  const std::string digest = base::to_hex(base::sha256(body));
  const std::string id(request.request_id);
  const auto begun = co_await repetitions_.begin(owner, name, digest, id, clock_.now());
  if (begun.state == State::Full)
    co_return http::api_error(429, "this account has too many live Idempotency-Keys")
        .with("Retry-After", std::to_string(begun.retry_after));
  if (begun.body != digest)
    co_return http::api_invalid_fields(
        {{std::string(kKeyHeader), "was used for a request with another body"}});
  if (begun.state == State::Running)
    co_return http::api_error(409, "a request with this Idempotency-Key has not ended");
  const std::string context = "repetition\n" + owner.grant.value() + "\n" + name;
  if (begun.state == State::Kept) {
    auto kept = keys_.open_bytes(begun.response, context);
    // Of a worker of an earlier version.
    if (!kept) kept = keys_.open(begun.response, context);
    if (kept) co_return from_text(*kept);
    co_return http::api_error(409, "the key of the response to this Idempotency-Key was removed");
  }
  http::Response response = co_await answering;
  std::string text;
  if (is_kept(response)) text = keys_.seal_bytes(to_text(response), context, entropy_);
  co_await repetitions_.end(owner, name, digest, id, text, clock_.now());
  co_return response;
}

loop::Task<http::Response> Repeated::answer(const http::Request& request,
                                            const oauth::Issued& issued, const BodyFields& body,
                                            loop::Task<http::Response> answering) {
  return answer(request, Owner{issued.grant(), issued.account}, body.canonical(),
                std::move(answering));
}

}  // namespace svc::endpoints
