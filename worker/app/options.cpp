#include "app/options.h"

#include <sys/stat.h>

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

#include "base/number.h"
#include "media/playlist.h"
#include "text/ascii.h"
#include "text/uri.h"
#include "text/utf8.h"

namespace svc::app {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kYear = 31'536'000;  // seconds

using Error = std::optional<std::string>;  // nullopt, or what is allowed

struct Definition {
  const char* name;
  std::string preset;  // the default, as written in a file
  const char* help;
  std::function<Error(const std::string&)> set;
};

template <class Field>
Definition setting(const char* name, const char* preset, const char* help, Field& field,
                   Error (*set)(Field&, const std::string&)) {
  return {name, preset, help, [&field, set](const std::string& text) { return set(field, text); }};
}

// A number of units. The default is the value of `field`.
template <class Field, class Unit = std::int64_t>
Definition number(const char* name, const char* help, std::int64_t low, std::int64_t high,
                  Field& field, Unit unit = 1) {
  const auto preset = static_cast<std::int64_t>(field / unit);
  return {name, std::to_string(preset), help, [=, &field](const std::string& text) -> Error {
            const auto value = base::parse_number<std::int64_t>(text, low, high);
            if (!value) {
              return "must be an integer from " + std::to_string(low) + " to " +
                     std::to_string(high);
            }
            field = static_cast<Field>(*value * unit);
            return std::nullopt;
          }};
}

// RFC 1034 §3.5, plus underscores: labels of 1 to 63 characters without a
// hyphen at the ends.
bool has_right_labels(std::string_view host) {
  while (true) {
    const std::string_view label = host.substr(0, host.find('.'));
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
      return false;
    if (label.size() == host.size()) return true;
    host.remove_prefix(label.size() + 1);
  }
}

// An absolute URL without a slash, query or fragment at its end.
Error set_url(std::string& field, const std::string& text) {
  const auto uri = text::parse_http_uri(text);
  if (!uri || !text::is_http_uri_or_path(text) ||
      text.find_first_of("?#!$&'()*+,;=@") != std::string::npos || text.ends_with('/')) {
    return "must be an absolute http(s) URL without a slash, query or fragment at its end";
  }
  if (uri->host.find(':') == std::string_view::npos && !has_right_labels(uri->host))
    return "must have a host name as in media.example";
  field = text;
  return std::nullopt;
}

// Such a URL, or "": replaced by another setting in the end.
Error set_url_or_empty(std::string& field, const std::string& text) {
  if (!text.empty()) return set_url(field, text);
  field.clear();
  return std::nullopt;
}

Error set_domain(std::string& field, const std::string& text) {
  const std::string with_scheme = "http://" + text;
  const auto uri = text::parse_http_uri(with_scheme);
  if (!uri || uri->host != text || !has_right_labels(text))
    return "must be a domain name without a dot at its ends, such as media.example";
  field = text;
  return std::nullopt;
}

Error set_text(std::string& field, const std::string& text) {
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
  for (std::size_t i = 0; i < text.size(); ++i)
    words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ') ? 1 : 0;
  if (words % 2 != 0) return "must have a password after each email";
  return set_name(field, text);
}

Error set_redis_url(redis::Address& field, const std::string& text) {
  auto address = redis::Address::parse(text);
  if (!address) return address.error();
  field = std::move(*address);
  return std::nullopt;
}

// Accepts values that a line of the file can contain: Boost cuts a value at any
// #, strips spaces at its ends, and knows no quotes. A flag with another value
// could not be printed.
Error check_in_a_line(const std::string& text) {
  bool plain =
      text.find('#') == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  for (const char c : text) plain &= !text::is_control(c);
  if (plain) return std::nullopt;
  return "must not have a #, a control character, or a space at its ends: the configuration file "
         "could not hold it";
}

Error set_roles(Roles& field, const std::string& text) {
  Roles roles{false, false, false};
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "embed") {
      roles.embed = true;
    } else if (word == "grant") {
      roles.grant = true;
    } else if (word == "web") {
      roles.web = true;
    } else if (word == "all") {
      roles = Roles();
    } else {
      return "must be a list of embed, grant, web, or all";
    }
  }
  if (!roles.embed && !roles.grant && !roles.web)
    return "must be a list of embed, grant, web, or all";
  field = roles;
  return std::nullopt;
}

Error set_listen(std::string& field, const std::string& text) {
  if (!text.empty() &&
      (text.find('/') == std::string::npos || text.find("://") != std::string::npos)) {
    return "must be the path of a unix socket; TCP is never used, because whoever can write to the "
           "socket can crash a worker";
  }
  field = text;
  return std::nullopt;
}

Error set_listen_mode(unsigned& field, const std::string& text) {
  const auto mode = base::parse_number<unsigned>(text, 0600, 0660, 8);
  if (!mode || (*mode & 0117) != 0) {
    return "must be 0600, 0620, 0640 or 0660: others than the group of nginx must not reach the "
           "socket";
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

Error set_log_requests(bool& field, const std::string& text) {
  if (text != "on" && text != "off") return "must be on or off";
  field = text == "on";
  return std::nullopt;
}

Error set_cache_age(std::optional<int>& field, const std::string& text) {
  field = base::parse_number<int>(text, 0, kYear);
  if (!field && text != "off") return "must be off or an integer from 0 to 31536000";
  return std::nullopt;
}

Error set_rendering_cache(redis::RenderingSettings& field, const std::string& text) {
  if (text != "on" && text != "playlists" && text != "off") return "must be off, playlists or on";
  field.of_media = text == "on";
  field.of_playlists = text != "off";
  return std::nullopt;
}

// Returns the definitions of all settings. They write to `o`, which must still
// have its defaults and must outlive them.
std::vector<Definition> definitions_of(Options& o) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  constexpr std::uint64_t kMiB = 1 << 20;
  return {
      setting("roles", "all", "what the pool answers: a list of embed, grant, web, or all", o.roles,
              set_roles),
      setting("listen", "",
              "path of the unix socket that nginx connects to; not needed where systemd passes one",
              o.listen, set_listen),
      setting("listen-mode", "0660", "mode of that socket, octal", o.listen_mode, set_listen_mode),
      number("backlog", "connections that may wait for a worker", 1, 65535, o.backlog),
      setting("pid-file", "", "written once the pool listens, removed at its end", o.pid_file,
              set_text),
      number("workers", "workers of the pool", 1, 512, o.pool.workers),
      number("max-requests",
             "requests after which a worker is replaced, give or take a quarter, once the store "
             "answers; "
             "0: never",
             0, 1'000'000'000'000, o.pool.worker.max_requests),
      number("memory-limit", "MiB of private memory above which a worker is replaced; 0: never", 0,
             65536, o.pool.worker.memory_limit, kMiB),
      number("request-timeout", "ms after which a request is answered with a 503", 10, 600'000,
             o.pool.worker.request_timeout, milliseconds(1)),
      number("max-in-flight", "requests of a worker that may wait for the store at the same time",
             1, 100'000, o.pool.worker.max_in_flight),
      number("max-queued",
             "requests of a worker that may wait for those; what is in memory never waits", 0,
             100'000, o.pool.worker.max_queued),
      number("queue-timeout", "ms that they may wait, then 503", 1, 600'000,
             o.pool.worker.queue_timeout, milliseconds(1)),
      number("read-timeout", "ms from a request's first byte to its last", 10, 600'000,
             o.pool.worker.listener.read_timeout, milliseconds(1)),
      number("write-timeout", "ms that a peer may take to read", 10, 600'000,
             o.pool.worker.listener.write_timeout, milliseconds(1)),
      number("idle-timeout",
             "s after which a silent connection is closed; longer than nginx keeps it", 1, 86'400,
             o.pool.worker.listener.idle_timeout, seconds(1)),
      number("drain-timeout",
             "s that a leaving worker waits for nginx to let go of its connections", 0, 3'600,
             o.pool.worker.drain_timeout, seconds(1)),
      number("max-body", "bytes of a request body", 0, 16 << 20,
             o.pool.worker.listener.limits.body),
      setting("app-url", "http://127.0.0.1:8080", "URL of the web application", o.site.app_url,
              set_url),
      setting("base-url", "", "URL of the API; empty: app-url", o.site.base_url, set_url_or_empty),
      setting("oembed-url", "", "URL of the oEmbed host; empty: app-url", o.site.oembed_url,
              set_url_or_empty),
      setting("embed-host", "", "URL of the host of players and embed assets; empty: app-url",
              o.site.embed_host, set_url_or_empty),
      setting("asset-base", "", "URL that assets lie under; empty: the embed host",
              o.site.asset_base, set_url_or_empty),
      setting("service-domain", "svc.localhost", "domain that media URLs live on and below",
              o.site.service_domain, set_domain),
      setting("short-domain", "svc.test", "second such domain", o.site.short_domain, set_domain),
      setting("provider-name", "svc", "provider_name of oEmbed answers", o.site.provider_name,
              set_name),
      setting("provider-url", "", "provider_url of oEmbed answers; empty: app-url",
              o.site.provider_url, set_url_or_empty),
      setting("amp-script-url", "",
              "URL of the AMP component that the page of embed codes names; empty: no AMP codes",
              o.site.amp_script_url, set_url_or_empty),
      setting("demo-gallery", "",
              "URL of a page of all embed codes that / links to; for a demonstration only",
              o.site.demo_gallery, set_url_or_empty),
      setting("demo-users", "",
              "emails and passwords, separated by spaces, that / shows to every visitor; for a "
              "demonstration only",
              o.site.demo_users, set_demo_users),
      number("oembed-max-age", "s, Cache-Control of an oEmbed answer", 0, kYear, o.oembed.max_age),
      number("oembed-stale-while-revalidate", "s, Cache-Control of an oEmbed answer", 0, kYear,
             o.oembed.stale_while_revalidate),
      number("oembed-negative-max-age", "s, Cache-Control of an oEmbed refusal", 0, 300,
             o.oembed.negative_max_age),
      number("page-max-age", "s, Cache-Control of player pages, media pages and player data", 0,
             kYear, o.page_max_age),
      number("manifest-max-age", "s, Cache-Control of a manifest", 0, kYear, o.manifest_max_age),
      setting("oembed-cache-age", "off", "s, the key cache_age of oEmbed answers, or off",
              o.oembed.cache_age, set_cache_age),
      setting("redis-state", "unix:///run/svc/redis-state.sock",
              "Redis of the catalog, codes and tokens", o.redis_state, set_redis_url),
      setting("redis-cache", "unix:///run/svc/redis-cache.sock", "Redis of the cache",
              o.redis_cache, set_redis_url),
      number("memory-cache-size",
             "MiB of finished answers in each worker's memory; 0: none are kept there", 0, 4096,
             o.cache.memory, kMiB),
      number("memory-cache-unheard",
             "s that an answer in memory is served as true while nothing is heard of the store", 2,
             3'600, o.cache.max_silence, seconds(1)),
      number("memory-cache-stale",
             "s that an answer in memory goes on while the store is away; 0: not at all", 0, kYear,
             o.cache.stale, seconds(1)),
      number("memory-cache-refusals", "refusals in each worker's memory; 0: none are kept there", 0,
             1'000'000, o.cache.refusals),
      number("memory-cache-refusal-lifetime", "s that one stays there", 1, 3'600,
             o.cache.refusal_lifetime, seconds(1)),
      setting("rendering-cache", "playlists",
              "what is kept in redis-cache too: what answers for playlists are made from; on: "
              "renderings "
              "and manifests of media as well; off: nothing",
              o.renderings, set_rendering_cache),
      number("rendering-lifetime", "s that one lives there at most", 1, 86'400,
             o.renderings.lifetime),
      number("renderings-per-media", "how many of a media are kept there", 1, 10'000,
             o.renderings.per_media),
      setting("redis-user", "", "ACL user at both; empty: the default user", o.redis_user,
              set_text),
      setting("redis-password-file", "", "file with the password at both; empty: none",
              o.redis_password_file, set_text),
      number("redis-timeout",
             "ms to connect, and for each answer; a request waits for redis-cache 50 ms at most", 1,
             60'000, o.redis_timeout, milliseconds(1)),
      setting("key-file", "",
              "file of the keys that seal secrets, a line <key id>:<64 hex digits> each",
              o.key_file, set_text),
      number("max-playlist-medias", "media that a playlist may have, for svcctl import", 1,
             media::kMaxPlaylistMedias, o.max_playlist_medias),
      setting(
          "issuer", "",
          "URL that names this authorization server, in its metadata and with every code; empty: "
          "base-url",
          o.issuer, set_url_or_empty),
      number("access-token-lifetime", "s that an access token lives", 1, kYear, o.lifetimes.access),
      number("refresh-token-idle", "s after which a refresh token that was not used ends; 0: never",
             0, 10 * kYear, o.lifetimes.refresh_idle),
      number("code-lifetime", "s that an authorization code lives", 1, 600, o.lifetimes.code),
      number("access-tokens-per-grant",
             "live access tokens of one grant; beyond it the oldest ends", 1, 10'000,
             o.lifetimes.live_access_tokens),
      number("session-idle", "s after which somebody who did nothing has to log in again", 1, kYear,
             o.sessions.idle),
      number("session-max", "s after which everybody has to log in again", 1, kYear,
             o.sessions.longest),
      setting("log-level", "info", "debug, info, warn or error", o.log_level, set_log_level),
      setting("log-requests", "off", "on: one line a request", o.pool.worker.log_requests,
              set_log_requests),
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
  std::string where;  // "file, line 3" or "command line"
};
using GivenMap = std::map<std::string, Given>;

std::string known_keys() {
  std::string names;
  for (const Definition& definition : definitions()) {
    names += (names.empty() ? "" : ", ") + std::string(definition.name);
  }
  return names;
}

// Parses line by line, so that an error can name its line.
Error read_file(const std::string& path, GivenMap& given) {
  std::ifstream file(path);
  if (!file) return "cannot read the configuration file " + path + ": " + std::strerror(errno);
  // A directory can be opened, but not read.
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return "the configuration file " + path + " is a directory";
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string where = path + ":" + std::to_string(++number);
    std::istringstream one(line + "\n");
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    if (line[first] == '[') return where + ": sections are not used here, write key = value";
    po::parsed_options parsed(nullptr);
    try {
      parsed = po::parse_config_file(one, po::options_description(), true);
    } catch (const po::error&) {
      return where + ": not understood, write key = value";
    }
    for (const auto& option : parsed.options) {
      if (find_definition(option.string_key) == nullptr) {
        return where + ": unknown key " + option.string_key + "; known are " + known_keys();
      }
      if (const auto before = given.find(option.string_key); before != given.end()) {
        return where + ": " + option.string_key + " was set before, at " + before->second.where;
      }
      given[option.string_key] = {option.value.empty() ? "" : option.value.front(), where};
    }
  }
  if (file.bad()) return "cannot read the configuration file " + path;
  return std::nullopt;
}

// Rejects values that are valid on their own but not together.
Error check_together(const Options& options) {
  if (options.redis_timeout >= options.pool.worker.request_timeout) {
    return std::string(
        "redis-timeout must be shorter than request-timeout, which is for all that a request waits "
        "for");
  }
  const std::uint64_t limit = options.pool.worker.memory_limit;
  if (limit != 0 && options.cache.memory > limit / 2) {
    return std::string(
        "memory-cache-size must be at most half of memory-limit, or a full cache ends its worker");
  }
  if (options.oembed.negative_max_age > options.oembed.max_age) {
    return std::string("oembed-negative-max-age must not be longer than oembed-max-age");
  }
  if (options.sessions.idle > options.sessions.longest) {
    return std::string("session-idle must not be longer than session-max");
  }
  return std::nullopt;
}

base::Result<Options, std::string> check(const GivenMap& given) {
  Options options;
  for (const Definition& definition : definitions_of(options)) {
    const auto found = given.find(definition.name);
    const std::string value = found == given.end() ? definition.preset : found->second.value;
    const std::string where = found == given.end() ? "default" : found->second.where;
    if (const Error error = definition.set(value)) {
      return base::Refusal{where + ": " + definition.name + " " + *error};
    }
    if (const Error error = check_in_a_line(value)) {
      return base::Refusal{where + ": " + definition.name + " " + *error};
    }
  }
  // Fill in settings that default to others. The order matters: some default to
  // settings that have such a default themselves.
  for (std::string embed::Site::*other : {&embed::Site::base_url, &embed::Site::oembed_url,
                                          &embed::Site::embed_host, &embed::Site::provider_url}) {
    if ((options.site.*other).empty()) options.site.*other = options.site.app_url;
  }
  if (options.site.asset_base.empty()) options.site.asset_base = options.site.embed_host;
  if (options.issuer.empty()) options.issuer = options.site.base_url;
  options.renderings.max_silence = options.cache.max_silence;
  options.pool.name = options.roles.to_text();
  options.pool.worker.name = options.pool.name;
  if (const Error error = check_together(options)) {
    // Prefix the error with the places of the settings that it names.
    std::string places;
    for (const auto& [name, value] : given) {
      if (error->find(name) != std::string::npos) places += value.where + ": ";
    }
    return base::Refusal{places + *error};
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
  for (const auto& [has, name] :
       {std::pair(embed, "embed"), std::pair(grant, "grant"), std::pair(web, "web")}) {
    if (has) out += (out.empty() ? "" : ",") + std::string(name);
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

// The file that svcctl reads if --config does not name one; "" if there is none.
std::string default_config_file() {
  constexpr const char* kInstalled = "/etc/svc/svc.conf";
  const char* const named = std::getenv("SVC_CONFIG");
  if (named != nullptr && *named != '\0') return named;
  struct stat status {};
  // A file that may not be looked at exists, too: reading it says why not.
  const bool exists = stat(kInstalled, &status) == 0 || errno == EACCES;
  return exists ? kInstalled : "";
}

}  // namespace

std::vector<std::string> command_words(int argc, const char* const* argv) {
  return {argv + first_of_command(argc, argv), argv + argc};
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Definition& definition : definitions())
    names.push_back("--" + std::string(definition.name));
  return names;
}

base::Result<CommandLine, std::string> read_command_line(Program program, int argc,
                                                         const char* const* argv) {
  const bool worker = program == Program::Worker;
  po::options_description general(worker ? "svc-worker: a pool of FastCGI workers for nginx"
                                         : "svcctl: manages what svc-worker serves");
  general.add_options()("help,h", "say this")("version", "say the version")(
      "config,c", po::value<std::string>(), "configuration file, key = value a line")(
      "check-config", "say whether the configuration is right, and end")(
      "print-config", "print the configuration in force, and end");
  if (!worker) general.add_options()("help-settings", "describe the settings");
  po::options_description settings("Settings, on the command line or in the file");
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
    return base::Refusal{
        std::string("command line: ") + error.what() +
        (worker ? "; --help lists what is known" : "; --help-settings lists what is known")};
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
  GivenMap given;
  if (flags.count("config") != 0) {
    line.config_file = flags["config"].as<std::string>();
  } else if (!worker) {
    line.config_file = default_config_file();
  }
  if (!line.config_file.empty()) {
    if (const Error error = read_file(line.config_file, given)) return base::Refusal{*error};
  }
  for (const Definition& definition : definitions()) {
    if (flags.count(definition.name) != 0) {
      given[definition.name] = {flags[definition.name].as<std::string>(), "command line"};
    }
  }
  auto options = check(given);
  if (!options) return base::Refusal{options.error()};
  line.options = std::move(*options);
  line.printed = print(given);
  if (flags.count("check-config") != 0) line.action = Action::CheckConfig;
  if (flags.count("print-config") != 0) line.action = Action::PrintConfig;
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
