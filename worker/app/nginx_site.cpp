#include "app/nginx_site.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/routes.h"
#include "base/paths.h"
#include "text/uri.h"

namespace svc::app {
namespace {

// A host name, and the settings that name it.
struct Named {
  std::string name;
  Hosts hosts = 0;
};

constexpr std::uint16_t kHttps = 443;

constexpr std::string_view kHead =
    R"(# The site of svc: the addresses and names of its servers, printed by `svcctl nginx` from
# /etc/svc/svc.conf. Without an include line for svc-limits-rates.conf there are no rate limits, and
# without that of svc-micro-cache.conf nginx caches no responses.

include svc/svc-log.conf;
include svc/svc-headers-values.conf;
include svc/svc-errors-values.conf;
include svc/svc-health-values.conf;
include svc/svc-upstreams.conf;
include svc/svc-whom.conf;
include svc/svc-limits-rates.conf;
include svc/svc-micro-cache.conf;
include svc/svc-thumbnails-cache.conf;

# For names of up to 253 characters. Default: 32, 64 or 128, by the processor.
server_names_hash_bucket_size 512;

# A request for an unknown name gets no response except health: scanners, and pages that made a browser
# resolve their own name to our address (DNS rebinding).
server {
    # Named default on purpose; without one the first server of all files answers for every unknown
    # name. For IPv6 add its address in every server, such as [::]:80. Default: *:80.
)";

constexpr std::string_view kRejected = R"(
    # HTTP/2 in the form of nginx before 1.25: all servers of an address say it. A client that requests an
    # unknown host gets no certificate, and so no list of our names. A load balancer's check by TLS has to
    # send one of our names (SNI); on port 80 it need not. Defaults: none; off.
    include svc/svc-tls.conf;
    ssl_reject_handshake on;
)";

constexpr std::string_view kDefault = R"(
    # A name that no request can have, so that only the default above leads here. Default: "".
    server_name _;
    include svc/svc-closed.conf;

    # Load balancers that check an address and name no host. The pools of this machine: leave out those of
    # others. No default.
    set $svc_needs "{needs}";
    include svc/svc-alive.conf;

    # Closes the connection without an answer (nginx's own code). Default: files below html/.
    location / { return 444; }
}
)";

constexpr std::string_view kRedirect = R"(
# A request without https is only redirected: its content was already on the network in clear text.
server {
    # The names below, on the port of clear text. Defaults: *:80; "".
    listen 80;
    server_name {names};
    include svc/svc-closed.conf;

    # The request line as it came, which cannot hold a line end. $host is one of the names above.
    # Default: files below html/.
    location / { return 301 https://$host$request_uri; }
}
)";

std::string filled(std::string_view text, std::string_view mark, std::string_view value) {
  std::string out(text);
  out.replace(out.find(mark), mark.size(), value);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Returns the pools that /readyz of these hosts asks, in the order of the table.
std::string needs_of(Hosts hosts) {
  std::vector<std::string> needs;
  for (const std::string_view pool : {"embed", "grant", "web", "upload"}) {
    const bool is_needed = std::ranges::any_of(servers(), [&](const Server& server) {
      return (server.host & hosts) != 0 && server.needs.find(pool) != std::string_view::npos;
    });
    if (is_needed) needs.emplace_back(pool);
  }
  return joined(needs);
}

std::string names_of(Hosts hosts) {
  std::string out;
  for (const Server& server : servers()) {
    if ((server.host & hosts) != 0) out += "-" + std::string(server.name);
  }
  return out;
}

// Returns the lines that give a server the paths of these hosts: one file for a host alone or for
// all, otherwise the file of each set of hosts that has paths of its own.
std::string includes_of(Hosts hosts) {
  const auto is_one = [&](const Server& server) { return server.host == hosts; };
  if (hosts == base::hosts::kEvery) return "    include svc/svc-server-all.conf;\n";
  if (std::ranges::any_of(servers(), is_one))
    return "    include svc/svc-server" + names_of(hosts) + ".conf;\n";
  std::string out =
      "\n    # The pools of its health (svc-alive.conf). No default.\n    set $svc_needs \"" +
      needs_of(hosts) + "\";\n    include svc/svc-server.conf;\n";
  std::vector<Hosts> sets;
  const auto add = [&](Hosts set) {
    if (set != base::hosts::kEvery && (set & hosts) != 0 &&
        std::ranges::find(sets, set) == sets.end())
      sets.push_back(set);
  };
  for (const Route& row : routes()) add(row.path.hosts);
  for (const Files& row : files()) add(row.path.hosts);
  for (const Hosts set : sets) out += "    include svc/svc-paths" + names_of(set) + ".conf;\n";
  return out;
}

std::vector<Named> named(const embed::Site& site, bool media_domains) {
  std::vector<Named> found;
  const auto add = [&](const std::string& name, Hosts host) {
    for (Named& each : found) {
      if (each.name == name) {
        each.hosts |= host;
        return;
      }
    }
    found.push_back({name, host});
  };
  for (const Server& server : servers())
    add(text::host_header(site.base_of(server.host)), server.host);
  if (!media_domains) return found;
  Named& players = *std::ranges::find_if(
      found, [](const Named& each) { return (each.hosts & base::hosts::kEmbed) != 0; });
  std::string more;
  for (const std::string* domain : {&site.service_domain, &site.short_domain}) {
    if (domain->empty()) continue;
    if (std::ranges::find(found, *domain, &Named::name) == found.end()) more += " " + *domain;
    more += " *." + *domain;
  }
  players.name += more;
  return found;
}

}  // namespace

std::vector<std::string> warnings_of_site(const embed::Site& site, SiteChoices choices) {
  std::vector<std::string> warnings;
  if (!choices.tls) return warnings;
  for (const Server& server : servers()) {
    const std::string& url = site.base_of(server.host);
    // The other settings are app-url unless they are set.
    if (server.host != base::hosts::kApp && url == site.app_url) continue;
    const auto uri = text::parse_http_uri(url);
    if (uri && uri->secure && uri->port == kHttps) continue;
    warnings.push_back(
        std::string(server.setting) + " is " + url +
        ", which this site does not serve: with --tls it answers https:// on port 443 "
        "and only redirects http:// on port 80");
  }
  return warnings;
}

std::string nginx_site(const embed::Site& site, SiteChoices choices) {
  const std::vector<Named> all = named(site, choices.media_domains);
  const std::string_view listen = choices.tls ? "    listen 443 ssl http2" : "    listen 80";
  std::string out(kHead);
  out += "    listen 80 default_server;\n";
  if (choices.tls) out.append(listen).append(" default_server;\n").append(kRejected);
  out += filled(kDefault, "{needs}", needs_of(base::hosts::kEvery));
  if (choices.tls) {
    std::vector<std::string> names;
    for (const Named& each : all) names.push_back(each.name);
    out += filled(kRedirect, "{names}", joined(names));
  }
  for (const Named& each : all) {
    out += "\n";
    for (const Server& server : servers()) {
      if ((server.host & each.hosts) != 0)
        out += "# " + std::string(server.setting) + ": " + std::string(server.about) + ".\n";
    }
    out += "server {\n    # The same address, not as its default. Defaults: *:80; \"\".\n";
    out.append(listen).append(";\n    server_name ").append(each.name).append(";\n");
    if (choices.tls)
      out += "    include svc/svc-certificate.conf;\n    include svc/svc-tls.conf;\n";
    out += includes_of(each.hosts) + "}\n";
  }
  return out;
}

}  // namespace svc::app
