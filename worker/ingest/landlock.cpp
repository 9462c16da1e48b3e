#include "ingest/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/unavailable.h"

namespace svc::ingest {
namespace {

// The kernel's interface, from include/uapi/linux/landlock.h. The header of
// Debian 12 has only its first two versions.
struct RulesetAttributes {
  std::uint64_t files;    // handled_access_fs
  std::uint64_t network;  // handled_access_net, version 4
  std::uint64_t scoped;   // version 6
};
struct __attribute__((packed)) PathAttributes {
  std::uint64_t allowed;
  std::int32_t parent;
};
constexpr unsigned kVersionFlag = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadFolder = 1 << 3;
constexpr std::uint64_t kRemoveFolder = 1 << 4;
constexpr std::uint64_t kRemoveFile = 1 << 5;
constexpr std::uint64_t kMakeFolder = 1 << 7;
constexpr std::uint64_t kMakeFile = 1 << 8;
constexpr std::uint64_t kVersion1 = (1 << 13) - 1;
constexpr std::uint64_t kMoveBetweenFolders = 1 << 13;  // version 2
constexpr std::uint64_t kTruncate = 1 << 14;            // version 3
constexpr std::uint64_t kDeviceControl = 1 << 15;       // version 5
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;

constexpr std::uint64_t kReading = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kWriting = kReadFile | kWriteFile | kReadFolder | kRemoveFolder |
                                   kRemoveFile | kMakeFolder | kMakeFile | kMoveBetweenFolders |
                                   kTruncate;

std::uint64_t handled_by(int version) {
  std::uint64_t all = kVersion1;
  if (version >= 2) all |= kMoveBetweenFolders;
  if (version >= 3) all |= kTruncate;
  if (version >= 5) all |= kDeviceControl;
  return all;
}

[[noreturn]] void fail(const std::string& what) {
  throw base::Unavailable("landlock: " + what + ": " + std::strerror(errno));
}

void allow(int ruleset, const std::string& path, std::uint64_t access) {
  const base::UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) {
    if (errno == ENOENT) return;
    fail(path);
  }
  struct stat status {};
  if (fstat(place.get(), &status) != 0) fail(path);
  if (!S_ISDIR(status.st_mode)) access &= kOfFiles;
  const PathAttributes rule{access, place.get()};
  if (syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &rule, 0) != 0) fail(path);
}

}  // namespace

int landlock_version() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersionFlag);
  return version > 0 ? static_cast<int>(version) : 0;
}

base::UniqueFd make_ruleset(const std::vector<std::string>& readable, const std::string& writable) {
  const int version = landlock_version();
  if (version == 0) return {};
  const std::uint64_t handled = handled_by(version);
  RulesetAttributes attributes{handled, 0, 0};
  std::size_t size = sizeof attributes.files;
  if (version >= 4) {
    attributes.network = 3;  // bind and connect of TCP
    size = 2 * sizeof attributes.files;
  }
  if (version >= 6) {
    attributes.scoped = 3;  // abstract Unix sockets and signals
    size = sizeof attributes;
  }
  base::UniqueFd ruleset(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
  if (!ruleset) fail("ruleset");
  for (const std::string& path : readable) allow(ruleset.get(), path, kReading & handled);
  if (!writable.empty()) allow(ruleset.get(), writable, kWriting & handled);
  allow(ruleset.get(), "/dev/null", (kReadFile | kWriteFile | kTruncate) & handled);
  return ruleset;
}

bool restrict_self(int ruleset) { return syscall(SYS_landlock_restrict_self, ruleset, 0) == 0; }

}  // namespace svc::ingest
