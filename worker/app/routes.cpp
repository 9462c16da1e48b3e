#include "app/routes.h"

#include <utility>
#include <vector>

#include "endpoints/body_fields.h"
#include "fastcgi/request_inspection.h"
#include "http/api_error.h"
#include "http/cors.h"
#include "text/json.h"

namespace svc::app {
namespace {

template <std::size_t N>
std::string_view name(const std::array<std::string_view, N>& names, auto value) {
  return names.at(static_cast<std::size_t>(value));
}

// The most that nginx passes on; 0: the limit of every request, or of files.
constexpr std::int64_t kib_of(Body body) {
  switch (body) {
    case Body::Form:
    case Body::File: return 0;
    case Body::Record: return endpoints::kMaxRecordBody / 1024;
    case Body::Captions: return endpoints::kMaxCaptionsBody / 1024;
  }
  return 0;
}

static_assert(fastcgi::Limits().body >= endpoints::kMaxCaptionsBody);

}  // namespace

std::string routes_json() {
  constexpr std::array<std::string_view, 5> kRoles{"embed", "grant", "web", "upload", "each"};
  // As nginx has them.
  constexpr std::array<std::string_view, 8> kForms{"json",   "api",  "oauth", "xml",
                                                   "format", "html", "html",  "html"};
  constexpr std::array<std::string_view, 10> kZones{
      "login",  "authorize", "settings", "token",      "upload",
      "oembed", "embed",     "viewing",  "introspect", "text"};
  const auto names_of = [](Hosts hosts) {
    std::vector<std::string_view> names;
    for (const Server& server : servers()) {
      if ((hosts & server.host) != 0) names.push_back(server.name);
    }
    return names;
  };
  std::string out;
  text::json::ObjectWriter all(out);
  all.strings("exposed", http::cors::kExposed);
  text::json::ArrayWriter hosts(all.raw("hosts"));
  for (const Server& server : servers()) {
    text::json::ObjectWriter(hosts.next())
        .string("name", server.name)
        .string("setting", server.setting)
        .string("needs", server.needs)
        .string("about", server.about)
        .end();
  }
  hosts.end();
  text::json::ArrayWriter folders(all.raw("files"));
  for (const Files& row : files()) {
    text::json::ObjectWriter(folders.next())
        .string("pattern", row.path.pattern)
        .strings("hosts", names_of(row.path.hosts))
        .string("about", row.about)
        .end();
  }
  folders.end();
  text::json::ArrayWriter codes(all.raw("codes"));
  for (const http::ApiCode& row : http::kApiCodes)
    text::json::ObjectWriter(codes.next())
        .string("code", row.name)
        .integer("status", row.status)
        .end();
  codes.end();
  text::json::ArrayWriter rows(all.raw("routes"));
  for (const Route& row : routes()) {
    std::vector<std::string_view> zones;
    for (std::size_t i = 0; i < kZones.size(); ++i) {
      if ((row.zones >> i & 1) != 0) zones.push_back(kZones.at(i));
    }
    text::json::ObjectWriter(rows.next())
        .string("pattern", row.path.pattern)
        .strings("hosts", names_of(row.path.hosts))
        .string("role", name(kRoles, row.role))
        .string("methods", row.methods)
        .string("errors", name(kForms, row.errors))
        .strings("zones", zones)
        .boolean("needs_store", row.store == Store::Needed)
        .boolean("takes_file", row.body == Body::File)
        .boolean("is_compressed", is_compressed(row.id))
        .integer("body_kib", kib_of(row.body))
        .string("scopes", row.scopes)
        .string("about", row.about)
        .end();
  }
  rows.end();
  all.end();
  out += '\n';
  return out;
}

}  // namespace svc::app
