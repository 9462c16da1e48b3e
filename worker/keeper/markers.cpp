#include "keeper/markers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/log.h"

namespace svc::keeper {
namespace {

constexpr std::string_view kGuarded = ".guarded";
constexpr std::string_view kPrivate = ".private";
constexpr std::string_view kOfNumber = ".guarded-";
constexpr std::string_view kOfLink = ".ended-";
constexpr std::string_view kGuarding = ".guarding";

std::string target_of(media::AccountId account) {
  return "../" + account_folder(account) + "/" + std::string(kGuarded);
}

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw ingest::FileError("cannot " + what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

bool is_marker(std::string_view name) {
  return name == kGuarded || name == kPrivate || name == kGuarding || name.starts_with(kOfNumber) ||
         name.starts_with(kOfLink);
}

std::string account_folder(media::AccountId account) {
  return std::string(kAccounts) + "/" + std::to_string(account.value());
}

void share_folders(const std::string& media, const ingest::Meanwhile& meanwhile) {
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(media, error);
  for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    meanwhile();
    struct stat found {};
    const char* const path = at->path().c_str();
    // Accounts have folders, too.
    if (at.depth() > 0 || at->path().filename() != kAccounts) at.disable_recursion_pending();
    if (lstat(path, &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
        (found.st_mode & S_IWGRP) != 0)
      continue;
    if (chmod(path, (found.st_mode & 07777) | S_IWGRP) != 0)
      base::log::warn("ingest.not_guarded", {{"folder", path}, {"reason", std::strerror(errno)}});
  }
}

std::optional<MarkedFolder> MarkedFolder::open(const std::string& path) {
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!folder) fail("open", path);
  int locked = 0;
  do {
    locked = flock(folder.get(), LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) fail("lock", path);
  return MarkedFolder(path, std::move(folder));
}

void MarkedFolder::mark(const media::Guard& guard, const ingest::Meanwhile& meanwhile) {
  remove(std::string(kGuarding), meanwhile);
  if (!guard.is_open()) {
    const std::string number = std::string(kOfNumber) + std::to_string(guard.links_from);
    std::vector<std::string> ended;
    for (const std::int64_t link : guard.ended_links)
      make(ended.emplace_back(std::string(kOfLink) + std::to_string(link)), meanwhile);
    // The former number first: until the other is there, all signatures are refused.
    remove_others(kOfNumber, {number}, meanwhile);
    make(number, meanwhile);
    if (guard.is_private) make(std::string(kPrivate), meanwhile);
    make_guarded(guard.is_guarded ? "" : target_of(*guard.as_account), meanwhile);
    if (!guard.is_private) remove(std::string(kPrivate), meanwhile);
    remove_others(kOfLink, ended, meanwhile);
  } else {
    remove(std::string(kPrivate), meanwhile);
    remove(std::string(kGuarded), meanwhile);
    remove_others(kOfNumber, {}, meanwhile);
    remove_others(kOfLink, {}, meanwhile);
  }
  sync();
}

void MarkedFolder::close(const ingest::Meanwhile& meanwhile) {
  remove(std::string(kGuarding), meanwhile);
  make(std::string(kPrivate), meanwhile);
  make_guarded("", meanwhile);
  remove_others(kOfNumber, {}, meanwhile);
  sync();
}

void MarkedFolder::mark_rule(bool is_guarded, const ingest::Meanwhile& meanwhile) {
  if (is_guarded) {
    make(std::string(kGuarded), meanwhile);
  } else {
    remove(std::string(kGuarded), meanwhile);
  }
  sync();
}

bool MarkedFolder::is_as(media::AccountId account) const {
  return guarded_target() == target_of(account);
}

std::string MarkedFolder::guarded_target() const {
  std::array<char, 256> target{};
  const ssize_t length =
      readlinkat(folder_.get(), std::string(kGuarded).c_str(), target.data(), target.size());
  if (length < 0) return "";
  return {target.data(), static_cast<std::size_t>(length)};
}

// Another name first: a link in the place of the file, or the reverse, must not be missing.
void MarkedFolder::make_guarded(const std::string& target, const ingest::Meanwhile& meanwhile) {
  const std::string name(kGuarded);
  struct stat found {};
  const bool exists = fstatat(folder_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISLNK(found.st_mode) != target.empty() && guarded_target() == target) return;
  const std::string next(kGuarding);
  if (target.empty()) {
    make(next, meanwhile);
  } else if (symlinkat(target.c_str(), folder_.get(), next.c_str()) != 0) {
    fail("make", path_ + "/" + next);
  }
  if (renameat(folder_.get(), next.c_str(), folder_.get(), name.c_str()) != 0)
    fail("make", path_ + "/" + name);
  is_changed_ = true;
  meanwhile();
}

void MarkedFolder::make(const std::string& name, const ingest::Meanwhile& meanwhile) {
  const base::UniqueFd made(openat(folder_.get(), name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!made && errno == EEXIST) return;
  if (!made) fail("make", path_ + "/" + name);
  is_changed_ = true;
  meanwhile();
}

void MarkedFolder::remove(const std::string& name, const ingest::Meanwhile& meanwhile) {
  if (unlinkat(folder_.get(), name.c_str(), 0) != 0) {
    if (errno == ENOENT) return;
    fail("remove", path_ + "/" + name);
  }
  is_changed_ = true;
  meanwhile();
}

void MarkedFolder::remove_others(std::string_view prefix, const std::vector<std::string>& kept,
                                 const ingest::Meanwhile& meanwhile) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && std::ranges::find(kept, name) == kept.end())
      found.push_back(std::move(name));
  }
  if (error) throw ingest::FileError("cannot read " + path_ + ": " + error.message());
  for (const std::string& name : found) remove(name, meanwhile);
}

void MarkedFolder::sync() {
  if (std::exchange(is_changed_, false) && fsync(folder_.get()) != 0) fail("store", path_);
}

}  // namespace svc::keeper
