#include "app/options.h"

#include <boost/program_options.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "media/playlist.h"
#include "text/ascii.h"
#include "text/uri.h"
#include "text/utf8.h"

namespace svc::app {
namespace {

namespace po = boost::program_options;

using Error = std::optional<std::string>;  // what is allowed, when the value is not

struct Definition {
  const char* name;
  const char* preset;  // the default, as it would be written
  const char* help;
  std::function<Error(Options&, const std::string&)> set;
};

std::optional<std::int64_t> to_number(const std::string& text, int base = 10) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

template <class T>
auto in_options(T Options::*member) {
  return [=](Options& options) -> T& { return options.*member; };
}

auto in_site(std::string embed::Site::*member) {
  return [=](Options& options) -> std::string& { return options.site.*member; };
}

template <class Assign>
auto number(std::int64_t low, std::int64_t high, Assign assign) {
  return [=](Options& options, const std::string& text) -> Error {
    const auto value = to_number(text);
    if (!value || *value < low || *value > high) {
      return "must be an integer from " + std::to_string(low) + " to " + std::to_string(high);
    }
    assign(options, *value);
    return std::nullopt;
  };
}

// RFC 1034 §3.5, and the underscore that some use: labels of 1 to 63, no hyphen at their ends.
bool has_right_labels(std::string_view host) {
  while (true) {
    const std::string_view label = host.substr(0, host.find('.'));
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
      return false;
    if (label.size() == host.size()) return true;
    host.remove_prefix(label.size() + 1);
  }
}

// An absolute URL without a slash, a query or a fragment behind it.
template <class Field>
auto url(Field field) {
  return [=](Options& options, const std::string& text) -> Error {
    const auto uri = text::parse_http_uri(text);
    if (!uri || !text::is_http_uri_or_path(text) ||
        text.find_first_of("?#!$&'()*+,;=@") != std::string::npos || text.ends_with('/')) {
      return "must be an absolute http(s) URL without a slash, query or fragment at its end";
    }
    if (uri->host.find(':') == std::string_view::npos && !has_right_labels(uri->host))
      return "must have a host name as in media.example";
    field(options) = text;
    return std::nullopt;
  };
}

// Such a URL, or nothing, which stands for another one until all are known.
template <class Field>
auto url_or_empty(Field field) {
  return [=](Options& options, const std::string& text) -> Error {
    if (!text.empty()) return url(field)(options, text);
    field(options).clear();
    return std::nullopt;
  };
}

template <class Field>
auto domain(Field field) {
  return [=](Options& options, const std::string& text) -> Error {
    const std::string with_scheme = "http://" + text;
    const auto uri = text::parse_http_uri(with_scheme);
    if (!uri || uri->host != text || !has_right_labels(text)) {
      return "must be a domain name without a dot at its ends, such as media.example";
    }
    field(options) = text;
    return std::nullopt;
  };
}

template <class Field>
auto plain(Field field) {
  return [=](Options& options, const std::string& text) -> Error {
    field(options) = text;
    return std::nullopt;
  };
}

// It stands in JSON, in XML and in pages.
template <class Field>
auto name(Field field) {
  return [=](Options& options, const std::string& text) -> Error {
    bool plain = text::is_utf8(text);
    for (std::size_t i = 0; plain && i < text.size(); ++i) {
      // U+0080 to U+009F are controls too, two bytes each.
      plain = !text::is_control(text[i]) &&
              !(text[i] == '\xc2' && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    }
    if (!plain) return "must be UTF-8 without control characters";
    field(options) = text;
    return std::nullopt;
  };
}

template <class Field>
auto redis_url(Field field) {
  return [=](Options& options, const std::string& text) -> Error {
    auto address = redis::Address::parse(text);
    if (!address) return address.error();
    field(options) = std::move(*address);
    return std::nullopt;
  };
}

// What a line of the file can hold: Boost cuts a value at #, wherever it stands, takes the spaces
// off its ends, and knows no quotes. A flag could say more, and could then not be printed.
Error check_in_a_line(const std::string& text) {
  bool plain =
      text.find('#') == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  for (const char c : text) plain &= !text::is_control(c);
  if (plain) return std::nullopt;
  return "must not have a #, a control character, or a space at its ends: the configuration file "
         "could not hold it";
}

Error set_roles(Options& options, const std::string& text) {
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
  options.roles = roles;
  return std::nullopt;
}

Error set_listen(Options& options, const std::string& text) {
  if (!text.empty() &&
      (text.find('/') == std::string::npos || text.find("://") != std::string::npos)) {
    return "must be the path of a unix socket; TCP is never used, because whoever can write to the "
           "socket can crash a worker";
  }
  options.listen = text;
  return std::nullopt;
}

Error set_listen_mode(Options& options, const std::string& text) {
  const auto mode = to_number(text, 8);
  if (!mode || *mode < 0600 || *mode > 0660 || (*mode & 0117) != 0) {
    return "must be 0600, 0620, 0640 or 0660: others than the group of nginx must not reach the "
           "socket";
  }
  options.listen_mode = static_cast<unsigned>(*mode);
  return std::nullopt;
}

Error set_log_level(Options& options, const std::string& text) {
  const std::map<std::string, base::log::Level> levels{{"debug", base::log::Level::Debug},
                                                       {"info", base::log::Level::Info},
                                                       {"warn", base::log::Level::Warn},
                                                       {"error", base::log::Level::Error}};
  const auto found = levels.find(text);
  if (found == levels.end()) return "must be debug, info, warn or error";
  options.log_level = found->second;
  return std::nullopt;
}

Error set_log_requests(Options& options, const std::string& text) {
  if (text != "on" && text != "off") return "must be on or off";
  options.pool.worker.log_requests = text == "on";
  return std::nullopt;
}

Error set_cache_age(Options& options, const std::string& text) {
  if (text == "off") {
    options.oembed.cache_age.reset();
    return std::nullopt;
  }
  const auto value = to_number(text);
  if (!value || *value < 0 || *value > 31'536'000)
    return "must be off or an integer from 0 to 31536000";
  options.oembed.cache_age = static_cast<int>(*value);
  return std::nullopt;
}

const std::vector<Definition>& definitions() {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  constexpr std::int64_t kYear = 31'536'000;
  static const std::vector<Definition> kDefinitions{
      {"roles", "all", "what the pool answers: a list of embed, grant, web, or all", set_roles},
      {"listen", "",
       "path of the unix socket that nginx connects to; not needed where systemd passes one",
       set_listen},
      {"listen-mode", "0660", "mode of that socket, octal", set_listen_mode},
      {"backlog", "4096", "connections that may wait for a worker",
       number(1, 65535, [](Options& o, auto v) { o.backlog = static_cast<int>(v); })},
      {"pid-file", "", "written once the pool listens, removed at its end",
       plain(in_options(&Options::pid_file))},
      {"workers", "4", "workers of the pool",
       number(1, 512, [](Options& o, auto v) { o.pool.workers = static_cast<std::size_t>(v); })},
      {"max-requests", "100000",
       "requests after which a worker is replaced, give or take a quarter, once the store answers; "
       "0: never",
       number(
           0, 1'000'000'000'000,
           [](Options& o, auto v) { o.pool.worker.max_requests = static_cast<std::uint64_t>(v); })},
      {"memory-limit", "128", "MiB of private memory above which a worker is replaced; 0: never",
       number(0, 65536,
              [](Options& o, auto v) {
                o.pool.worker.memory_limit = static_cast<std::uint64_t>(v) << 20;
              })},
      {"request-timeout", "3000", "ms after which a request is answered with a 503",
       number(10, 600'000,
              [](Options& o, auto v) {
                o.pool.request_timeout = o.pool.worker.request_timeout = milliseconds(v);
              })},
      {"max-in-flight", "256", "requests of a worker that may wait for the store at the same time",
       number(
           1, 100'000,
           [](Options& o, auto v) { o.pool.worker.max_in_flight = static_cast<std::size_t>(v); })},
      {"max-queued", "1024",
       "requests of a worker that may wait for those; what is in memory never waits",
       number(0, 100'000,
              [](Options& o, auto v) { o.pool.worker.max_queued = static_cast<std::size_t>(v); })},
      {"queue-timeout", "1000", "ms that they may wait, then 503",
       number(1, 600'000,
              [](Options& o, auto v) { o.pool.worker.queue_timeout = milliseconds(v); })},
      {"read-timeout", "5000", "ms from a request's first byte to its last",
       number(10, 600'000,
              [](Options& o, auto v) { o.pool.worker.listener.read_timeout = milliseconds(v); })},
      {"write-timeout", "2000", "ms that a peer may take to read",
       number(10, 600'000,
              [](Options& o, auto v) { o.pool.worker.listener.write_timeout = milliseconds(v); })},
      {"idle-timeout", "120",
       "s after which a silent connection is closed; longer than nginx keeps it",
       number(1, 86'400,
              [](Options& o, auto v) { o.pool.worker.listener.idle_timeout = seconds(v); })},
      {"drain-timeout", "20",
       "s that a leaving worker waits for nginx to let go of its connections",
       number(0, 3'600, [](Options& o, auto v) { o.pool.worker.drain_timeout = seconds(v); })},
      {"max-body", "65536", "bytes of a request body",
       number(0, 16 << 20,
              [](Options& o, auto v) {
                o.pool.worker.listener.limits.body = static_cast<std::size_t>(v);
              })},
      {"app-url", "http://127.0.0.1:8080", "URL of the web application",
       url(in_site(&embed::Site::app_url))},
      {"base-url", "", "URL of the API; empty: app-url",
       url_or_empty(in_site(&embed::Site::base_url))},
      {"oembed-url", "", "URL of the oEmbed host; empty: app-url",
       url_or_empty(in_site(&embed::Site::oembed_url))},
      {"embed-host", "", "URL of the host of players and embed assets; empty: app-url",
       url_or_empty(in_site(&embed::Site::embed_host))},
      {"asset-base", "", "URL that assets lie under; empty: the embed host",
       url_or_empty(in_site(&embed::Site::asset_base))},
      {"service-domain", "svc.localhost", "domain that media URLs live on and below",
       domain(in_site(&embed::Site::service_domain))},
      {"short-domain", "svc.test", "second such domain",
       domain(in_site(&embed::Site::short_domain))},
      {"provider-name", "svc", "provider_name of oEmbed answers",
       name(in_site(&embed::Site::provider_name))},
      {"provider-url", "", "provider_url of oEmbed answers; empty: app-url",
       url_or_empty(in_site(&embed::Site::provider_url))},
      {"amp-script-url", "https://cdn.ampproject.org/v0/amp-svc-player-0.1.js",
       "URL of the AMP component that the page of embed codes names",
       url(in_site(&embed::Site::amp_script_url))},
      {"oembed-max-age", "3600", "s, Cache-Control of an oEmbed answer",
       number(0, kYear, [](Options& o, auto v) { o.oembed.max_age = static_cast<int>(v); })},
      {"oembed-stale-while-revalidate", "600", "s, Cache-Control of an oEmbed answer",
       number(0, kYear,
              [](Options& o, auto v) { o.oembed.stale_while_revalidate = static_cast<int>(v); })},
      {"oembed-negative-max-age", "10", "s, Cache-Control of an oEmbed refusal",
       number(0, 300, [](Options& o, auto v) { o.oembed.negative_max_age = static_cast<int>(v); })},
      {"page-max-age", "60", "s, Cache-Control of player pages, media pages and player data",
       number(0, kYear, [](Options& o, auto v) { o.page_max_age = static_cast<int>(v); })},
      {"manifest-max-age", "60", "s, Cache-Control of a manifest",
       number(0, kYear, [](Options& o, auto v) { o.manifest_max_age = static_cast<int>(v); })},
      {"oembed-cache-age", "off", "s, the key cache_age of oEmbed answers, or off", set_cache_age},
      {"redis-state", "unix:///run/svc/redis-state.sock", "Redis of the catalog, codes and tokens",
       redis_url(in_options(&Options::redis_state))},
      {"redis-cache", "unix:///run/svc/redis-cache.sock", "Redis of the cache",
       redis_url(in_options(&Options::redis_cache))},
      {"memory-cache-size", "16",
       "MiB of finished answers in each worker's memory; 0: none are kept there",
       number(0, 4096,
              [](Options& o, auto v) { o.cache.memory = static_cast<std::size_t>(v) << 20; })},
      {"memory-cache-unheard", "5",
       "s that an answer in memory is served as true while nothing is heard of the store",
       number(2, 3'600,
              [](Options& o, auto v) { o.cache.unheard = o.renderings.unheard = seconds(v); })},
      {"memory-cache-stale", "3600",
       "s that an answer in memory goes on while the store is away; 0: not at all",
       number(0, kYear, [](Options& o, auto v) { o.cache.stale = seconds(v); })},
      {"memory-cache-refusals", "1000", "refusals in each worker's memory; 0: none are kept there",
       number(0, 1'000'000,
              [](Options& o, auto v) { o.cache.refusals = static_cast<std::size_t>(v); })},
      {"memory-cache-refusal-lifetime", "10", "s that one stays there",
       number(1, 3'600, [](Options& o, auto v) { o.cache.refusal_lifetime = seconds(v); })},
      {"rendering-cache", "playlists",
       "what is kept in redis-cache too: what answers for playlists are made from; on: renderings "
       "and manifests of media as well; off: nothing",
       [](Options& o, const std::string& text) -> Error {
         if (text != "on" && text != "playlists" && text != "off")
           return "must be off, playlists or on";
         o.renderings.of_media = text == "on";
         o.renderings.of_playlists = text != "off";
         return std::nullopt;
       }},
      {"rendering-lifetime", "60", "s that one lives there at most",
       number(1, 86'400, [](Options& o, auto v) { o.renderings.lifetime = v; })},
      {"renderings-per-media", "50", "how many of a media are kept there",
       number(1, 10'000, [](Options& o, auto v) { o.renderings.per_media = v; })},
      {"redis-user", "", "ACL user at both; empty: the default user",
       plain(in_options(&Options::redis_user))},
      {"redis-password-file", "", "file with the password at both; empty: none",
       plain(in_options(&Options::redis_password_file))},
      {"redis-timeout", "500",
       "ms to connect, and for each answer; a request waits for redis-cache 50 ms at most",
       number(1, 60'000, [](Options& o, auto v) { o.redis_timeout = milliseconds(v); })},
      {"key-file", "", "file of the keys that seal secrets, a line <key id>:<64 hex digits> each",
       plain(in_options(&Options::key_file))},
      {"max-playlist-medias", "1000", "media that a playlist may have, for svcctl import",
       number(1, media::kMaxPlaylistMedias,
              [](Options& o, auto v) { o.max_playlist_medias = static_cast<std::size_t>(v); })},
      {"issuer", "",
       "URL that names this authorization server, in its metadata and with every code; empty: "
       "base-url",
       url_or_empty(in_options(&Options::issuer))},
      {"access-token-lifetime", "21600", "s that an access token lives",
       number(1, kYear, [](Options& o, auto v) { o.lifetimes.access = v; })},
      {"refresh-token-idle", "5184000",
       "s after which a refresh token that was not used ends; 0: never",
       number(0, 10 * kYear, [](Options& o, auto v) { o.lifetimes.refresh_idle = v; })},
      {"code-lifetime", "60", "s that an authorization code lives",
       number(1, 600, [](Options& o, auto v) { o.lifetimes.code = v; })},
      {"access-tokens-per-grant", "100",
       "live access tokens of one grant; beyond it the oldest ends",
       number(1, 10'000, [](Options& o, auto v) { o.lifetimes.live_access_tokens = v; })},
      {"session-idle", "86400", "s after which somebody who did nothing has to log in again",
       number(1, kYear, [](Options& o, auto v) { o.sessions.idle = v; })},
      {"session-max", "1209600", "s after which everybody has to log in again",
       number(1, kYear, [](Options& o, auto v) { o.sessions.longest = v; })},
      {"log-level", "info", "debug, info, warn or error", set_log_level},
      {"log-requests", "off", "on: one line a request", set_log_requests},
  };
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

// One line at a time, so that what is wrong can be named with its line.
Error read_file(const std::string& path, GivenMap& given) {
  std::ifstream file(path);
  // A directory can be opened, only not read.
  if (!file || std::filesystem::is_directory(path))
    return "cannot read the configuration file " + path;
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
  return std::nullopt;
}

// Values that are right each by itself, and cannot be together.
Error check_together(const Options& options) {
  if (options.redis_timeout >= options.pool.request_timeout) {
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
  for (const Definition& definition : definitions()) {
    const auto found = given.find(definition.name);
    const std::string value = found == given.end() ? definition.preset : found->second.value;
    const std::string where = found == given.end() ? "default" : found->second.where;
    if (const Error error = definition.set(options, value)) {
      return base::Refusal{where + ": " + definition.name + " " + *error};
    }
    if (const Error error = check_in_a_line(value)) {
      return base::Refusal{where + ": " + definition.name + " " + *error};
    }
  }
  // What was left to another setting; the order is that of who asks whom.
  for (std::string embed::Site::*other : {&embed::Site::base_url, &embed::Site::oembed_url,
                                          &embed::Site::embed_host, &embed::Site::provider_url}) {
    if ((options.site.*other).empty()) options.site.*other = options.site.app_url;
  }
  if (options.site.asset_base.empty()) options.site.asset_base = options.site.embed_host;
  if (options.issuer.empty()) options.issuer = options.site.base_url;
  options.pool.name = options.roles.to_text();
  options.pool.worker.name = options.pool.name;
  if (const Error error = check_together(options)) {
    // Named with the place of whatever of it was set.
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

// Where svcctl's command begins: behind the settings, each of which has a value.
int first_of_command(int argc, const char* const* argv) {
  int at = 1;
  while (at < argc) {
    const std::string word = argv[at];
    if (word.empty() || word == "-" || word.front() != '-') return at;
    const bool alone = word == "--help" || word == "-h" || word == "--version" ||
                       word == "--check-config" || word == "--print-config" ||
                       word.find('=') != std::string::npos ||
                       (!word.starts_with("--") && word.size() > 2);
    at += alone ? 1 : 2;
  }
  return argc;
}

}  // namespace

base::Result<CommandLine, std::string> read_command_line(Program program, int argc,
                                                         const char* const* argv) {
  const bool worker = program == Program::Worker;
  po::options_description general(worker ? "svc-worker: a pool of FastCGI workers for nginx"
                                         : "svcctl: looks after what svc-worker serves");
  general.add_options()("help,h", "say this")("version", "say the version")(
      "config,c", po::value<std::string>(), "configuration file, key = value a line")(
      "check-config", "say whether the configuration is right, and end")(
      "print-config", "print the configuration in force, and end");
  po::options_description settings("Settings, on the command line or in the file");
  for (const Definition& definition : definitions()) {
    const std::string help =
        std::string(definition.help) +
        (*definition.preset == '\0' ? "" : " (" + std::string(definition.preset) + ")");
    settings.add_options()(definition.name, po::value<std::string>(), help.c_str());
  }
  po::options_description hidden;
  hidden.add_options()("arguments", po::value<std::vector<std::string>>());
  po::options_description all;
  all.add(general).add(settings).add(hidden);

  CommandLine line;
  // A command's words are its own to read: what is a value of a flag of its, only it knows.
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
    return base::Refusal{std::string("command line: ") + error.what() +
                         "; --help lists what is known"};
  }
  if (flags.count("help") != 0) {
    std::ostringstream text;
    text << general << "\n" << settings;
    line.action = Action::Help;
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
