#include "ingest/files.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/unique_fd.h"

namespace svc::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 64 << 20;  // bytes per call that copies
constexpr const char* kTestFile = "/.room";

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw FileError("cannot " + what + " " + path + ": " + std::strerror(errno));
}

base::UniqueFd open_new(const std::string& path) {
  base::UniqueFd file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) fail("create", path);
  return file;
}

bool is_regular(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void settle_one(const std::string& path, mode_t mode) {
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) fail("open", path);
  if (fchmod(file.get(), mode) != 0) fail("set the mode of", path);
  if (fsync(file.get()) != 0) fail("synchronise", path);
}

// Returns 0 or errno.
int try_to_write(const std::string& path) {
  unlink(path.c_str());
  const base::UniqueFd file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return errno;
  // Random, because a file system may compress: zeros would take no space.
  std::array<std::uint32_t, 16384> piece{};
  std::uint32_t random = 2463534242;
  std::uint64_t written = 0;
  int error = 0;
  while (error == 0 && written < kLeastRoom) {
    for (std::uint32_t& word : piece) {
      random ^= random << 13;
      random ^= random >> 17;
      random ^= random << 5;
      word = random;
    }
    const ssize_t now = write(file.get(), piece.data(), sizeof piece);
    if (now > 0) written += static_cast<std::uint64_t>(now);
    if (now == 0) error = ENOSPC;
    if (now < 0 && errno != EINTR) error = errno;
  }
  // A network file system may refuse only here.
  if (error == 0 && fsync(file.get()) != 0) error = errno;
  if (unlink(path.c_str()) != 0 && error == 0) error = errno;
  return error;
}

// Whether a file system has figures at all: some network file systems return zeros.
bool is_short_of(const struct statvfs& disk, std::uint64_t bytes, std::uint64_t files) {
  const std::uint64_t block = disk.f_frsize;
  return (disk.f_blocks > 0 && disk.f_bavail < (bytes + block - 1) / block) ||
         (disk.f_files > 0 && disk.f_favail < files);
}

}  // namespace

std::string why_not_stored(int error) {
  if (error == ENOSPC || error == EDQUOT) return "The disk is full.";
  if (error == EROFS) return "The disk is read-only.";
  return "The machine could not store the result.";
}

std::string why_no_room(const std::string& folder, std::uint64_t bytes, std::uint64_t files) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return why_not_stored(errno);
  if ((disk.f_flag & ST_RDONLY) != 0) return why_not_stored(EROFS);
  if (is_short_of(disk, std::max(bytes, kLeastRoom), std::max(files, kLeastFiles)))
    return why_not_stored(ENOSPC);
  const int error = try_to_write(folder + kTestFile);
  return error == 0 ? "" : why_not_stored(error);
}

bool is_short_of_room(const std::string& folder) {
  struct statvfs disk {};
  return statvfs(folder.c_str(), &disk) == 0 && is_short_of(disk, kLeastRoom, kLeastFiles);
}

void make_shared_folder(const std::string& folder) {
  std::error_code error;
  // The process's umask takes the right of the group away.
  if (fs::create_directory(folder, error)) fs::permissions(folder, fs::perms(kFolderMode), error);
  if (error) throw FileError("cannot make " + folder + ": " + error.message());
}

void make_empty_folder(const std::string& folder) {
  try {
    fs::create_directory(folder);
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
    fs::permissions(folder, fs::perms(kFolderMode));
  } catch (const std::system_error& error) {
    throw FileError(error.what());
  }
}

void copy_slice(const std::string& source, std::uint64_t offset, std::uint64_t length,
                const std::string& target, const Meanwhile& meanwhile) {
  const base::UniqueFd from(open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!from) fail("open", source);
  const base::UniqueFd to = open_new(target);
  auto at = static_cast<off64_t>(offset);
  bool by_range = true;  // shares blocks where the file system can
  while (length > 0) {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(length, kPiece));
    const ssize_t copied = by_range ? copy_file_range(from.get(), &at, to.get(), nullptr, most, 0)
                                    : sendfile64(to.get(), from.get(), &at, most);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && by_range && errno != ENOSPC && errno != EIO) {
      by_range = false;  // EXDEV, EINVAL, ENOSYS, …: not these file systems
      continue;
    }
    if (copied == 0) errno = ENODATA;
    if (copied <= 0) fail("copy to", target);
    length -= static_cast<std::uint64_t>(copied);
    if (fdatasync(to.get()) != 0) fail("synchronise", target);
    meanwhile();
  }
  if (fsync(to.get()) != 0) fail("synchronise", target);
}

void write_file(const std::string& path, std::string_view text) {
  const base::UniqueFd file = open_new(path);
  while (!text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write", path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::optional<std::string> read_file(const std::string& path, std::uint64_t offset,
                                     std::uint64_t most) {
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file || !is_regular(file.get())) return std::nullopt;
  std::string text(most, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = pread64(file.get(), text.data() + length, text.size() - length,
                                static_cast<off64_t>(offset + length));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

std::optional<std::uint64_t> size_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t size_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error); !error && at != fs::end(at);
       at.increment(error))
    bytes += size_of(at->path()).value_or(0);
  return bytes;
}

void settle(const std::string& folder, const Meanwhile& meanwhile) {
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      settle_one(entry.path(), entry.is_directory() ? kFolderMode : 0644);
      meanwhile();
    }
  } catch (const std::system_error& error) {
    throw FileError(error.what());
  }
  settle_one(folder, kFolderMode);
}

}  // namespace svc::ingest
