// Secrets: the contents of the files that the configuration names: keys, languages, bots, the logo.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/options.h"
#include "app/store_secrets.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "pages/languages.h"
#include "viewing/bots.h"

namespace svc::app {

// The contents of secret files and of catalogs, read before the workers are forked.
struct Secrets : StoreSecrets {
  // set for the roles grant and web
  std::optional<base::KeyRing> keys{};
  std::optional<base::KeyRing> watch_keys{};  // of watch-key-file, for embed, grant and web
  pages::Languages languages{};  // those of the program, for other roles than grant and web
  viewing::Bots bots{};          // of stats-bots-file, for embed
  std::string logo{};            // of logo-file, for the role embed; empty: ours
};

// Reads the files named in the options. The error never contains their
// contents.
base::Result<Secrets, std::string> read_secrets(const Options& options);

// Returns the keys of key-file, or of watch-key-file; nullopt without a path.
base::Result<std::optional<base::KeyRing>, std::string> read_keys(const std::string& path);

// Returns the languages of the program, and those of language-dir.
base::Result<pages::Languages, std::string> read_languages(const Options& options);

// As check_store_files(), with the problems of keys and languages. For svc-worker and svcctl.
std::string check_files(Program program, const Options& options);

// The media type of a logo-file, by its name.
std::string_view logo_media_type(std::string_view path);

}  // namespace svc::app
