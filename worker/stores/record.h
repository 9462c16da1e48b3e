// record: how stores treat a record that cannot be parsed, or whose key has another type.
#pragma once

#include <coroutine>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unreadable.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/store.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::stores {

// Throws base::Unreadable, so the request fails with 503, not with a wrong 404.
// Logs it like log_corrupt_record(). `why` names keys and limits, never a value.
[[noreturn]] void corrupt_record(const std::string& key, const std::string& why);

// For lists, which omit a record that cannot be parsed.
inline void log_corrupt_record(const std::string& key, std::string_view why) {
  base::log_unreadable(key, why);
}

using base::kForeignType;

// Awaits a call, as the call itself does.
struct Awaited {
  redis::Store::Call& call;

  bool await_ready() const noexcept { return call.is_done(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    call.operator co_await().await_suspend(waiting);
  }
};

// `co_await RecordRead{call, key}` awaits the reading of a record. Throws like corrupt_record() if
// the key has another type: that is no outage of the store.
struct RecordRead : Awaited {
  const std::string& key;

  RecordRead(redis::Store::Call& read, const std::string& name) : Awaited{read}, key(name) {}
  redis::Reply await_resume() {
    try {
      return call.operator co_await().await_resume();
    } catch (const redis::WrongValue&) {
      // Below, so that nothing is thrown while another exception is caught.
    }
    corrupt_record(key, std::string(kForeignType));
  }
};

// `co_await OrAbsent{call}` awaits the reading of what a request can do without: a key of another
// type counts as absent, and nil is returned. The channel logs it.
struct OrAbsent : Awaited {
  redis::Reply await_resume() {
    try {
      return call.operator co_await().await_resume();
    } catch (const redis::WrongValue&) {
      return redis::Reply(nullptr);
    }
  }
};
// The same of a function.
loop::Task<redis::Reply> or_absent(loop::Task<redis::Reply> calling);

// Runs the task, for a program that goes from one job to the next. Throws base::Unreadable in place
// of redis::WrongValue: what meets such a value is not tried again, as it is in an outage.
template <class T>
T run_or_unreadable(loop::Loop& loop, loop::Task<T> task) {
  try {
    return loop.run_until_done(std::move(task));
  } catch (const redis::WrongValue& error) {
    throw base::Unreadable(error.what());
  }
}

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
