#include "integration/asking.h"

#include <utility>

namespace svc::integration {

loop::Task<redis::Reply> replied(redis::Store& store, std::vector<std::string> words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  redis::Store::Call call = store.read(views);
  redis::Reply reply = co_await call;
  co_return reply;
}

std::string text(Store& store, std::vector<std::string> words) {
  const redis::Reply reply = store.run(replied(store.redis(), std::move(words)));
  return std::string(reply.text().value_or("(nil)"));
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace svc::integration
