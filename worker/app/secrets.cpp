#include "app/secrets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <ios>
#include <utility>

namespace svc::app {
namespace {

// A file that a logo may be, by the end of its name: what its bytes have in common.
struct LogoType {
  std::string_view end;
  std::string_view media_type;
  std::string_view name;
  std::string_view mark;
  bool is_mark_first;
};
constexpr std::array kLogoTypes{
    LogoType{".svg", "image/svg+xml", "an SVG", "<svg", false},
    LogoType{".png", "image/png", "a PNG", "\x89PNG\r\n\x1a\n", true},
    LogoType{".ico", "image/x-icon", "an icon", std::string_view("\0\0\1\0", 4), true}};

// The setting allows these ends only.
const LogoType& logo_type(std::string_view path) {
  return *std::ranges::find_if(kLogoTypes,
                               [&](const LogoType& type) { return path.ends_with(type.end); });
}

// Returns the whole file. The error is the reason, without its name.
base::Result<std::string, std::string> read_small_file(const std::string& path) {
  constexpr std::size_t kMost = 64 * 1024;
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Refusal{std::string(std::strerror(errno))};
  std::string bytes(kMost + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return base::Refusal{std::string("it is not a file")};
  if (bytes.empty()) return base::Refusal{std::string("it is empty")};
  if (bytes.size() > kMost) return base::Refusal{std::string("it is larger than 64 KiB")};
  return bytes;
}

base::Result<viewing::Bots, std::string> read_bots(const std::string& path) {
  if (path.empty()) return viewing::Bots();
  const auto refused = [&](const std::string& why) {
    return base::Refusal{"cannot read stats-bots-file " + path + ": " + why};
  };
  const auto text = read_small_file(path);
  if (!text) return refused(text.error());
  auto bots = viewing::Bots::parse(*text);
  if (!bots) return refused(bots.error());
  return bots;
}

base::Result<std::string, std::string> read_logo(const std::string& path) {
  if (path.empty()) return std::string();
  const auto refused = [&](const std::string& why) {
    return base::Refusal{"cannot read a logo from logo-file " + path + ": " + why};
  };
  auto bytes = read_small_file(path);
  if (!bytes) return refused(bytes.error());
  const LogoType& type = logo_type(path);
  const std::size_t mark = bytes->find(type.mark);
  if (mark == std::string::npos || (type.is_mark_first && mark != 0))
    return refused("it is not " + std::string(type.name));
  return bytes;
}

bool has_watch_keys(const Options& options) {
  return options.roles.embed || options.roles.grant || options.roles.web;
}

}  // namespace

base::Result<Secrets, std::string> read_secrets(const Options& options) {
  StoreSecrets store;
  if (options.roles.has_store()) {
    auto read = read_store_secrets(options);
    if (!read) return base::Refusal{read.error()};
    store = std::move(*read);
  }
  Secrets secrets{std::move(store)};
  if (options.roles.embed) {
    auto logo = read_logo(options.logo_file);
    if (!logo) return base::Refusal{logo.error()};
    secrets.logo = std::move(*logo);
  }
  if (options.roles.embed) {
    auto bots = read_bots(options.stats_bots_file);
    if (!bots) return base::Refusal{bots.error()};
    secrets.bots = std::move(*bots);
  }
  if (has_watch_keys(options)) {
    auto watch_keys = read_keys(options.watch_key_file);
    if (!watch_keys) return base::Refusal{watch_keys.error()};
    secrets.watch_keys = std::move(*watch_keys);
  }
  if (!options.roles.grant && !options.roles.web) return secrets;
  if (options.key_file.empty()) {
    return base::Refusal{std::string(
        "key-file is missing: the roles grant and web need the keys that encrypt secrets")};
  }
  auto keys = read_keys(options.key_file);
  if (!keys) return base::Refusal{keys.error()};
  secrets.keys = std::move(*keys);
  auto languages = read_languages(options);
  if (!languages) return base::Refusal{languages.error()};
  secrets.languages = std::move(*languages);
  return secrets;
}

base::Result<pages::Languages, std::string> read_languages(const Options& options) {
  auto languages = pages::Languages::load(options.language_dir);
  if (!languages) return base::Refusal{"language-dir: " + languages.error()};
  return languages;
}

base::Result<std::optional<base::KeyRing>, std::string> read_keys(const std::string& path) {
  if (path.empty()) return std::optional<base::KeyRing>();
  auto keys = base::KeyRing::load(path);
  if (!keys) return base::Refusal{keys.error()};
  return std::optional<base::KeyRing>(std::move(*keys));
}

std::string check_files(Program program, const Options& options) {
  std::string wrong = check_store_files(program, options);
  const auto add = [&wrong](const auto& read) {
    if (!read) wrong += (wrong.empty() ? "" : "\n") + read.error();
  };
  if (options.roles.grant || options.roles.web) {
    add(read_keys(options.key_file));
    add(read_languages(options));
  }
  if (has_watch_keys(options)) add(read_keys(options.watch_key_file));
  if (options.roles.embed) add(read_bots(options.stats_bots_file));
  return wrong;
}

std::string_view logo_media_type(std::string_view path) { return logo_type(path).media_type; }

}  // namespace svc::app
