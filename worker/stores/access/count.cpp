#include "stores/access/count.h"

#include <utility>

#include "stores/access/count.lua.h"

namespace svc::stores {

loop::Task<Count> count_event(redis::Store& store, std::string counter, std::int64_t seconds) {
  functions::CountEvent event{.counter = std::move(counter), .seconds = seconds};
  const redis::Reply counted = co_await store.call(std::move(event));
  co_return Count{counted.at(0).integer(), counted.at(1).integer()};
}

}  // namespace svc::stores
