// log: writes one JSON object per line to standard error. If the journal
// collects that ($JOURNAL_STREAM, systemd.exec(5)), each line goes to the journal's
// own socket instead, as the message of an entry with fields (systemd, "Native
// Journal Protocol"): PRIORITY, SVC_EVENT, and SVC_POOL once set_pool() has named it.
//
// A line contains time (RFC 3339, UTC, milliseconds), level, event, pid and the
// given fields. Never pass a query string, token, cookie, email or password.
// Each line is one write(), so lines of several processes do not mix. A line
// that is longer than PIPE_BUF is cut off. If standard error accepts no data at
// the moment, the line is lost.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace svc::base::log {

// Every event. svc-worker(8) explains each.
inline constexpr std::array<std::string_view, 61> kEvents{
    "accept.failed",
    "courier.reload_refused",
    "courier.reloaded",
    "courier.store_unavailable",
    "ingest.attempt_failed",
    "ingest.captions",
    "ingest.deleted",
    "ingest.dropped",
    "ingest.failed",
    "ingest.forgotten_upload",
    "ingest.given_up",
    "ingest.left_out",
    "ingest.left_to_other_lane",
    "ingest.leftovers",
    "ingest.no_room",
    "ingest.no_room_for_failed",
    "ingest.not_deleted",
    "ingest.not_guarded",
    "ingest.not_removed",
    "ingest.poster_lost",
    "ingest.poster_not_copied",
    "ingest.poster_not_made",
    "ingest.process_ended",
    "ingest.ready",
    "ingest.store_unavailable",
    "ingest.unconfined",
    "ingest.unreadable_job",
    "keeper.store_unavailable",
    "libfcgi.unusable",
    "listener.failed",
    "password.too-expensive",
    "pool.drains",
    "pool.ended",
    "pool.failing",
    "pool.ready",
    "pool.stops",
    "record.corrupt",
    "record.unwritable",
    "reload.begins",
    "reload.done",
    "reload.failed",
    "reload.refused",
    "request",
    "request.slow",
    "socket.lost",
    "socket.renewed",
    "store.back",
    "store.lost",
    "store.refused",
    "store.shared",
    "store.unreplicated",
    "second-factor.unreadable",
    "tracking.back",
    "tracking.lost",
    "upload.not_kept",
    "watch-keys.missing",
    "worker.died",
    "worker.failed",
    "worker.killed",
    "worker.not_spawned",
    "worker.retires",
};

// The name of an event. The compiler rejects a name that is missing in the table.
class Event {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): callers pass a literal
  consteval Event(const char* name) : name_(name) {
    for (const std::string_view event : kEvents) {
      if (event == name_) return;
    }
    throw "an event that is not in kEvents";
  }

  constexpr std::string_view name() const { return name_; }

 private:
  std::string_view name_;
};

enum class Level { Debug, Info, Warn, Error, Off };

using Value = std::variant<std::string_view, std::int64_t, double, bool>;
struct Field {
  std::string_view name;
  Value value;

  Field(std::string_view n, std::string_view v) : name(n), value(v) {}
  Field(std::string_view n, const char* v) : name(n), value(std::string_view(v)) {}
  Field(std::string_view n, const std::string& v) : name(n), value(std::string_view(v)) {}
  Field(std::string_view n, bool v) : name(n), value(v) {}
  Field(std::string_view n, double v) : name(n), value(v) {}
  template <class Integer>
  requires std::is_integral_v<Integer> Field(std::string_view n, Integer v)
      : name(n), value(static_cast<std::int64_t>(v)) {}
};
using Fields = std::initializer_list<Field>;

// Drops lines below this level. Default: Info. The pool's parent sets it before
// it forks.
void set_level(Level level);

// The pool that this process belongs to. The pool's parent sets it before it forks.
void set_pool(std::string_view name);

void write(Level level, Event event, Fields fields);
inline void debug(Event event, Fields fields = {}) { write(Level::Debug, event, fields); }
inline void info(Event event, Fields fields = {}) { write(Level::Info, event, fields); }
inline void warn(Event event, Fields fields = {}) { write(Level::Warn, event, fields); }
inline void error(Event event, Fields fields = {}) { write(Level::Error, event, fields); }

// Begins a sentence for persons on standard error, such as why a program does not start:
// the journal then has it as an error (sd-daemon(3)). Empty if the journal does not listen.
std::string error_prefix();

// Returns the line that write() prints, without its newline. For tests.
std::string format(Level level, Event event, Fields fields);

}  // namespace svc::base::log
