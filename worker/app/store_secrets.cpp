#include "app/store_secrets.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/secret_file.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "stores/functions.h"

namespace svc::app {
namespace {

// Returns the first line of a password file, "" for no path.
base::Result<std::string, std::string> read_password(const char* setting, const std::string& path) {
  if (path.empty()) return std::string();
  auto text = base::read_secret_file(setting, path);
  if (!text) return text;
  std::string password = text->substr(0, text->find('\n'));
  if (password.ends_with('\r')) password.pop_back();
  if (password.empty()) {
    return base::Refusal{"cannot read a password from " + std::string(setting) + " " + path +
                         ": its first line is empty"};
  }
  return password;
}

// Of the programs, only a pool may have none.
bool has_store(Program program, const Options& options) {
  return program != Program::Worker || options.roles.has_store();
}

// Of the programs, svcctl and the pools of the roles grant and web have grants, tokens or sessions.
bool has_state(Program program, const Options& options) {
  return program == Program::Ctl || (program == Program::Worker && options.roles.has_state());
}

}  // namespace

redis::ConnectionSettings state_connection(const Options& options, const StoreSecrets& secrets,
                                           const std::string& name) {
  return {.address = options.redis_state,
          .username = options.redis_user,
          .password = secrets.passwords.redis,
          .name = name,
          .sentinel_username = options.sentinel_user,
          .sentinel_password = secrets.passwords.sentinel,
          .timeout = options.redis_timeout,
          .wait_replicas = options.redis_wait_replicas,
          .functions = stores::functions::protocol_of(options.redis_user, false),
          .tls = secrets.redis_tls ? &*secrets.redis_tls : nullptr};
}

redis::ConnectionSettings catalog_connection(const Options& options, const StoreSecrets& secrets,
                                             const std::string& name) {
  redis::ConnectionSettings settings = state_connection(options, secrets, name);
  settings.address = options.catalog_address();
  settings.wait_replicas =
      options.redis_catalog_wait_replicas.value_or(options.redis_wait_replicas);
  return settings;
}

redis::ConnectionSettings cache_connection(const Options& options, const StoreSecrets& secrets,
                                           const std::string& name) {
  // A cache that hangs must not delay requests by more than it saves.
  return {.address = options.redis_cache,
          .username = options.redis_user,
          .password = secrets.passwords.redis,
          .name = name,
          .sentinel_username = options.sentinel_user,
          .sentinel_password = secrets.passwords.sentinel,
          .timeout = std::min(options.redis_timeout, std::chrono::milliseconds(50)),
          .functions = stores::functions::protocol_of(options.redis_user, true),
          .longest_delay = std::chrono::seconds(5),
          .tls = secrets.redis_tls ? &*secrets.redis_tls : nullptr};
}

base::Result<StoreSecrets, std::string> read_store_secrets(const Options& options) {
  auto passwords = read_passwords(options);
  if (!passwords) return base::Refusal{passwords.error()};
  auto tls = read_redis_tls(options);
  if (!tls) return base::Refusal{tls.error()};
  return StoreSecrets{std::move(*passwords), std::move(*tls)};
}

base::Result<StorePasswords, std::string> read_passwords(const Options& options) {
  auto redis = read_password("redis-password-file", options.redis_password_file);
  if (!redis) return base::Refusal{redis.error()};
  auto sentinel = read_password("sentinel-password-file", options.sentinel_password_file);
  if (!sentinel) return base::Refusal{sentinel.error()};
  return StorePasswords{std::move(*redis), std::move(*sentinel)};
}

base::Result<std::optional<base::TlsClient>, std::string> read_redis_tls(const Options& options) {
  if (!options.redis_state.tls && !options.catalog_address().tls && !options.redis_cache.tls)
    return std::optional<base::TlsClient>();
  auto client = base::TlsClient::load(options.redis_tls, "redis-tls");
  if (!client) return base::Refusal{client.error()};
  return std::optional<base::TlsClient>(std::move(*client));
}

std::string check_store_files(Program program, const Options& options) {
  std::string wrong;
  const auto add = [&wrong](const auto& read) {
    if (!read) wrong += (wrong.empty() ? "" : "\n") + read.error();
  };
  if (has_store(program, options)) {
    add(read_passwords(options));
    add(read_redis_tls(options));
  }
  if (program == Program::Courier && options.limits.documents.is_on())
    add(base::TlsClient::load(options.courier_tls, "courier"));
  return wrong;
}

std::string check_stores(Program program, const Options& options) {
  if (!has_store(program, options)) return "";
  const auto secrets = read_store_secrets(options);
  if (!secrets) return secrets.error();
  const std::string name(name_of(program));
  std::vector<std::pair<std::string, redis::ConnectionSettings>> settings;
  settings.emplace_back(options.has_own_catalog() ? "redis-catalog" : "redis-state",
                        catalog_connection(options, *secrets, name));
  if (options.has_own_catalog() && has_state(program, options))
    settings.emplace_back("redis-state", state_connection(options, *secrets, name));
  if (program == Program::Worker && options.roles.embed)
    settings.emplace_back("redis-cache", cache_connection(options, *secrets, name));
  const base::SteadyClock clock;
  for (auto& [setting, one] : settings) {
    one.timeout = options.redis_timeout;
    loop::Loop loop(clock);
    redis::Store store(one, loop);
    try {
      loop.run_until_done(store.ping());
    } catch (const std::runtime_error& error) {
      return setting + ": " + error.what();
    }
  }
  return "";
}

}  // namespace svc::app
