#include "stores/record.h"

namespace svc::stores {

void corrupt_record(const std::string& key, const std::string& why) {
  log_corrupt_record(key, why);
  throw base::Unreadable("the record " + key + " cannot be read: " + why);
}

loop::Task<redis::Reply> or_absent(loop::Task<redis::Reply> calling) {
  try {
    redis::Reply reply = co_await calling;
    co_return reply;
  } catch (const redis::WrongValue&) {
    // The channel logs it.
  }
  co_return redis::Reply(nullptr);
}

}  // namespace svc::stores
