#include "stores/access/form_limit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "stores/access/count.h"
#include "stores/keys.h"

namespace svc::stores {
loop::Task<std::optional<std::int64_t>> FormLimit::wait(media::ContactId contact) {
  std::string counter = keys::settings_forms(contact);
  const Count forms = co_await count_event(store_, std::move(counter), kSeconds);
  if (forms.events <= kMost) co_return std::nullopt;
  co_return std::max<std::int64_t>(forms.ends_in, 1);
}

}  // namespace svc::stores
