#include "app/options.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <system_error>
#include <type_traits>

#include "base/inet_address.h"
#include "base/number.h"
#include "media/id.h"
#include "media/playlist.h"
#include "text/ascii.h"
#include "text/csp_source.h"
#include "text/nearest.h"
#include "text/uri.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::app {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kYear = 31'536'000;  // seconds
constexpr unsigned kMostReplicas = 8;

using Error = std::optional<std::string>;  // nullopt, or the values that are allowed

struct Definition {
  const char* name;
  std::string preset;  // the default, as written in a file
  const char* help;
  std::function<Error(const std::string&)> set;
  std::optional<NumberSetting> number{};
};

template <class Field>
Definition setting(const char* name, const char* preset, const char* help, Field& field,
                   Error (*set)(Field&, const std::string&)) {
  return {name, preset, help, [&field, set](const std::string& text) { return set(field, text); }};
}

// A number of units of an integer or a duration. The default is the value of `field`.
template <class Field, class Unit = std::int64_t>
Definition number(const char* name, const char* help, std::int64_t low, std::int64_t high,
                  Field& field, Unit unit = 1) {
  std::int64_t preset = 0;
  if constexpr (std::is_integral_v<Field>) {
    preset = static_cast<std::int64_t>(field) / unit;
  } else {
    preset = static_cast<std::int64_t>(field / unit);
  }
  return {name, std::to_string(preset), help,
          [=, &field](const std::string& text) -> Error {
            const auto value = base::parse_number<std::int64_t>(text, low, high);
            if (!value) {
              return "must be an integer from " + std::to_string(low) + " to " +
                     std::to_string(high);
            }
            field = static_cast<Field>(*value * unit);
            return std::nullopt;
          },
          NumberSetting{name, preset, low, high}};
}

// Returns true for an address, and for a name as in RFC 1123 §2.1, plus underscores: labels of 1 to
// 63 characters that begin and end with a letter or digit.
bool is_host(std::string_view host) {
  const auto is_host_char = [](char c) { return text::is_alnum(c) || c == '-' || c == '_'; };
  if (base::InetAddress::of(std::string(host), 0)) return true;
  while (true) {
    const std::string_view label = host.substr(0, host.find('.'));
    if (label.empty() || label.size() > 63 || !text::is_alnum(label.front()) ||
        !text::is_alnum(label.back()) || !std::ranges::all_of(label, is_host_char))
      return false;
    if (label.size() == host.size()) return !text::ends_in_number(label);
    host.remove_prefix(label.size() + 1);
  }
}

// An absolute URL without a slash, query or fragment at its end. Kept with scheme and host in lower
// case and without the scheme's own port.
Error set_url(std::string& field, const std::string& text) {
  const auto uri = text::parse_http_uri(text);
  if (!uri || !text::is_http_uri_or_path(text) ||
      text.find_first_of("?#!$&'()*+,;=@") != std::string::npos || text.ends_with('/')) {
    return "must be an absolute http(s) URL that does not end with a slash, query or fragment";
  }
  if (!is_host(uri->host)) return "must have a valid host name, such as media.example";
  // As browsers write it (RFC 3986 §6.2.2.1, §6.2.3): Origin is compared with it, and https decides
  // about cookies.
  field = (uri->secure ? "https://" : "http://") + text::host_header(text);
  if (uri->port != (uri->secure ? 443 : 80)) field += ":" + std::to_string(uri->port);
  field += uri->path;
  return std::nullopt;
}

// Returns the name of a part that a URL has in addition to scheme, host and port; "" if it has only
// these.
std::string_view surplus_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return "";
  url.remove_prefix(scheme + 3);
  const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  if (authority.find('@') != std::string_view::npos) return "user name";
  url.remove_prefix(authority.size());
  if (url.find('#') != std::string_view::npos) return "fragment";
  if (url.find('?') != std::string_view::npos) return "query";
  if (url == "/") return "slash at the end";
  return url.empty() ? "" : "path";
}

// Such a URL without a path: clients find the paths of our hosts from the root
// on, as RFC 8414 §3.1 does those of an issuer, and nginx serves them nowhere
// else.
Error set_origin(std::string& field, const std::string& text) {
  const std::string_view surplus = surplus_of(text);
  if (surplus.empty() && text::parse_http_uri(text)) return set_url(field, text);
  return "must be http:// or https://, a host and possibly a port, such as https://media.example" +
         (surplus.empty() ? "" : ", without a " + std::string(surplus));
}

// Such a value, or "": replaced by another setting in the end.
template <Error (*set)(std::string&, const std::string&)>
Error or_empty(std::string& field, const std::string& text) {
  if (!text.empty()) return set(field, text);
  field.clear();
  return std::nullopt;
}

Error set_domain(std::string& field, const std::string& text) {
  const std::string with_scheme = "http://" + text;
  const auto uri = text::parse_http_uri(with_scheme);
  if (!uri || uri->host != text || !is_host(text) || base::InetAddress::of(text, 0))
    return "must be a domain name such as media.example, without a dot at either end";
  field = text::to_lower(text);
  return std::nullopt;
}

Error set_text(std::string& field, const std::string& text) {
  field = text;
  return std::nullopt;
}

Error set_media(std::string& field, const std::string& text) {
  if (!text.empty() && !media::HashedId::parse(text))
    return "must be the id of a media: at most " + std::to_string(media::HashedId::kMaxLength) +
           " letters and digits";
  field = text;
  return std::nullopt;
}

// The name appears in JSON, XML and pages.
Error set_name(std::string& field, const std::string& text) {
  bool plain = text::is_utf8(text);
  for (std::size_t i = 0; plain && i < text.size(); ++i) {
    // U+0080 to U+009F are controls too, two bytes each.
    plain = !text::is_control(text[i]) &&
            !(text[i] == '\xc2' && static_cast<unsigned char>(text[i + 1]) < 0xa0);
  }
  if (!plain) return "must be UTF-8 without control characters";
  field = text;
  return std::nullopt;
}

// Pairs of an email and a password. Neither contains a space.
Error set_demo_users(std::string& field, const std::string& text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && (i == 0 || text[i - 1] == ' ')) ++words;
  }
  if (words % 2 != 0) return "must have a password after each email";
  return set_name(field, text);
}

// RFC 9116 §2.5.3: URIs, of the web by TLS only.
Error set_contacts(std::string& field, const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string_view rest = std::string_view(word).substr(word.find(':') + 1);
    const bool is_known = (word.starts_with("mailto:") && rest.find('@') != std::string::npos) ||
                          (word.starts_with("https://") && text::parse_http_uri(word)) ||
                          (word.starts_with("tel:") && !rest.empty());
    if (!is_known || !std::ranges::all_of(word, [](char c) { return c > ' ' && c < '\x7f'; }))
      return "must be URIs that begin with mailto:, https:// or tel:, separated by spaces";
  }
  field = text;
  return std::nullopt;
}

// Six hexadecimal digits, as in a style sheet, but without the #, which begins a comment.
Error set_colour(std::string& field, const std::string& text) {
  if (text.size() != 6 || !base::parse_number<std::uint32_t>(text, 0U, 0xffffffU, 16))
    return "must be six hexadecimal digits without #, such as 1456c4";
  field = text::to_lower(text);
  return std::nullopt;
}

// A link on pages: of the web, or to a mailbox.
Error set_link(std::string& field, const std::string& text) {
  const std::string_view rest =
      std::string_view(text).substr(std::min(text.size(), text.find(':') + 1));
  const bool is_known = (text.starts_with("mailto:") && rest.find('@') != std::string::npos) ||
                        text::parse_http_uri(text).has_value();
  if (!is_known || !std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; }))
    return "must be a URI that begins with https://, http:// or mailto:, such as "
           "https://media.example/help";
  field = text;
  return std::nullopt;
}

// The ending names the type.
Error set_logo(std::string& field, const std::string& text) {
  const bool is_known = text.ends_with(".svg") || text.ends_with(".png") || text.ends_with(".ico");
  if (!text.empty() && (!text.starts_with('/') || !is_known))
    return "must be an absolute path that ends in .svg, .png or .ico";
  field = text;
  return std::nullopt;
}

Error set_redis_url(redis::Address& field, const std::string& text) {
  auto address = redis::Address::parse(text);
  if (!address) return address.error();
  field = std::move(*address);
  return std::nullopt;
}

// "": as the state, for which the number is redis-wait-replicas.
Error set_catalog_replicas(std::optional<unsigned>& field, const std::string& text) {
  field = base::parse_number<unsigned>(text, 0U, kMostReplicas);
  if (field || text.empty()) return std::nullopt;
  return "must be empty or an integer from 0 to " + std::to_string(kMostReplicas);
}

Error set_catalog_url(std::optional<redis::Address>& field, const std::string& text) {
  field.reset();
  return text.empty() ? std::nullopt : set_redis_url(field.emplace(), text);
}

// Accepts values that a line of the file can contain: Boost cuts a value at any
// #, strips spaces at its ends, and knows no quotes. A flag with another value
// could not be printed.
Error check_in_a_line(const std::string& text) {
  bool plain =
      text.find('#') == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  for (const char c : text) plain &= !text::is_control(c);
  if (plain) return std::nullopt;
  return "must not contain # or a control character, nor begin or end with a space: a line of the "
         "configuration file cannot contain such a value";
}

Error set_roles(Roles& field, const std::string& text) {
  Roles roles{false, false, false, false};
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "embed") {
      roles.embed = true;
    } else if (word == "grant") {
      roles.grant = true;
    } else if (word == "web") {
      roles.web = true;
    } else if (word == "upload") {
      roles.upload = true;
    } else if (word == "all") {
      roles = Roles();
    } else {
      return "must be a list of embed, grant, web, upload, or all";
    }
  }
  if (!roles.embed && !roles.grant && !roles.web && !roles.upload)
    return "must be a list of embed, grant, web, upload, or all";
  field = roles;
  return std::nullopt;
}

// An absolute path without a slash at its end.
Error set_folder(std::string& field, const std::string& text) {
  if (!text.starts_with('/') || text.ends_with('/'))
    return "must be an absolute path that does not end with a slash";
  field = text;
  return std::nullopt;
}

Error set_listen(std::string& field, const std::string& text) {
  if (!text.empty() &&
      (text.find('/') == std::string::npos || text.find("://") != std::string::npos)) {
    return "must be the path of a unix socket; TCP is never used, because every client that can "
           "connect can crash a worker";
  }
  field = text;
  return std::nullopt;
}

Error set_listen_mode(unsigned& field, const std::string& text) {
  const auto mode = base::parse_number<unsigned>(text, 0600, 0660, 8);
  if (!mode || (*mode & 0117) != 0) {
    return "must be 0600, 0620, 0640 or 0660: only the owner and nginx's group may have access to "
           "the socket";
  }
  field = *mode;
  return std::nullopt;
}

Error set_log_level(base::log::Level& field, const std::string& text) {
  const std::map<std::string, base::log::Level> levels{{"debug", base::log::Level::Debug},
                                                       {"info", base::log::Level::Info},
                                                       {"warn", base::log::Level::Warn},
                                                       {"error", base::log::Level::Error}};
  const auto found = levels.find(text);
  if (found == levels.end()) return "must be debug, info, warn or error";
  field = found->second;
  return std::nullopt;
}

Error set_on_or_off(bool& field, const std::string& text) {
  if (text != "on" && text != "off") return "must be on or off";
  field = text == "on";
  return std::nullopt;
}

// Hosts as oauth/document_client.h compares them: in lower case.
Error set_document_hosts(std::vector<std::string>& field, const std::string& text) {
  std::vector<std::string> hosts;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool is_local = word == "[::1]" || word == "127.0.0.1";
    if (word != "*" && !is_local && (!is_host(word) || base::InetAddress::of(word, 0)))
      return "must be host names without scheme, port and path, separated by spaces, or *";
    hosts.push_back(text::to_lower(word));
  }
  field = std::move(hosts);
  return std::nullopt;
}

Error set_document_scopes(oauth::ScopeSet& field, const std::string& text) {
  const auto scopes = oauth::ScopeSet::parse(text);
  if (!scopes || scopes->empty())
    return "must be some of " + oauth::ScopeSet::list_of_names() + ", separated by spaces";
  field = *scopes;
  return std::nullopt;
}

Error set_cache_age(std::optional<int>& field, const std::string& text) {
  field = base::parse_number<int>(text, 0, kYear);
  if (!field && text != "off") return "must be off or an integer from 0 to 31536000";
  return std::nullopt;
}

Error set_rendering_cache(stores::RenderingSettings& field, const std::string& text) {
  if (text != "on" && text != "playlists" && text != "off") return "must be off, playlists or on";
  field.of_media = text == "on";
  field.of_playlists = text != "off";
  return std::nullopt;
}

// Returns the definitions of all settings. They write to `o`, which must outlive
// them. The default of a number is its value in `o`.
std::vector<Definition> definitions_of(Options& o) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  constexpr std::int64_t kMiB = 1 << 20;
  // The compiler rejects a member that is missing here.
  auto& [code, access, refresh_idle, public_idle, public_lifetime, live_access_tokens,
         applications_per_account, tokens_per_account, documents] = o.limits;
  auto& [uploads, unfinished_uploads, state_of_uploads, bytes_of_uploads, longest_upload] =
      o.uploads;
  auto& [caption_bytes] = o.captions;
  return {
      setting(
          "roles", "all",
          "requests that the pool answers: a comma-separated list of embed, grant, web and upload, "
          "or all",
          o.roles, set_roles),
      setting(
          "listen", "",
          "path of the unix socket that nginx connects to; not needed if systemd passes a socket",
          o.listen, set_listen),
      setting("listen-mode", "0660", "octal mode of that socket: 0600, 0620, 0640 or 0660",
              o.listen_mode, set_listen_mode),
      number("backlog", "maximum number of connections that wait for a worker to accept them", 1,
             65535, o.backlog),
      setting("pid-file", "",
              "file for the parent's process id, written once the pool listens and removed when it "
              "ends; "
              "empty: no file",
              o.pid_file, set_text),
      number("workers", "number of worker processes", 1, 512, o.pool.workers),
      number("max-requests",
             "requests after which a worker is replaced, give or take 25 %; it continues while the "
             "store is "
             "unavailable; 0: no limit",
             0, 1'000'000'000'000, o.pool.worker.max_requests),
      number("memory-limit", "private memory in MiB above which a worker is replaced; 0: no limit",
             0, 65536, o.pool.worker.memory_limit, kMiB),
      number("request-timeout", "time limit of a request in ms; then it is answered with 503", 10,
             600'000, o.pool.worker.request_timeout, milliseconds(1)),
      number("max-in-flight",
             "maximum number of requests per worker that use the store at the same time", 1,
             100'000, o.pool.worker.max_in_flight),
      number("max-queued",
             "maximum number of further requests per worker that are queued; the others get 503. "
             "Cache hits never queue",
             0, 100'000, o.pool.worker.max_queued),
      number("queue-timeout",
             "time limit in that queue in ms; then the request is answered with 503", 1, 600'000,
             o.pool.worker.queue_timeout, milliseconds(1)),
      number("read-timeout", "time limit in ms from the first byte of a request to its last", 10,
             600'000, o.pool.worker.listener.read_timeout, milliseconds(1)),
      number("write-timeout", "time limit in ms without progress while a response is sent", 10,
             600'000, o.pool.worker.listener.write_timeout, milliseconds(1)),
      number("idle-timeout",
             "idle time in s after which a connection is closed; must be longer than nginx's own "
             "timeout",
             1, 86'400, o.pool.worker.listener.idle_timeout, seconds(1)),
      number("drain-timeout",
             "time in s that a draining worker waits for nginx to close its connections", 0, 3'600,
             o.pool.worker.drain_timeout, seconds(1)),
      number("max-body", "maximum size of a request body in bytes", 0, 16 << 20,
             o.pool.worker.listener.limits.body),
      setting(
          "app-url", "http://127.0.0.1:8080",
          "URL, without a path, of the web application: login, settings and authorization pages",
          o.site.app_url, set_origin),
      setting("base-url", "", "URL, without a path, of the API host; empty: app-url",
              o.site.base_url, or_empty<set_origin>),
      setting("oembed-url", "", "URL, without a path, of the oEmbed host; empty: app-url",
              o.site.oembed_url, or_empty<set_origin>),
      setting("embed-host", "",
              "URL, without a path, of the host of players and embed assets; empty: app-url",
              o.site.embed_host, or_empty<set_origin>),
      setting("asset-base", "", "prefix of the URLs of assets; empty: embed-host",
              o.site.asset_base, or_empty<set_url>),
      setting("service-domain", "svc.localhost", "domain of media URLs; its subdomains count too",
              o.site.service_domain, set_domain),
      setting("short-domain", "", "second domain of media URLs; empty: none", o.site.short_domain,
              or_empty<set_domain>),
      setting("provider-name", "svc", "provider_name in oEmbed responses", o.site.provider_name,
              set_name),
      setting("provider-url", "", "provider_url in oEmbed responses; empty: app-url",
              o.site.provider_url, or_empty<set_url>),
      setting("example-media", "",
              "id of a media that the entry for registries of providers has as an example, and "
              "that plays "
              "on the start page; empty: none",
              o.site.example_media, set_media),
      setting("security-contact", "",
              "URIs for reports of vulnerabilities, separated by spaces, such as "
              "mailto:security@media.example, that /.well-known/security.txt names; empty: no such "
              "file",
              o.site.security_contact, set_contacts),
      setting(
          "logo-file", "",
          "SVG, PNG or ICO file of a square logo, at most 64 KiB, for the bar of all pages and as "
          "their icon; empty: that of svc",
          o.logo_file, set_logo),
      setting(
          "accent-colour", "",
          "colour of buttons and links of all pages, as six hexadecimal digits; links are as much "
          "darker or lighter as a contrast of 4.5:1 needs; empty: that of svc",
          o.site.accent_colour, or_empty<set_colour>),
      setting(
          "help-url", "",
          "URL or mailto: URI for users who need help, in the foot of all pages and for those who "
          "forgot their password; empty: none",
          o.site.help_url, or_empty<set_link>),
      setting("terms-url", "", "URL of the terms, in the foot of all pages; empty: none",
              o.site.terms_url, or_empty<set_link>),
      setting("privacy-url", "", "URL of the privacy policy, in the foot of all pages; empty: none",
              o.site.privacy_url, or_empty<set_link>),
      setting("amp-script-url", "",
              "URL of the AMP component that the page of embed codes names; empty: no AMP codes",
              o.site.amp_script_url, or_empty<set_url>),
      setting("demo-gallery", "",
              "URL of a page of all embed codes that / links to; for a demonstration only",
              o.site.demo_gallery, or_empty<set_url>),
      setting("demo-users", "",
              "emails and passwords, separated by spaces, that / shows to every visitor; for a "
              "demonstration only",
              o.site.demo_users, set_demo_users),
      number("oembed-max-age", "max-age in s in Cache-Control of oEmbed responses", 0, kYear,
             o.oembed.max_age),
      number("oembed-stale-while-revalidate",
             "stale-while-revalidate in s in Cache-Control of oEmbed responses", 0, kYear,
             o.oembed.stale_while_revalidate),
      number("oembed-negative-max-age", "max-age in s in Cache-Control of oEmbed errors", 0, 300,
             o.oembed.negative_max_age),
      number("page-max-age",
             "max-age in s in Cache-Control of player pages, media pages and player data", 0, kYear,
             o.page_max_age),
      number("manifest-max-age", "max-age in s in Cache-Control of manifests", 0, kYear,
             o.manifest_max_age),
      setting("oembed-cache-age", "off",
              "value in s of cache_age in oEmbed responses; off: no such key", o.oembed.cache_age,
              set_cache_age),
      setting("redis-state", "unix:///run/svc/redis-state.sock",
              "URL of the Redis server for grants, codes, tokens and sessions, and for all of "
              "redis-catalog unless that is set: unix:///path[?db=N] or redis://host[:port][/N], "
              "sentinel://host[:port],.../name[?db=N] (the primary of that name) or "
              "cluster://host[:port],... (some of its nodes)",
              o.redis_state, set_redis_url),
      setting("redis-catalog", "",
              "URL of the Redis server for accounts, users, media, applications, account tokens, "
              "jobs, statistics and the audit trail, in the same form, but no cluster; empty: "
              "redis-state, unless that is a cluster",
              o.redis_catalog, set_catalog_url),
      setting("redis-cache", "unix:///run/svc/redis-cache.sock",
              "URL of the Redis server for the shared cache, in the same form", o.redis_cache,
              set_redis_url),
      number("memory-cache-size", "size in MiB of each worker's cache of responses; 0: no cache", 0,
             4096, o.cache.memory, kMiB),
      number("memory-cache-unheard",
             "time in s that a cached response stays fresh without contact to the state Redis", 2,
             3'600, o.cache.max_silence, seconds(1)),
      number("memory-cache-stale",
             "time in s that a stale response may still be sent while the store is unavailable; 0: "
             "never",
             0, kYear, o.cache.stale, seconds(1)),
      number("memory-cache-refusals",
             "maximum number of cached error responses per worker; 0: none", 0, 1'000'000,
             o.cache.refusals),
      number("memory-cache-refusal-lifetime", "time in s that an error response stays cached", 1,
             3'600, o.cache.refusal_lifetime, seconds(1)),
      setting("rendering-cache", "playlists",
              "data that redis-cache shares between workers: playlists: the data of responses for "
              "playlists; on: also the responses and manifests of media; off: nothing",
              o.renderings, set_rendering_cache),
      number("rendering-lifetime", "maximum time in s that such data stays in redis-cache", 1,
             86'400, o.renderings.lifetime),
      number("renderings-per-media",
             "maximum number of variants in redis-cache per media or playlist", 1, 10'000,
             o.renderings.per_media),
      setting("redis-user", "", "ACL user at these Redis servers; empty: the default user",
              o.redis_user, set_text),
      setting("redis-password-file", "",
              "file with the password for these Redis servers; empty: no password",
              o.redis_password_file, set_text),
      setting("sentinel-user", "", "ACL user at the Sentinels; empty: the default user",
              o.sentinel_user, set_text),
      setting("sentinel-password-file", "",
              "file with the password for the Sentinels; empty: no password",
              o.sentinel_password_file, set_text),
      setting(
          "redis-tls-ca-file", "",
          "PEM file of the CAs that may issue the certificates of rediss:// servers; empty: the "
          "CAs of the system",
          o.redis_tls.ca, set_text),
      setting("redis-tls-cert-file", "",
              "PEM file of the client certificate for rediss:// servers, followed by those of "
              "intermediate CAs; empty: none",
              o.redis_tls.certificate, set_text),
      setting("redis-tls-key-file", "",
              "PEM file of the private key of that certificate, without a passphrase",
              o.redis_tls.key, set_text),
      number("redis-timeout",
             "time limit in ms for connecting to Redis and for each reply; at most 50 ms apply to "
             "redis-cache",
             1, 60'000, o.redis_timeout, milliseconds(1)),
      number(
          "redis-wait-replicas",
          "replicas of redis-state that must have a code, token or revocation before the "
          "response; with fewer, it is 503. One: 1. A majority: 1 of 2 replicas, 2 of 4. 0: only "
          "the primary has it",
          0, kMostReplicas, o.redis_wait_replicas),
      setting("redis-catalog-wait-replicas", "",
              "the same of redis-catalog, for an upload or a change of a record; empty: as many as "
              "redis-wait-replicas",
              o.redis_catalog_wait_replicas, set_catalog_replicas),
      setting("key-file", "",
              "file of the keys that encrypt secrets, one line <key id>:<64 hex digits> per key",
              o.key_file, set_text),
      setting("watch-key-file", "",
              "file of the keys that sign links to private media and their files, as key-file; "
              "empty: private media have no links, and media for some sites do not play",
              o.watch_key_file, set_text),
      number("stats-days",
             "days for which statistics of each day are kept; older days remain in the totals; 0: "
             "nothing is counted. Needs watch-key-file",
             0, 36'500, o.stats_days),
      number("stats-sessions",
             "page views with a player that are counted at the same time, per pool, at 48 bytes "
             "each; a media has half of them at most",
             80, 100'000'000, o.viewing.sessions),
      number("stats-address-sessions",
             "such page views that an address may begin in ten minutes; further ones are not "
             "counted",
             1, 65'000, o.viewing.sessions_of_address),
      setting("stats-bots-file", "",
              "file of the user agents of programs, which are not counted: a part of one per line; "
              "empty: none",
              o.stats_bots_file, set_text),
      setting("upload-dir", o.upload_dir.c_str(),
              "folder of uploads that wait for svc-ingest; nginx writes their bodies below it, to "
              "incoming/",
              o.upload_dir, set_folder),
      setting("media-dir", o.media_dir.c_str(),
              "folder of the files that svc-ingest makes; nginx serves it as /files/", o.media_dir,
              set_folder),
      setting("language-dir", "",
              "folder of gettext catalogs, such as it.po, with further languages or other words of "
              "the login and authorization pages; empty: none",
              o.language_dir, or_empty<set_folder>),
      number("uploads-per-account",
             "maximum number of uploads per account that were not deleted and did not fail; beyond "
             "it an upload gets 507",
             1, 10'000'000, uploads),
      number("uploads-unfinished",
             "maximum number of uploads per account that are under way, wait or are being "
             "converted; beyond it an upload gets 429",
             1, static_cast<std::int64_t>(media::Uploads::kMostRecent), unfinished_uploads),
      number("upload-longest",
             "time in s for which an upload keeps its place among those if its client has gone; "
             "one that takes longer needs room at its end",
             60, 7 * 86'400, longest_upload),
      number("upload-state-bytes",
             "maximum size of all records of an account's uploads that are larger than 2 KiB, by "
             "their names, descriptions and captions; beyond it an upload gets 507",
             1, 1 << 30, state_of_uploads),
      number("caption-bytes-per-account",
             "maximum size of the texts of all captions that applications set for an account's "
             "media; beyond it a request gets 507",
             1, std::int64_t{1} << 40, caption_bytes),
      number(
          "bytes-per-account",
          "maximum size of all files of an account's uploads and of what was made of them; beyond "
          "it an upload gets 507; 0: no limit",
          0, 1'000'000'000'000'000, bytes_of_uploads),
      number("failed-upload-days",
             "days for which svc-ingest keeps an upload that failed, so that svcctl jobs retry can "
             "repeat it; then the file and the media are deleted",
             1, 365, o.failed_upload_days),
      number("max-playlist-medias",
             "maximum number of media per playlist, checked by svcctl import", 1,
             media::kMaxPlaylistMedias, o.max_playlist_medias),
      setting(
          "issuer", "",
          "issuer URL of this authorization server, in its metadata and in every authorization "
          "response; empty: base-url. Its host must lead to the server of base-url, which has the "
          "metadata",
          o.issuer, or_empty<set_origin>),
      number("access-token-lifetime", "lifetime of an access token in s", 1, kYear, access),
      number("refresh-token-idle",
             "idle time in s after which an unused refresh token expires; 0: never", 0, 10 * kYear,
             refresh_idle),
      number("public-refresh-token-idle",
             "the same of a public application: idle time in s after which its tokens of one "
             "exchange expire",
             60, 10 * kYear, public_idle),
      number("public-refresh-token-lifetime",
             "time in s from the exchange after which all refresh tokens of a public application "
             "that follow from it expire, used or not",
             60, 10 * kYear, public_lifetime),
      number("code-lifetime", "lifetime of an authorization code in s", 1, 600, code),
      number(
          "access-tokens-per-grant",
          "maximum number of valid access tokens per grant, of a public application per exchange; "
          "one more revokes the oldest",
          1, 10'000, live_access_tokens),
      number("applications-per-account",
             "maximum number of applications per account, on the settings pages and for svcctl app "
             "create; svcctl import does not count them",
             1, 10'000, applications_per_account),
      number("tokens-per-account",
             "maximum number of account tokens per account, on the settings pages and for svcctl "
             "token create",
             1, 10'000, tokens_per_account),
      setting(
          "client-id-hosts", "",
          "hosts, separated by spaces, whose applications need no registration: their client_id "
          "is the https URL of a client ID metadata document there, which svc-courier fetches; "
          "*: any host; empty: none",
          documents.hosts, set_document_hosts),
      setting("client-id-scopes", "media:read",
              "scopes, separated by spaces, that such applications may ask for", documents.scopes,
              set_document_scopes),
      setting("courier-ca-file", "",
              "PEM file of the CAs that may issue the certificates of those hosts; empty: the CAs "
              "of the system",
              o.courier_tls.ca, set_text),
      setting("courier-allow-loopback", "off",
              "on: such a host may be localhost, 127.0.0.1 or [::1], with any port; only for tests "
              "of a service that is itself on loopback",
              documents.allow_loopback, set_on_or_off),
      number("session-idle", "idle time in s after which a login session ends", 1, kYear,
             o.sessions.idle),
      number("session-max", "maximum age of a login session in s", 1, kYear, o.sessions.longest),
      number("password-memory",
             "memory in KiB that Argon2id needs for a password; hashes with other settings, and "
             "those of scrypt, are replaced at the next login",
             7 * 1024, 128 * 1024, o.password_cost.memory),
      number("password-passes", "passes of Argon2id over that memory", 1, 20,
             o.password_cost.passes),
      number("password-lanes", "lanes of Argon2id; it computes them one after the other", 1, 16,
             o.password_cost.lanes),
      setting("log-level", "info", "least severe level that is logged: debug, info, warn or error",
              o.log_level, set_log_level),
      setting("log-requests", "off", "on: log one line per request; off: do not",
              o.pool.worker.log_requests, set_on_or_off),
  };
}

// Used for names, defaults and help.
const std::vector<Definition>& definitions() {
  static Options defaults;
  static const std::vector<Definition> kDefinitions = definitions_of(defaults);
  return kDefinitions;
}

const Definition* find_definition(const std::string& name) {
  for (const Definition& definition : definitions()) {
    if (name == definition.name) return &definition;
  }
  return nullptr;
}

struct Given {
  std::string value;
  std::string where;  // "file:3" or "command line"
};
using GivenMap = std::map<std::string, Given>;
using WrongLines = std::vector<WrongLine>;
constexpr std::size_t kMostWrongLines = 50;  // a file with more is not a settings file

constexpr const char* kCommandLine = "command line";

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> names;
  for (const Definition& definition : definitions()) names.emplace_back(definition.name);
  return names;
}

// Returns the settings that a line sets or was probably meant to set; empty if all names differ too
// much.
std::vector<std::string> meant_by(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t=:"));
  const std::string_view name = text::nearest(word, known_keys());
  if (!name.empty()) return {std::string(name)};
  // An unknown key may mean the store.
  constexpr std::array<std::string_view, 6> kOfStores{"redis",   "valkey", "sentinel",
                                                      "cluster", "store",  "://"};
  const bool is_store = std::ranges::any_of(
      kOfStores, [&](std::string_view part) { return line.find(part) != std::string_view::npos; });
  return is_store ? std::vector<std::string>{"redis-state", "redis-catalog"}
                  : std::vector<std::string>();
}

// Parses line by line, so that an error can name its line. Returns an error if the file cannot be
// read.
Error read_file(const std::string& path, GivenMap& given, WrongLines& wrong) {
  std::ifstream file(path);
  if (!file) return "cannot read the configuration file " + path + ": " + std::strerror(errno);
  // A directory can be opened, but not read.
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return "the configuration file " + path + " is a directory";
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    if (wrong.size() >= kMostWrongLines)
      return wrong.front().why + "; at least " + std::to_string(wrong.size()) + " lines are wrong";
    const std::string where = path + ":" + std::to_string(++number);
    std::istringstream one(line + "\n");
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const auto meant = [&] { return meant_by(std::string_view(line).substr(first)); };
    if (line[first] == '[') {
      wrong.push_back({where + ": sections are not supported, write key = value", meant()});
      continue;
    }
    po::parsed_options parsed(nullptr);
    try {
      parsed = po::parse_config_file(one, po::options_description(), true);
    } catch (const po::error&) {
      wrong.push_back({where + ": invalid line, write key = value", meant()});
      continue;
    }
    for (const auto& option : parsed.options) {
      const std::string& name = option.string_key;
      if (find_definition(name) == nullptr) {
        const std::string near = text::did_you_mean(name, known_keys());
        wrong.push_back(
            {where + ": unknown key " + name + near +
                 (near.empty() ? "; the known keys are " + text::joined(known_keys()) : ""),
             meant()});
      } else if (const auto before = given.find(name); before != given.end()) {
        wrong.push_back(
            {where + ": " + name + " was set before, at " + before->second.where, {name}});
      } else {
        given[name] = {option.value.empty() ? "" : option.value.front(), where};
      }
    }
  }
  if (file.bad()) return "cannot read the configuration file " + path;
  return std::nullopt;
}

// Reads the files of the folder by name, each as if the ones before were its defaults. A missing
// folder counts as empty.
Error read_folder(const std::string& path, GivenMap& given, WrongLines& wrong) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".conf") files.push_back(at->path());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return "cannot read the folder " + path + ": " + error.message();
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    GivenMap own;
    if (const Error refused = read_file(file.string(), own, wrong)) return refused;
    own.merge(given);
    given.swap(own);
  }
  return std::nullopt;
}

// Rejects values that are valid on their own but not together.
Error check_together(const Options& options) {
  if (options.redis_timeout >= options.pool.worker.request_timeout) {
    return std::string(
        "redis-timeout must be shorter than request-timeout, the limit of the whole request");
  }
  const std::uint64_t limit = options.pool.worker.memory_limit;
  if (limit != 0 && options.cache.memory > limit / 2) {
    return std::string(
        "memory-cache-size must be at most half of memory-limit: otherwise a full cache ends its "
        "worker");
  }
  if (options.roles.web && limit != 0 &&
      std::uint64_t{options.password_cost.memory} * 1024 > limit / 2) {
    return std::string(
        "password-memory must be at most half of memory-limit: otherwise a few logins end their "
        "worker");
  }
  if (const std::string_view why = base::why_not_cost(options.password_cost); !why.empty())
    return "password-memory times password-passes " + std::string(why);
  if (options.oembed.negative_max_age > options.oembed.max_age) {
    return std::string("oembed-negative-max-age must not be longer than oembed-max-age");
  }
  if (options.redis_tls.certificate.empty() != options.redis_tls.key.empty()) {
    return std::string(
        "redis-tls-cert-file and redis-tls-key-file must both be set, or both be empty");
  }
  if (!(options.redis_tls == base::TlsFiles()) && !options.redis_state.tls &&
      !options.catalog_address().tls && !options.redis_cache.tls) {
    const char* const name =
        options.redis_tls.ca.empty() ? "redis-tls-cert-file" : "redis-tls-ca-file";
    return std::string(name) +
           " needs TLS: the URL redis-state, redis-catalog or redis-cache must begin with "
           "rediss://";
  }
  if (options.catalog_address().kind == redis::Address::Kind::Cluster) {
    return std::string(
        "redis-catalog must be one server, or the primary that Sentinels name: a Cluster has "
        "redis-state only. If redis-state is a Cluster, redis-catalog must be set");
  }
  if (options.redis_catalog_wait_replicas && !options.has_own_catalog()) {
    return std::string(
        "redis-catalog-wait-replicas needs a redis-catalog of its own: it is redis-state, whose "
        "number is redis-wait-replicas");
  }
  if (options.sessions.idle > options.sessions.longest) {
    return std::string("session-idle must not be longer than session-max");
  }
  // CIMD §8.6: of any other service, a stranger could make the courier ask this machine.
  for (const auto& [name, url] :
       {std::pair("base-url", &options.site.base_url), std::pair("issuer", &options.issuer)}) {
    const std::string host = text::host_header(*url);
    if (options.limits.documents.allow_loopback && host != "localhost" && host != "127.0.0.1" &&
        host != "[::1]")
      return "courier-allow-loopback must be off unless the hosts of base-url and issuer are "
             "localhost, 127.0.0.1 or [::1]; that of " +
             std::string(name) + " is " + host;
  }
  if (options.site.short_domain == options.site.service_domain) {
    return std::string(
        "short-domain must differ from service-domain, or be empty: each is a name "
        "of nginx's server of its own");
  }
  // The pages' policies name these: of others, browsers would load nothing.
  for (const auto& [name, url] : {std::pair("embed-host", &options.site.embed_host),
                                  std::pair("oembed-url", &options.site.oembed_url),
                                  std::pair("asset-base", &options.site.asset_base)}) {
    if (text::csp_origin(*url)) continue;
    const bool inherited = *url == options.site.app_url;
    return std::string(inherited ? "app-url" : name) +
           " must have a host that a Content-Security-Policy can name, of letters, digits, hyphens "
           "and dots, or an IPv4 address" +
           (inherited ? ", unless " + std::string(name) + " is set to another URL" : "");
  }
  return std::nullopt;
}

// Sets values of the file that cannot be used to their defaults. The error is one of the command
// line.
base::Result<Options, std::string> check(const GivenMap& given, WrongLines& wrong) {
  Options options;
  for (const Definition& definition : definitions_of(options)) {
    const auto found = given.find(definition.name);
    const std::string value = found == given.end() ? definition.preset : found->second.value;
    const std::string where = found == given.end() ? "default" : found->second.where;
    Error error = definition.set(value);
    if (!error) error = check_in_a_line(value);
    if (!error) continue;
    const std::string why = where + ": " + definition.name + " " + *error;
    if (found == given.end() || where == kCommandLine) return base::Refusal{why};
    wrong.push_back({why, {definition.name}});
    definition.set(definition.preset);
  }
  // Fill in settings that default to others. The order matters: some default to
  // settings that have such a default themselves.
  for (std::string embed::Site::*other : {&embed::Site::base_url, &embed::Site::oembed_url,
                                          &embed::Site::embed_host, &embed::Site::provider_url}) {
    if ((options.site.*other).empty()) options.site.*other = options.site.app_url;
  }
  if (options.site.asset_base.empty()) options.site.asset_base = options.site.embed_host;
  options.site.counts_viewing = options.stats_days > 0 && !options.watch_key_file.empty();
  if (options.issuer.empty()) options.issuer = options.site.base_url;
  options.renderings.max_silence = options.cache.max_silence;
  options.pool.name = options.roles.to_text();
  options.pool.worker.name = options.pool.name;
  // Defaults in the place of wrong values may not fit the others.
  const Error error = wrong.empty() ? check_together(options) : std::nullopt;
  if (error) {
    // Prefix the error with the places of the settings that it names.
    WrongLine line;
    bool is_of_file = false;
    for (const auto& [name, value] : given) {
      if (error->find(name) == std::string::npos) continue;
      line.why += value.where + ": ";
      line.settings.push_back(name);
      is_of_file |= value.where != kCommandLine;
    }
    line.why += *error;
    if (!is_of_file) return base::Refusal{line.why};
    wrong.push_back(std::move(line));
  }
  return options;
}

std::string print(const GivenMap& given) {
  std::string out;
  for (const Definition& definition : definitions()) {
    const auto found = given.find(definition.name);
    out += std::string("# ") + definition.help + "\n" + definition.name + " = " +
           (found == given.end() ? definition.preset : found->second.value) + "\n";
  }
  return out;
}

}  // namespace

std::string Roles::to_text() const {
  std::string out;
  for (const auto& [has, name] : {std::pair(embed, "embed"), std::pair(grant, "grant"),
                                  std::pair(web, "web"), std::pair(upload, "upload")}) {
    if (has) text::add_word(out, name, ",");
  }
  return out;
}

namespace {

// Returns the index of svcctl's command: after the settings, each of which has
// a value.
int first_of_command(int argc, const char* const* argv) {
  int at = 1;
  while (at < argc) {
    const std::string word = argv[at];
    if (word.empty() || word == "-" || word.front() != '-') return at;
    const bool alone = word == "--help" || word == "-h" || word == "--help-settings" ||
                       word == "--version" || word == "--check-config" ||
                       word == "--print-config" || word.find('=') != std::string::npos ||
                       (!word.starts_with("--") && word.size() > 2);
    at += alone ? 1 : 2;
  }
  return argc;
}

// Returns the path that svcctl reads without --config; "" if no file exists.
std::string default_config_file() {
  const char* const named = std::getenv("SVC_CONFIG");
  if (named != nullptr && *named != '\0') return named;
  struct stat status {};
  // A file without access exists too: the attempt to read it reports the reason.
  const bool exists = stat(kInstalledConfig, &status) == 0 || errno == EACCES;
  return exists ? kInstalledConfig : "";
}

}  // namespace

std::vector<std::string> command_words(int argc, const char* const* argv) {
  return {argv + first_of_command(argc, argv), argv + argc};
}

bool has_installed_settings(int argc, const char* const* argv) {
  std::string words;
  for (int at = 1; at < first_of_command(argc, argv); ++at) words += std::string(argv[at]) + "\n";
  for (const std::string option : {"--config\n", "--config=", "-c\n", "-c"}) {
    if (words == option + kInstalledConfig + "\n") return true;
  }
  return words.empty();
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Definition& definition : definitions())
    names.push_back("--" + std::string(definition.name));
  return names;
}

std::string_view name_of(Program program) {
  switch (program) {
    case Program::Worker: return "svc-worker";
    case Program::Ctl: return "svcctl";
    case Program::Ingest: return "svc-ingest";
    case Program::Courier: return "svc-courier";
    case Program::Keeper: return "svc-keeper";
  }
  return {};
}

std::vector<NumberSetting> number_settings(Options options) {
  std::vector<NumberSetting> numbers;
  for (const Definition& definition : definitions_of(options)) {
    if (definition.number) numbers.push_back(*definition.number);
  }
  return numbers;
}

base::Result<CommandLine, std::string> read_command_line(Program program, int argc,
                                                         const char* const* argv) {
  const bool worker = program != Program::Ctl;
  std::string config_help = "configuration file, one key = value per line";
  if (program == Program::Ctl)
    config_help += "; without it that of SVC_CONFIG, or " + std::string(kInstalledConfig);
  po::options_description general(
      std::string(name_of(program)) +
      (program == Program::Worker    ? ": a pool of FastCGI workers for nginx"
       : program == Program::Ctl     ? ": manages the data that svc-worker serves"
       : program == Program::Courier ? ": fetches client ID metadata documents"
       : program == Program::Keeper  ? ": closes the files of films that are not open to all"
                                     : ": turns uploads into media that play"));
  general.add_options()("help,h", "print this help")("version", "print the version")(
      "config,c", po::value<std::string>(), config_help.c_str())(
      "check-config", "check the configuration, print the result and exit")(
      "print-config", "print the settings in effect and exit");
  if (program == Program::Worker)
    general.add_options()("print-routes",
                          "print the paths that the pools answer, as JSON, and exit");
  if (worker)
    general.add_options()("check-stores",
                          "the same, ask each Redis once, print the result and exit");
  if (!worker) general.add_options()("help-settings", "describe the settings");
  po::options_description settings("Settings, on the command line or in the configuration file");
  for (const Definition& definition : definitions()) {
    const std::string help = std::string(definition.help) +
                             (definition.preset.empty() ? "" : " (" + definition.preset + ")");
    settings.add_options()(definition.name, po::value<std::string>(), help.c_str());
  }
  po::options_description hidden;
  hidden.add_options()("arguments", po::value<std::vector<std::string>>());
  po::options_description all;
  all.add(general).add(settings).add(hidden);

  CommandLine line;
  // The command parses its own arguments: only it knows which of its flags have
  // a value.
  const int settings_end = worker ? argc : first_of_command(argc, argv);
  line.arguments.assign(argv + settings_end, argv + argc);
  po::variables_map flags;
  try {
    po::command_line_parser parser(settings_end, argv);
    using Style = po::command_line_style::style_t;
    parser.options(all).style(Style::unix_style & ~Style::allow_guessing);
    parser.positional(po::positional_options_description().add("arguments", 0));
    po::store(parser.run(), flags);
  } catch (const po::error& error) {
    std::string near;
    if (const auto* const unknown = dynamic_cast<const po::unknown_option*>(&error)) {
      std::vector<std::string> names = setting_names();
      for (const auto& option : general.options()) names.push_back("--" + option->long_name());
      near = text::did_you_mean(unknown->get_option_name(), {names.begin(), names.end()});
    }
    return base::Refusal{
        std::string(kCommandLine) + ": " + error.what() + near +
        (worker ? "; --help lists the flags" : "; --help-settings lists the flags")};
  }
  const bool asks_settings = !worker && flags.count("help-settings") != 0;
  if (asks_settings || flags.count("help") != 0) {
    std::ostringstream text;
    text << general << "\n" << settings;
    line.action = asks_settings ? Action::HelpSettings : Action::Help;
    line.printed = text.str();
    return line;
  }
  if (flags.count("version") != 0) {
    line.action = Action::Version;
    return line;
  }
  if (flags.count("print-routes") != 0) {
    line.action = Action::PrintRoutes;
    return line;
  }
  GivenMap given;
  if (flags.count("config") != 0) {
    line.config_file = flags["config"].as<std::string>();
  } else if (!worker) {
    line.config_file = default_config_file();
  }
  if (!line.config_file.empty()) {
    Error error = read_file(line.config_file, given, line.wrong_lines);
    if (!error) error = read_folder(line.config_file + ".d", given, line.wrong_lines);
    if (error) return base::Refusal{*error};
  }
  for (const Definition& definition : definitions()) {
    if (flags.count(definition.name) != 0) {
      given[definition.name] = {flags[definition.name].as<std::string>(), kCommandLine};
    }
  }
  auto options = check(given, line.wrong_lines);
  if (!options) return base::Refusal{options.error()};
  line.options = std::move(*options);
  line.printed = print(given);
  if (flags.count("check-config") != 0) line.action = Action::CheckConfig;
  if (flags.count("check-stores") != 0) line.action = Action::CheckStores;
  if (flags.count("print-config") != 0) line.action = Action::PrintConfig;
  if (!line.wrong_lines.empty() && (worker || line.action != Action::Run))
    return base::Refusal{line.wrong_lines.front().why};
  return line;
}

std::optional<std::string> changed_for_good(const Options& now, const Options& next) {
  if (now.roles.to_text() != next.roles.to_text()) return "roles";
  if (now.listen != next.listen) return "listen";
  if (now.listen_mode != next.listen_mode) return "listen-mode";
  if (now.backlog != next.backlog) return "backlog";
  if (now.pid_file != next.pid_file) return "pid-file";
  return std::nullopt;
}

}  // namespace svc::app
