#include "http/response.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "text/ascii.h"
#include "text/json.h"

namespace svc::http {
namespace {

using namespace std::string_view_literals;

enum class Comparison : std::uint8_t { Weak, Strong };

// RFC 9110 §8.8.3: etagc
bool is_tag_character(char c) {
  return c == '!' || (c >= '#' && c <= '~') || static_cast<unsigned char>(c) >= 0x80;
}

// `*`, or entity tags between commas, of which some are empty, RFC 9110 §5.6.1.2.
bool is_list_of_tags(std::string_view list) {
  if (text::trimmed(list) == "*") return true;
  std::size_t tags = 0;
  while (!list.empty()) {
    list = text::trimmed(list);
    if (list.starts_with("W/\"")) list.remove_prefix(2);
    if (list.starts_with('"')) {
      const std::size_t close = list.find('"', 1);
      if (close == std::string_view::npos ||
          !std::ranges::all_of(list.substr(1, close - 1), is_tag_character))
        return false;
      ++tags;
      list = text::trimmed(list.substr(close + 1));
    }
    if (!list.empty() && list.front() != ',') return false;
    if (!list.empty()) list.remove_prefix(1);
  }
  return tags > 0;
}

// Returns true if a list of entity tags contains `tag`. `tag` is strong and includes its quotes. A
// list of only `*` matches any tag.
bool lists(std::string_view list, std::string_view tag, Comparison comparison) {
  constexpr std::string_view kBlank = " \t";
  list.remove_prefix(std::min(list.find_first_not_of(kBlank), list.size()));
  if (list.substr(0, list.find_last_not_of(kBlank) + 1) == "*") return true;
  while (!list.empty()) {
    const std::size_t start = list.find_first_not_of(" \t,");
    if (start == std::string_view::npos) return false;
    list.remove_prefix(start);
    const bool is_weak = list.starts_with("W/");
    if (is_weak) list.remove_prefix(2);
    const std::size_t close = list.starts_with('"') ? list.find('"', 1) : std::string_view::npos;
    if (close == std::string_view::npos) return false;
    const bool counts = !is_weak || comparison == Comparison::Weak;
    if (counts && list.substr(0, close + 1) == tag) return true;
    list.remove_prefix(close + 1);
  }
  return false;
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  for (const char c : value) {
    if (text::is_control(c)) return;
  }
  // Of a view the length is known; that of a character array is counted, for each header of each
  // response.
  out.append(name).append(": "sv).append(value).append("\r\n"sv);
}

}  // namespace

std::string_view to_text(WatchRefusal reason) {
  switch (reason) {
    case WatchRefusal::None: return "";
    case WatchRefusal::Site: return "site";
    case WatchRefusal::Private: return "private";
    case WatchRefusal::WrongLink: return "wrong_link";
    case WatchRefusal::EndedLink: return "ended_link";
    case WatchRefusal::Pass: return "pass";
  }
  return "";
}

std::string_view to_text(Viewing viewing) {
  switch (viewing) {
    case Viewing::None: return "";
    case Viewing::Counted: return "counted";
    case Viewing::Malformed: return "malformed";
    case Viewing::Ticket: return "ticket";
    case Viewing::Privacy: return "privacy";
    case Viewing::Bot: return "bot";
    case Viewing::Rate: return "rate";
    case Viewing::Address: return "address";
    case Viewing::Full: return "full";
    case Viewing::Busy: return "busy";
    case Viewing::Off: return "off";
  }
  return "";
}

std::string_view to_text(CacheUse use) {
  switch (use) {
    case CacheUse::None: break;
    case CacheUse::Memory: return "memory";
    case CacheUse::Handover: return "handover";
    case CacheUse::Redis: return "redis";
    case CacheUse::Miss: return "miss";
    case CacheUse::Stale: return "stale";
  }
  return "";
}

Response in_json(std::string body, std::string_view about) {
  Response response;
  response.about = about;
  response.content_type = kJson;
  response.body = std::move(body);
  return response;
}

Response json_error(int status, std::string_view message) {
  Response response;
  response.status = status;
  response.content_type = kJson;
  text::json::ObjectWriter(response.body).string("error", message).end();
  return response;
}

Response& vary_by_site(Response& response) {
  response.varies_by_site = true;
  return response.with("Cache-Control", "private, no-cache").with("Vary", "Origin, Referer");
}

Response& vary_by_language(Response& response) {
  response.varies_by_language = true;
  return response.with("Vary", "Accept-Language");
}

Response refuse_site(std::string_view site, std::string about) {
  Response response =
      json_error(403, site.empty() ? "this may be shown on some sites only, and the page does not "
                                     "say on which it is, by Origin or Referer"
                                   : "this may not be shown on that site");
  response.about = std::move(about);
  response.refused_for = WatchRefusal::Site;
  return std::move(vary_by_site(response));
}

Response& never_stored(Response& response) { return response.with("Cache-Control", "no-store"); }

Response refuse_watching(WatchRefusal reason, std::string about) {
  const bool is_pass = reason == WatchRefusal::Pass;
  Response response;
  response.status = 403;
  response.content_type = kJson;
  // What the player tells from a refusal of the page around it.
  text::json::ObjectWriter(response.body)
      .string("error", is_pass ? "this opens with an address from the data of the player, or from "
                                 "its frame, that has not ended"
                               : "this opens with a link that has not ended")
      .string("reason", is_pass ? "pass" : "link")
      .end();
  response.about = std::move(about);
  response.refused_for = reason;
  return std::move(never_stored(response));
}

std::string strong_entity_tag(std::string_view body) {
  std::array<char, 24> tag{};
  std::snprintf(tag.data(), tag.size(), "\"%016llx\"",
                static_cast<unsigned long long>(XXH3_64bits(body.data(), body.size())));
  return tag.data();
}

namespace {

Response with_tag(Response response, std::string_view if_none_match, const std::string& tag,
                  std::string_view weakness) {
  if (names_tag(if_none_match, tag)) {
    response.status = 304;
    response.content_type.clear();
    response.body.clear();
  }
  response.headers.push_back({"ETag", std::string(weakness) + tag});
  return response;
}

}  // namespace

Response with_entity_tag(Response response, std::string_view if_none_match) {
  const std::string tag = strong_entity_tag(response.body);
  return with_tag(std::move(response), if_none_match, tag, "W/");
}

Response with_strong_entity_tag(Response response, std::string_view if_none_match) {
  const std::string tag = strong_entity_tag(response.body);
  return with_tag(std::move(response), if_none_match, tag, "");
}

Response with_strong_entity_tag(Response response, std::string_view if_none_match,
                                std::string_view whole) {
  return with_tag(std::move(response), if_none_match, strong_entity_tag(whole), "");
}

bool may_change(const Conditions& conditions, const std::vector<std::string>& bodies) {
  const auto lists_one = [&](std::string_view list, Comparison comparison) {
    return std::ranges::any_of(bodies, [&](const std::string& body) {
      return lists(list, strong_entity_tag(body), comparison);
    });
  };
  const auto& [if_match, if_none_match] = conditions;
  if (!if_match.empty() && !(is_list_of_tags(if_match) && lists_one(if_match, Comparison::Strong)))
    return false;
  return if_none_match.empty() ||
         (is_list_of_tags(if_none_match) && !lists_one(if_none_match, Comparison::Weak));
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
  if (if_none_match.empty()) return false;
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return lists(if_none_match, tag, Comparison::Weak);
}

void append_head(std::string& out, const Response& response) {
  out.append("Status: "sv).append(std::to_string(response.status)).append(" "sv);
  out.append(reason_phrase(response.status)).append("\r\n"sv);
  const bool bodyless = response.status == 304 || response.status == 204;
  if (!bodyless) {
    if (!response.content_type.empty()) append_header(out, "Content-Type", response.content_type);
    append_header(out, "Content-Length", std::to_string(response.body.size()));
  }
  for (const Header& header : response.headers) append_header(out, header.name, header.value);
  out.append("\r\n"sv);
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 507: return "Insufficient Storage";
    default: return "Unknown";
  }
}

}  // namespace svc::http
