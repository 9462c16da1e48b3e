// log: one JSON object a line on standard error, where the journal picks it up.
//
// A line has time (RFC 3339, UTC, milliseconds), level, event and the fields given. Never pass a
// query string, token, cookie, email or password: what is not given cannot leak. A line is written
// with one write(), so lines of several processes never mix (up to PIPE_BUF on a pipe).
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

// Lines below this level are dropped; Info unless told. Set before a fork, by whoever leads the
// pool.
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

// The line that write() would print, without its end of line; for tests.
std::string format(Level level, std::string_view event, Fields fields);

}  // namespace svc::base::log
