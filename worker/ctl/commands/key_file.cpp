#include "ctl/commands/key_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "base/hex.h"
#include "base/key_ring.h"
#include "base/signed_files.h"
#include "base/unique_fd.h"
#include "text/ascii.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

// k20261121T090000Z
bool is_made_here(std::string_view id) {
  constexpr std::string_view kForm = "k00000000T000000Z";
  if (id.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (kForm[i] == '0' ? !text::is_digit(id[i]) : id[i] != kForm[i]) return false;
  }
  return true;
}

// Returns the time when that key was created; nullopt if new_key_id() did not create the id.
std::optional<std::int64_t> time_of(const std::string& id) {
  if (!is_made_here(id)) return std::nullopt;
  return text::seconds_of_rfc3339(id.substr(1, 4) + "-" + id.substr(5, 2) + "-" + id.substr(7, 5) +
                                  ":" + id.substr(12, 2) + ":" + id.substr(14));
}

// Returns the lines with their newlines.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    lines.back() += '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_key(const std::string& line) {
  return line.find_first_not_of(" \r\n") != std::string::npos && line.front() != '#';
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

std::string because_of(const std::string& what) { return what + ": " + std::strerror(errno); }

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

// Makes the file with the mode and owner of `status`, or replaces it.
std::string replace_file(const std::string& path, std::string_view text,
                         const struct stat& status) {
  const std::string fresh = path + ".new";
  // Removes the file of an interrupted run. No other run uses it, because this process has the
  // lock.
  unlink(fresh.c_str());
  const base::UniqueFd file(
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return because_of("cannot create " + fresh);
  const auto give_up = [&](const std::string& what) {
    const std::string why = because_of(what);
    unlink(fresh.c_str());
    return why + "; " + path + " was not changed";
  };
  // Set owner and mode before the content, so that no other user can ever read it.
  const bool same_owner = status.st_uid == geteuid() && status.st_gid == getegid();
  if (!same_owner && fchown(file.get(), status.st_uid, status.st_gid) != 0)
    return give_up("cannot give " + fresh + " the owner of " + path);
  if (fchmod(file.get(), status.st_mode & 07777) != 0)
    return give_up("cannot give " + fresh + " the mode of " + path);
  if (!write_all(file.get(), text) || fsync(file.get()) != 0)
    return give_up("cannot write " + fresh);
  if (rename(fresh.c_str(), path.c_str()) != 0) return give_up("cannot rename " + fresh);
  const base::UniqueFd directory(
      open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || fsync(directory.get()) != 0)
    return because_of(path + " was replaced, but possibly not written to the disk yet");
  return "";
}

}  // namespace

std::string new_key_id(const base::KeyRing& ring, std::int64_t now) {
  for (const std::string& id : ring.ids()) {
    if (const auto made = time_of(id)) now = std::max(now, *made + 1);
  }
  std::string id = "k";
  for (const char c : text::to_rfc3339(now)) {
    if (c != '-' && c != ':') id += c;
  }
  return id;
}

std::optional<std::string> waiting_key(const base::KeyRing& ring) {
  const auto ids = ring.ids();
  const std::string& first = ids.front();
  const std::string& last = ids.back();
  if (ids.size() < 2 || !is_made_here(last)) return std::nullopt;
  if (is_made_here(first) && first > last) return std::nullopt;
  return last;
}

std::string with_new_key(std::string_view file, std::string_view id, base::Entropy& entropy) {
  std::string bytes(base::KeyRing::kKeyBytes, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
  auto lines = lines_of(file);
  lines.push_back(std::string(id) + ":" + base::to_hex(bytes) + "\n");
  return joined(lines);
}

std::string with_last_key_first(std::string_view file) {
  auto lines = lines_of(file);
  std::size_t first = lines.size();
  std::size_t last = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_key(lines[i])) continue;
    first = std::min(first, i);
    last = i;
  }
  if (first >= last) return joined(lines);
  const std::string key = lines[last];
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(last));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(first), key);
  return joined(lines);
}

// Locks the directory, because each change replaces the file.
KeyFileLock::KeyFileLock(const std::string& path) {
  directory_ = open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) {
    error_ = because_of("cannot open the directory of " + path);
  } else if (flock(directory_, LOCK_EX | LOCK_NB) != 0) {
    error_ = errno == EWOULDBLOCK ? "another svcctl is changing " + path + ", try again later"
                                  : because_of("cannot lock the directory of " + path);
  }
}

KeyFileLock::~KeyFileLock() {
  if (directory_ >= 0) close(directory_);
}

std::string replace_key_file(const std::string& path, std::string_view text) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return because_of("cannot get the status of " + path);
  return replace_file(path, text, status);
}

base::Result<std::string, std::string> nginx_secrets(const base::KeyRing& ring) {
  std::string text =
      "# Made from watch-key-file by svcctl; a change here is lost. svc-media-values.conf reads "
      "it.\n";
  std::map<std::string, std::string> known;
  for (const auto& [id, secret] : base::signing_secrets(ring)) {
    // A map of nginx ignores case.
    const auto [other, is_new] = known.emplace(text::to_lower(id), id);
    if (!is_new) {
      return base::Refusal{"nginx cannot tell the keys " + other->second + " and " + id +
                           " of watch-key-file apart: rename one, which ends what it signed"};
    }
    text += "=" + id + " " + secret + ";\n";
  }
  return text;
}

std::string replace_nginx_secrets(const std::string& watch_key_file, std::string_view text) {
  const std::string path = directory_of(watch_key_file) + "/nginx-file-secrets.conf";
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return replace_file(path, text, status);
  if (stat(watch_key_file.c_str(), &status) != 0)
    return because_of("cannot get the status of " + watch_key_file);
  status.st_mode = 0600;
  return replace_file(path, text, status);
}

}  // namespace svc::ctl
