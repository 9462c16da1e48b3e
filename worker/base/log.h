// log: writes one JSON object per line to standard error, from where the
// journal collects it.
//
// A line contains time (RFC 3339, UTC, milliseconds), level, event, pid and the
// given fields. Never pass a query string, token, cookie, email or password.
// Each line is one write(), so lines of several processes do not mix. A line
// that is longer than PIPE_BUF is cut off. If standard error accepts no data at
// the moment, the line is lost.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace svc::base::log {

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

void write(Level level, std::string_view event, Fields fields);
inline void debug(std::string_view event, Fields fields = {}) {
  write(Level::Debug, event, fields);
}
inline void info(std::string_view event, Fields fields = {}) { write(Level::Info, event, fields); }
inline void warn(std::string_view event, Fields fields = {}) { write(Level::Warn, event, fields); }
inline void error(std::string_view event, Fields fields = {}) {
  write(Level::Error, event, fields);
}

// Returns the line that write() prints, without its newline. For tests.
std::string format(Level level, std::string_view event, Fields fields);

}  // namespace svc::base::log
