// Options: the command line and the configuration file, validated.
// Boost.ProgramOptions stops here.
//
// The file contains lines `key = value`; `#` begins a comment anywhere in a
// line. Keys are the names of the long flags. After the file FILE the files
// FILE.d/*.conf are read, by name; each overrides the files before it. A flag
// overrides all of them, and may only have values that a file can contain. Unknown
// keys and invalid values are rejected, with their place and the allowed values.
// svcctl gets them as WrongLines in addition to the other settings: some commands help to
// find the cause.
//
// Without --config, svcctl reads the file that the variable SVC_CONFIG names,
// or else /etc/svc/svc.conf if it exists.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/password_hash.h"
#include "base/result.h"
#include "base/tls.h"
#include "cache/response_cache.h"
#include "embed/site.h"
#include "endpoints/public/oembed_caching.h"
#include "library/caption_service.h"
#include "media/playlist.h"
#include "media/upload_limits.h"
#include "oauth/limits.h"
#include "pool/parent/pool.h"
#include "redis/address.h"
#include "redis/connection_settings.h"
#include "stores/access/sessions.h"
#include "stores/catalog/renderings.h"
#include "viewing/table.h"

namespace svc::app {

// The endpoints that a pool serves.
struct Roles {
  bool embed = true;   // oEmbed, manifest, media and player pages
  bool grant = true;   // token, revoke, introspect, metadata, API
  bool web = true;     // login, authorize, consent, settings
  bool upload = true;  // files of new media, once the role grant has permitted them

  // The role upload has no store: it parses files of strangers.
  bool has_store() const { return embed || grant || web; }
  // Whether they use redis-state, and not redis-catalog alone.
  bool has_state() const { return grant || web; }
  std::string to_text() const;
};

struct Options {
  Roles roles;
  std::string listen;  // path of the pool's socket
  unsigned listen_mode = 0660;
  int backlog = 4096;
  std::string pid_file;
  pool::PoolSettings pool;

  embed::Site site;
  std::string logo_file;  // empty: our logo
  endpoints::OembedCaching oembed;
  int manifest_max_age = 60;  // seconds
  int page_max_age = 60;      // seconds
  cache::Settings cache;
  stores::RenderingSettings renderings;

  redis::Address redis_state;
  std::optional<redis::Address> redis_catalog;  // nullopt: as redis_state
  redis::Address redis_cache;
  std::string redis_user;
  std::string redis_password_file;
  std::string sentinel_user;
  std::string sentinel_password_file;
  base::TlsFiles redis_tls;
  std::chrono::milliseconds redis_timeout = redis::ConnectionSettings().timeout;
  unsigned redis_wait_replicas = 0;
  std::optional<unsigned> redis_catalog_wait_replicas;  // nullopt: as redis_wait_replicas
  std::string key_file;
  std::string watch_key_file;
  int stats_days = 730;
  viewing::Limits viewing;
  std::string stats_bots_file;  // empty: no programs are known
  std::string upload_dir = "/var/lib/svc/uploads";
  std::string media_dir = "/var/lib/svc/media";
  std::string language_dir;  // empty: only the languages of the program
  media::UploadLimits uploads;
  library::CaptionLimits captions;
  int failed_upload_days = 7;
  std::size_t max_playlist_medias = media::kDefaultPlaylistMedias;
  stores::SessionLifetimes sessions;
  base::HashCost password_cost;

  std::string issuer;  // in tokens and metadata; base-url if not set
  oauth::Limits limits;
  base::TlsFiles courier_tls;  // only its CAs

  base::log::Level log_level = base::log::Level::Info;

  const redis::Address& catalog_address() const {
    return redis_catalog ? *redis_catalog : redis_state;
  }
  // Whether the catalog is in another Redis than the state.
  bool has_own_catalog() const { return catalog_address().to_text() != redis_state.to_text(); }
};

enum class Program { Worker, Ctl, Ingest, Courier, Keeper };
std::string_view name_of(Program program);  // "svc-worker"
enum class Action {
  Run,
  CheckConfig,
  CheckStores,
  PrintConfig,
  PrintRoutes,
  Help,
  HelpSettings,
  Version
};

// A line of the configuration file that cannot be used, or values of it that
// cannot be used together.
struct WrongLine {
  std::string why;                    // with its place
  std::vector<std::string> settings;  // those that it sets or was probably meant to set
};

struct CommandLine {
  Action action = Action::Run;
  Options options;
  std::vector<WrongLine> wrong_lines;  // svcctl, Action::Run; `options` has defaults instead
  std::string config_file;             // the file that was read; empty if only flags were
  std::string printed;                 // the output of PrintConfig, Help and HelpSettings
  std::vector<std::string> arguments;  // svcctl: its command and the command's arguments
};

// The error is one or more lines for the operator.
base::Result<CommandLine, std::string> read_command_line(Program program, int argc,
                                                         const char* const* argv);

// Returns the words of svcctl's command, which follow its settings. Empty if the command line has
// only settings.
std::vector<std::string> command_words(int argc, const char* const* argv);

// The configuration file of the package.
inline constexpr const char* kInstalledConfig = "/etc/svc/svc.conf";
// Returns whether the words before svcctl's command name no other configuration
// than that file.
bool has_installed_settings(int argc, const char* const* argv);

// Returns the names of all settings, with dashes.
std::vector<std::string> setting_names();

// A setting that is a number, in the unit of the file.
struct NumberSetting {
  std::string_view name;
  std::int64_t value = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
};
// Returns all of these with their values in `options`.
std::vector<NumberSetting> number_settings(Options options);

// Returns the name of an option that differs and that a running pool cannot change; nullopt if
// every difference can be applied.
std::optional<std::string> changed_for_good(const Options& now, const Options& next);

}  // namespace svc::app
