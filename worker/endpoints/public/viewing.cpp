#include "endpoints/public/viewing.h"

#include "text/ascii.h"
#include "viewing/beacon.h"

namespace svc::endpoints {
namespace {

static_assert(viewing::kTicket == embed::kTicket);

// What a page may send without asking first. A form of a page can send it too, with a name and `=`.
bool is_text(std::string_view content_type) {
  return text::equal_ignoring_case(content_type.substr(0, content_type.find(';')), "text/plain");
}

}  // namespace

http::Viewing Viewing::count(const http::Request& request) const {
  using http::Viewing;
  if (table_ == nullptr) return Viewing::Off;
  // By nginx (svc-fastcgi-viewing.conf).
  if (request.uncounted == "privacy") return Viewing::Privacy;
  if (!request.uncounted.empty()) return Viewing::Rate;
  const auto id = request.part<media::HashedId>("media");
  const auto beacon = viewing::parse_beacon(request.body);
  if (!id || !beacon || !is_text(request.content_type)) return Viewing::Malformed;
  if (bots_.has(request.user_agent)) return Viewing::Bot;
  if (!keys_.is_ticket(*id, beacon->ticket())) return Viewing::Ticket;
  switch (table_->count(*id, *beacon, {request.remote_address, request.user_agent}, clock_.now())) {
    case viewing::Table::Taken::Yes: return Viewing::Counted;
    case viewing::Table::Taken::Full: return Viewing::Full;
    case viewing::Table::Taken::TooManyOfAddress: return Viewing::Address;
    case viewing::Table::Taken::Busy: return Viewing::Busy;
  }
  return Viewing::Busy;
}

loop::Task<http::Response> Viewing::answer(const http::Request& request) {
  http::Response response;
  response.status = 204;
  response.viewing = count(request);
  response.with("Cache-Control", "no-store");
  co_return response;
}

}  // namespace svc::endpoints
