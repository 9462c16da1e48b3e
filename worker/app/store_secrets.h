// store_secrets: what each program needs to connect to Redis. Without the parts of a pool, so that
// a program that has none is small.
#pragma once

#include <optional>
#include <string>

#include "app/options.h"
#include "base/result.h"
#include "base/tls.h"
#include "redis/connection_settings.h"

namespace svc::app {

// The first lines of the password files; "" if no file is configured.
struct StorePasswords {
  std::string redis;
  std::string sentinel;
};

struct StoreSecrets {
  StorePasswords passwords{};
  std::optional<base::TlsClient> redis_tls{};  // set if a store's URL begins with rediss://
};

// Reads the files named in the options, as all of these. The error never contains their contents.
base::Result<StoreSecrets, std::string> read_store_secrets(const Options& options);

base::Result<StorePasswords, std::string> read_passwords(const Options& options);

// Returns the configuration of TLS for Redis; nullopt if no store's URL begins
// with rediss://.
base::Result<std::optional<base::TlsClient>, std::string> read_redis_tls(const Options& options);

// `secrets` must outlive the connection.
redis::ConnectionSettings state_connection(const Options& options, const StoreSecrets& secrets,
                                           const std::string& name);

// The same of redis-catalog.
redis::ConnectionSettings catalog_connection(const Options& options, const StoreSecrets& secrets,
                                             const std::string& name);

// For the cache Redis: with a timeout of at most 50 ms, and a breaker that
// stays open for up to 5 s. `secrets` must outlive the connection.
redis::ConnectionSettings cache_connection(const Options& options, const StoreSecrets& secrets,
                                           const std::string& name);

// Returns the problems of the files that the options name for Redis and svc-courier, one per line;
// "" if all can be used.
std::string check_store_files(Program program, const Options& options);

// Asks each Redis that the program uses, and blocks for at most the time limit of each. Returns why
// a Redis does not answer its user; "" if all do.
std::string check_stores(Program program, const Options& options);

}  // namespace svc::app
