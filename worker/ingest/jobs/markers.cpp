#include "ingest/jobs/markers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace svc::ingest {
namespace {

constexpr std::string_view kGuarded = ".guarded";
constexpr std::string_view kPrivate = ".private";
constexpr std::string_view kOfNumber = ".guarded-";
constexpr std::string_view kOfLink = ".ended-";

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw FileError("cannot " + what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

bool is_marker(std::string_view name) {
  return name == kGuarded || name == kPrivate || name.starts_with(kOfNumber) ||
         name.starts_with(kOfLink);
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

void MarkedFolder::mark(const media::Guard& guard, const Meanwhile& meanwhile) {
  if (guard.is_guarded) {
    const std::string number = std::string(kOfNumber) + std::to_string(guard.links_from);
    std::vector<std::string> ended;
    for (const std::int64_t link : guard.ended_links)
      make(ended.emplace_back(std::string(kOfLink) + std::to_string(link)), meanwhile);
    // The former number first: until the other is there, all signatures are refused.
    remove_others(kOfNumber, {number}, meanwhile);
    make(number, meanwhile);
    if (guard.is_private) make(std::string(kPrivate), meanwhile);
    make(std::string(kGuarded), meanwhile);
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

void MarkedFolder::close(const Meanwhile& meanwhile) {
  make(std::string(kPrivate), meanwhile);
  make(std::string(kGuarded), meanwhile);
  remove_others(kOfNumber, {}, meanwhile);
  sync();
}

void MarkedFolder::make(const std::string& name, const Meanwhile& meanwhile) {
  const base::UniqueFd made(openat(folder_.get(), name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!made && errno == EEXIST) return;
  if (!made) fail("make", path_ + "/" + name);
  is_changed_ = true;
  meanwhile();
}

void MarkedFolder::remove(const std::string& name, const Meanwhile& meanwhile) {
  if (unlinkat(folder_.get(), name.c_str(), 0) != 0) {
    if (errno == ENOENT) return;
    fail("remove", path_ + "/" + name);
  }
  is_changed_ = true;
  meanwhile();
}

void MarkedFolder::remove_others(std::string_view prefix, const std::vector<std::string>& kept,
                                 const Meanwhile& meanwhile) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && std::ranges::find(kept, name) == kept.end())
      found.push_back(std::move(name));
  }
  if (error) throw FileError("cannot read " + path_ + ": " + error.message());
  for (const std::string& name : found) remove(name, meanwhile);
}

void MarkedFolder::sync() {
  if (std::exchange(is_changed_, false) && fsync(folder_.get()) != 0) fail("store", path_);
}

}  // namespace svc::ingest
