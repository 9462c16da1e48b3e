#include "endpoints/public/security_text.h"

#include <cstdint>
#include <sstream>
#include <utility>

#include "text/rfc3339.h"

namespace svc::endpoints {
namespace {

constexpr std::int64_t kDay = 86'400;
// §2.5.5 recommends less than a year. The setting is read again at each reload.
constexpr std::int64_t kValidDays = 90;

}  // namespace

SecurityText::SecurityText(const std::string& contacts, const base::WallClock& clock)
    : clock_(clock) {
  std::istringstream words(contacts);
  for (std::string word; words >> word;) contacts_ += "Contact: " + word + "\n";
}

loop::Task<http::Response> SecurityText::answer(const http::Request& request) {
  if (contacts_.empty()) co_return http::json_error(404, "security-contact is not set");
  http::Response response;
  response.content_type = "text/plain; charset=utf-8";
  // The same during a day.
  response.body =
      contacts_ + "Expires: " + text::to_rfc3339((clock_.now() / kDay + kValidDays) * kDay) + "\n";
  response.with("Cache-Control", "public, max-age=3600");
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

}  // namespace svc::endpoints
