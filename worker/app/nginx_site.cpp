#include "app/nginx_site.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/routes.h"
#include "base/number.h"
#include "base/path.h"
#include "text/uri.h"
#include "text/word_list.h"

namespace svc::app {
namespace {

// A host name, and the settings that name it.
struct NamedHosts {
  std::string name;
  Hosts hosts = 0;
};

constexpr std::uint16_t kHttps = 443;

constexpr std::string_view kHead =
    R"(# The site of svc: the addresses and names of its servers, printed by `svcctl nginx` from
# /etc/svc/svc.conf and the files of svc.conf.d.

include svc/svc-http.conf;

# Without the first line there are no rate limits, without the second nginx caches no responses.
include svc/svc-limits-rates.conf;
include svc/svc-micro-cache.conf;

# A request for an unknown name gets no response except health: scanners, and pages that made a browser
# resolve their own name to our address (DNS rebinding).
server {
    # Named default on purpose; without one the first server of all files answers for every unknown
    # name. On a machine without IPv6 remove the lines with [::] from every server. Default: *:80.
)";

constexpr std::string_view kRejected = R"(
    # HTTP/2: all servers of an address say it. A client that requests an unknown host gets no certificate, and
    # so no list of our names. A load balancer's check by TLS has to send one of our names (SNI); on port 80 it
    # need not. Defaults: none; off.
{http2}    include svc/svc-tls.conf;
    ssl_reject_handshake on;
)";

constexpr std::string_view kDefault = R"(
    # A name that no request can have, so that only the default above leads here. Default: "".
    server_name _;
    include svc/svc-closed.conf;
    # Answers challenges for names that the site does not have yet.
    include svc/svc-acme.conf;

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
{listen}    server_name {names};
    include svc/svc-closed.conf;
    include svc/svc-acme.conf;

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

constexpr std::string_view kCertificate = R"(
    # For all names of the site, leaf first, then what leads to a root; the key is root's, 0600: nginx reads
    # both before it gives up its rights. A reload takes renewed ones. No default.
    ssl_certificate     {certificate};
    ssl_certificate_key {key};
)";

// Of IPv4 and IPv6. `words` begin with the port.
std::string listens(const std::string& words) {
  return "    listen " + words + ";\n    listen [::]:" + words + ";\n";
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
  return text::joined(needs, " ");
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

std::vector<NamedHosts> named(const embed::Site& site, bool media_domains) {
  std::vector<NamedHosts> found;
  const auto add = [&](const std::string& name, Hosts host) {
    for (NamedHosts& each : found) {
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
  NamedHosts& players = *std::ranges::find_if(
      found, [](const NamedHosts& each) { return (each.hosts & base::hosts::kEmbed) != 0; });
  std::string more;
  for (const std::string* domain : {&site.service_domain, &site.short_domain}) {
    if (domain->empty()) continue;
    if (std::ranges::find(found, *domain, &NamedHosts::name) == found.end()) more += " " + *domain;
    more += " *." + *domain;
  }
  players.name += more;
  return found;
}

std::string certificate_of(const SiteChoices& choices) {
  if (choices.certificate.empty()) return "    include svc/svc-certificate.conf;\n";
  return filled(filled(kCertificate, "{certificate}", choices.certificate), "{key}", choices.key);
}

}  // namespace

bool has_http2_directive(std::string_view version) {
  constexpr std::array<unsigned, 3> kFirst{1, 25, 1};
  constexpr std::string_view kBefore = "nginx/";
  const std::size_t at = version.find(kBefore);
  if (at == std::string::npos) return false;
  std::string_view rest = version.substr(at + kBefore.size());
  std::array<unsigned, 3> numbers{};
  for (unsigned& number : numbers) {
    const auto read = base::take_number<unsigned>(rest);
    if (!read) return false;
    number = *read;
    if (rest.starts_with('.')) rest.remove_prefix(1);
  }
  return numbers >= kFirst;
}

std::vector<std::string> warnings_of_site(const embed::Site& site, const SiteChoices& choices) {
  std::vector<std::string> warnings;
  if (!choices.tls) return warnings;
  for (const Server& server : servers()) {
    const std::string& url = site.base_of(server.host);
    // The other settings are app-url unless they are set.
    if (server.host != base::hosts::kApp && url == site.app_url) continue;
    const auto uri = text::parse_http_uri(url);
    if (uri && uri->secure && uri->port == kHttps) continue;
    warnings.push_back(std::string(server.setting) + " is " + url +
                       ", which this site does not serve: with TLS it answers https:// on port 443 "
                       "and only redirects http:// on port 80");
  }
  return warnings;
}

std::vector<std::string> names_of_site(const embed::Site& site, const SiteChoices& choices) {
  std::vector<std::string> names;
  for (const NamedHosts& each : named(site, choices.media_domains)) {
    std::istringstream words(each.name);
    for (std::string name; words >> name;) names.push_back(name);
  }
  return names;
}

std::string nginx_site(const embed::Site& site, const SiteChoices& choices) {
  const std::vector<NamedHosts> all = named(site, choices.media_domains);
  const std::string port = !choices.tls              ? "80"
                           : choices.http2_directive ? "443 ssl"
                                                     : "443 ssl http2";
  const std::string http2 = choices.http2_directive ? "    http2 on;\n" : "";
  std::string out(kHead);
  out += listens("80 default_server");
  if (choices.tls) out += listens(port + " default_server") + filled(kRejected, "{http2}", http2);
  out += filled(kDefault, "{needs}", needs_of(base::hosts::kEvery));
  if (choices.tls) {
    const std::string names = text::joined(names_of_site(site, choices), " ");
    out += filled(filled(kRedirect, "{names}", names), "{listen}", listens("80"));
  }
  for (const NamedHosts& each : all) {
    out += "\n";
    for (const Server& server : servers()) {
      if ((server.host & each.hosts) != 0)
        out += "# " + std::string(server.setting) + ": " + std::string(server.about) + ".\n";
    }
    out += "server {\n    # The same addresses, not as their default. Defaults: *:80; \"\".\n";
    out += listens(port) + "    server_name " + each.name + ";\n";
    if (choices.tls) {
      out += http2;
      out += certificate_of(choices) + "    include svc/svc-tls.conf;\n";
    }
    out += includes_of(each.hosts) + "}\n";
  }
  return out;
}

}  // namespace svc::app
