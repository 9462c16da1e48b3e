#include "embed/watch_keys.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "base/public_paths.h"
#include "base/signed_files.h"

namespace svc::embed {
namespace {

constexpr std::string_view kLinkLabel = "link to a film";
constexpr std::string_view kListedLabel = "listed link to a film";
constexpr std::string_view kPassLabel = "pass of a film";
constexpr std::size_t kMacLength = 32;  // hexadecimal digits: 128 bits
constexpr std::size_t kMaxToken = 200;
constexpr std::int64_t kGrid = 600;             // seconds
constexpr std::int64_t kSpare = 3600;           // seconds: pauses
constexpr std::int64_t kLongestFilm = 1 << 20;  // seconds, 12 days

// A domain in the characters of a token. In place of the slashes of capacitor://localhost it has
// colons, of which no domain has several in a row.
constexpr std::string_view kOfScheme = "://";
constexpr std::string_view kColons = ":::";
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}
std::string exchanged(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  for (char& c : out) {
    const std::size_t at = from.find(c);
    if (at != std::string_view::npos) c = to[at];
  }
  return out;
}
constexpr std::string_view kOfDomains = "*:";
constexpr std::string_view kOfTokens = "~_";

std::string body_of(const Link& link) {
  std::string body = std::to_string(link.ends) + "." + std::to_string(link.issued);
  if (!link.domain.empty())
    body += "." + exchanged(with(link.domain, kOfScheme, kColons), kOfDomains, kOfTokens);
  return body;
}

// The text that a MAC authenticates.
std::string about(std::string_view media, std::string_view body) {
  return std::string(media) + "\n" + std::string(body);
}

std::string body_of_pass(const Pass& pass, std::optional<std::int64_t> links_from) {
  std::string body = std::to_string(pass.ends) + "." + std::to_string(links_from.value_or(0));
  if (pass.link != 0) body += "-" + std::to_string(pass.link);
  return body;
}

std::pair<std::string_view, std::string_view> at_dot(std::string_view text, std::size_t dot) {
  if (dot == std::string_view::npos) return {text, {}};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

std::optional<std::int64_t> time_in(std::string_view text) {
  return base::parse_number<std::int64_t>(text, 1, std::int64_t{1} << 52);
}

constexpr std::string_view kTicketLabel = "ticket of a film";
constexpr std::int64_t kHour = 3600;
// The first character of a ticket is its hour.
constexpr std::string_view kHours =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

Watch watch_of(std::string_view query) {
  Watch watch;
  for (std::string_view rest = query; !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t name = kWatch.size();
    if (!part.starts_with(kWatch) || (part.size() > name && part[name] != '=')) continue;
    if (!watch.part.empty()) return {query, {}, true};
    watch.part = part;
    watch.token = part.substr(std::min(name + 1, part.size()));
  }
  return watch;
}

bool WatchKeys::is_genuine(std::string_view label, std::string_view media,
                           std::string_view token) const {
  const std::size_t dot = token.rfind('.');
  if (ring_ == nullptr || token.size() > kMaxToken || dot == std::string_view::npos) return false;
  const std::string_view mac = token.substr(dot + 1);
  bool is_genuine = false;
  for (const std::string& own : ring_->macs(label, about(media, token.substr(0, dot))))
    is_genuine |= base::equal_in_constant_time(std::string_view(own).substr(0, kMacLength), mac);
  return is_genuine;
}

std::string_view WatchKeys::part_of(std::string_view query, std::string_view media) const {
  const Watch watch = watch_of(query);
  if (watch.part.empty()) return "";
  const bool is_ours = !watch.is_twice && (is_genuine(kLinkLabel, media, watch.token) ||
                                           is_genuine(kListedLabel, media, watch.token) ||
                                           is_genuine(kPassLabel, media, watch.token));
  return is_ours ? watch.part : kWrongWatch;
}

std::string WatchKeys::token_of(const media::HashedId& media, const Link& link) const {
  const std::string body = body_of(link);
  const std::string_view label = link.is_listed ? kListedLabel : kLinkLabel;
  return body + "." + ring_->mac(label, about(media.value(), body)).substr(0, kMacLength);
}

base::Result<Link, WatchKeys::Wrong> WatchKeys::open(const media::HashedId& media,
                                                     std::optional<std::int64_t> links_from,
                                                     std::string_view token) const {
  const bool is_listed = is_genuine(kListedLabel, media.value(), token);
  if (!is_listed && !is_genuine(kLinkLabel, media.value(), token))
    return base::Refusal{Wrong::Unknown};
  const auto [body, mac] = at_dot(token, token.rfind('.'));
  const auto [end, rest] = at_dot(body, body.find('.'));
  const auto [issued, domain] = at_dot(rest, rest.find('.'));
  const auto ends = time_in(end);
  const auto at = time_in(issued);
  if (!ends || !at) return base::Refusal{Wrong::Unknown};
  if (now() >= *ends || *at < links_from.value_or(0)) return base::Refusal{Wrong::Ended};
  return Link{*ends, *at, with(exchanged(domain, kOfTokens, kOfDomains), kColons, kOfScheme),
              is_listed};
}

Span WatchKeys::span(std::optional<double> duration, std::int64_t link_ends) const {
  const double length = std::min(duration.value_or(0), static_cast<double>(kLongestFilm));
  const std::int64_t lasts = kSpare + 2 * static_cast<std::int64_t>(std::ceil(length));
  const std::int64_t end = ((now() + lasts) / kGrid + 1) * kGrid;
  const std::int64_t changes = end - lasts;
  if (link_ends == 0 || link_ends > end) return {end, changes};
  return {link_ends, link_ends};
}

std::string WatchKeys::pass(const media::HashedId& media, std::optional<std::int64_t> links_from,
                            std::int64_t end, std::int64_t link) const {
  if (ring_ == nullptr) return "";
  const std::string body = body_of_pass({end, link}, links_from);
  return body + "." + ring_->mac(kPassLabel, about(media.value(), body)).substr(0, kMacLength);
}

std::optional<Pass> WatchKeys::open_pass(const media::Media& media, std::string_view token) const {
  if (!is_genuine(kPassLabel, media.id.value(), token)) return std::nullopt;
  const auto [body, mac] = at_dot(token, token.rfind('.'));
  const auto [ends, number] = at_dot(body, body.find('.'));
  const auto end = time_in(ends);
  const std::size_t dash = number.find('-');
  const auto link = dash == std::string_view::npos ? std::optional<std::int64_t>(0)
                                                   : time_in(number.substr(dash + 1));
  if (!end || !link || now() >= *end) return std::nullopt;
  const Pass pass{*end, *link};
  if (body != body_of_pass(pass, media.links_from)) return std::nullopt;
  if (pass.link != 0 && media::open_link(media, pass.link) == nullptr) return std::nullopt;
  return pass;
}

std::string WatchKeys::signed_url(const std::string& url, std::optional<std::int64_t> links_from,
                                  std::int64_t end, std::int64_t link) const {
  const auto file = media::own_file(url);
  if (ring_ == nullptr || !file) return url;
  // nginx serves it up to the end of that second.
  const base::SignedFolder folder{file->folder.value(), links_from.value_or(0), end - 1, link};
  return base::paths::kSignedFiles.with(base::signed_path(*ring_, folder) + file->name);
}

// One per key, the first key's first.
std::vector<std::string> WatchKeys::tickets(const media::HashedId& media, std::int64_t hour) const {
  std::vector<std::string> tickets;
  const auto mark = static_cast<std::size_t>(hour) % kHours.size();
  for (const std::string& mac :
       ring_->macs(kTicketLabel, about(media.value(), std::to_string(hour)))) {
    const auto bytes = base::from_hex(std::string_view(mac).substr(0, kMacLength));
    tickets.push_back(kHours[mark] + base::base64url_encode(*bytes).substr(0, kTicket - 1));
  }
  return tickets;
}

std::string WatchKeys::ticket(const media::HashedId& media) const {
  return ring_ == nullptr ? "" : tickets(media, now() / kHour).front();
}

bool WatchKeys::is_ticket(const media::HashedId& media, std::string_view ticket) const {
  if (ring_ == nullptr || ticket.size() != kTicket) return false;
  const std::size_t mark = kHours.find(ticket.front());
  if (mark == std::string_view::npos) return false;
  // The clock of the machine that made it may be ahead.
  const std::int64_t last = now() / kHour + 1;
  const auto size = static_cast<std::int64_t>(kHours.size());
  const std::int64_t ago = (last - static_cast<std::int64_t>(mark)) % size;
  if (ago > kTicketLasts / kHour + 1) return false;
  bool is_ours = false;
  for (const std::string& each : tickets(media, last - ago))
    is_ours |= base::equal_in_constant_time(each, ticket);
  return is_ours;
}

std::optional<base::Duration> WatchKeys::fresh_for(const std::optional<Span>& span) const {
  if (ring_ == nullptr) return std::nullopt;
  const std::int64_t next = (now() / kHour + 1) * kHour;
  const base::Duration of_ticket = Span{next, next}.fresh_for(now());
  return span ? std::min(of_ticket, span->fresh_for(now())) : of_ticket;
}

base::Duration Span::fresh_for(std::int64_t now) const {
  // The second of `now` may be almost over.
  return std::chrono::seconds(std::max<std::int64_t>(0, changes - now - 1));
}

}  // namespace svc::embed
