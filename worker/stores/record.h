// record: how stores treat a record that cannot be parsed, or whose key has another type.
#pragma once

#include <coroutine>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unreadable.h"
#include "redis/store.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::stores {

// Throws base::Unreadable, so the request fails with 503, not with a wrong 404.
// Logs it like log_corrupt_record(). `why` names keys and limits, never a value.
[[noreturn]] void corrupt_record(const std::string& key, const std::string& why);

// Logs that a record cannot be parsed, at most once per hour and process. For lists, which omit
// such a record.
void log_corrupt_record(const std::string& key, std::string_view why);

inline constexpr std::string_view kForeignType = "its key has another type";
bool is_of_foreign_type(const redis::ErrorReply& error);

// `co_await RecordRead{call, key}` awaits the GET of a record. Throws like corrupt_record() if the
// key has another type: that is no outage of the store.
struct RecordRead {
  redis::Store::Call& call;
  const std::string& key;

  bool await_ready() const noexcept { return call.is_done(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    call.operator co_await().await_suspend(waiting);
  }
  redis::Reply await_resume() {
    try {
      return call.operator co_await().await_resume();
    } catch (const redis::ErrorReply& error) {
      if (!is_of_foreign_type(error)) throw;
    }
    corrupt_record(key, std::string(kForeignType));
  }
};

template <class T>
T must_read(const std::string& key, base::Result<T, std::string> parsed) {
  if (!parsed) corrupt_record(key, parsed.error());
  return std::move(*parsed);
}

// Returns what `from_record` makes of `text`. Throws like corrupt_record() if
// the text cannot be parsed.
template <class FromRecord>
auto read_record(text::json::Document& document, const std::string& key, std::string_view text,
                 FromRecord from_record) {
  return must_read(key, text::parse_record(document, text, from_record));
}

}  // namespace svc::stores
