#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/unique_fd.h"

namespace svc::base::log {
namespace {

// The only globals: every part of a process logs at the same level, for the same pool.
Level g_level = Level::Info;
std::string g_pool;

std::string_view name_of(Level level) {
  switch (level) {
    case Level::Debug: return "debug";
    case Level::Info: return "info";
    case Level::Warn: return "warn";
    case Level::Error:
    case Level::Off: break;
  }
  return "error";
}

// RFC 5424, section 6.2.1, as the journal numbers it.
char priority_of(Level level) {
  switch (level) {
    case Level::Debug: return '7';
    case Level::Info: return '6';
    case Level::Warn: return '4';
    case Level::Error:
    case Level::Off: break;
  }
  return '3';
}

// Returns true if the journal reads this process's standard error.
bool journal_listens() {
  static const bool listens = [] {
    struct stat out {};
    const char* stream = std::getenv("JOURNAL_STREAM");
    return stream != nullptr && fstat(STDERR_FILENO, &out) == 0 &&
           std::to_string(out.st_dev) + ":" + std::to_string(out.st_ino) == stream;
  }();
  return listens;
}

// The journal's socket; -1 if the journal does not listen or is out of sight.
int journal() {
  static const UniqueFd socket = [] {
    UniqueFd made{journal_listens() ? ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1};
    const sockaddr_un address{AF_UNIX, "/run/systemd/journal/socket"};
    if (!made ||
        connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return UniqueFd{};
    }
    return made;
  }();
  return socket.get();
}

// Returns whether the journal has the entry. No value has a newline.
bool tell_journal(Level level, Event event, std::string_view line) {
  if (journal() < 0) return false;
  std::string entry = "PRIORITY=";
  entry += priority_of(level);
  entry.append("\nSYSLOG_IDENTIFIER=").append(program_invocation_short_name);
  entry.append("\nSVC_EVENT=").append(event.name());
  if (!g_pool.empty()) entry.append("\nSVC_POOL=").append(g_pool);
  entry.append("\nMESSAGE=").append(line).append("\n");
  return send(journal(), entry.data(), entry.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
         errno == EAGAIN;  // if the journal is full, the line is lost, as below
}

// Returns the prefix that the journal reads as the line's priority (sd-daemon(3)).
std::string prefix_of(Level level) {
  return journal_listens() ? std::string("<") + priority_of(level) + '>' : std::string();
}

// base/ cannot use text/json. Every byte that is not printable ASCII is
// escaped, so quoted text cannot break the line or put invalid UTF-8 into the
// journal.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", byte);
      out += escaped.data();
    } else if (byte < 0x80) {
      out += c;
    } else {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\\\x%02x", byte);
      out += escaped.data();
    }
  }
  out += '"';
}

}  // namespace

void set_level(Level level) { g_level = level; }

void set_pool(std::string_view name) { g_pool = name; }

std::string error_prefix() { return prefix_of(Level::Error); }

std::string format(Level level, Event event, Fields fields) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm utc{};
  gmtime_r(&now.tv_sec, &utc);
  std::array<char, 80> time{};
  std::snprintf(time.data(), time.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900,
                utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                static_cast<int>(now.tv_nsec / 1'000'000));
  std::string line = "{\"time\":\"";
  line += time.data();
  line += "\",\"level\":\"";
  line += name_of(level);
  line += "\",\"event\":";
  append_quoted(line, event.name());
  line += ",\"pid\":" + std::to_string(getpid());
  for (const Field& field : fields) {
    line += ',';
    append_quoted(line, field.name);
    line += ':';
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      append_quoted(line, *text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&field.value)) {
      line += std::to_string(*integer);
    } else if (const auto* number = std::get_if<double>(&field.value)) {
      std::array<char, 40> digits{};
      std::snprintf(digits.data(), digits.size(), "%.3f", *number);
      line += digits.data();
    } else {
      line += std::get<bool>(field.value) ? "true" : "false";
    }
  }
  line += '}';
  return line;
}

void write(Level level, Event event, Fields fields) {
  if (level < g_level) return;
  std::string line = format(level, event, fields);
  if (tell_journal(level, event, line)) return;
  line.insert(0, prefix_of(level)) += '\n';
  // The service continues if its log cannot be written; the failure cannot be reported anywhere. It
  // also continues if the reader is blocked: then the line is lost.
  pollfd out{STDERR_FILENO, POLLOUT, 0};
  if (poll(&out, 1, 0) != 1 || (out.revents & POLLOUT) == 0) return;
  if (line.size() > PIPE_BUF) {
    line.resize(PIPE_BUF - 1);  // a longer write can block halfway
    line += '\n';
  }
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace svc::base::log
