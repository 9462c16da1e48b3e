// svc-test-facts: prints tables of the code, each as a line of JSON that begins with its name
// (tests/facts.py). It has headers only, so that scripts/check compiles nothing else for it.
#include <initializer_list>
#include <iostream>
#include <string>
#include <vector>

#include "app/routes.h"
#include "base/log.h"
#include "embed/embed_request.h"
#include "oauth/audit_event.h"
#include "stores/function_table.h"
#include "stores/kinds.h"

namespace {

// None of these texts has a character that JSON escapes.
template <class Rows, class... Texts>
void print(std::string_view name, const Rows& rows, Texts... texts) {
  std::cout << "[\"" << name << '"';
  for (const auto& row : rows) {
    std::cout << ", [";
    const char* between = "";
    for (const std::string_view text : {std::string_view(texts(row))...}) {
      std::cout << between << '"' << text << '"';
      between = ", ";
    }
    std::cout << ']';
  }
  std::cout << "]\n";
}

}  // namespace

int main() {
  using namespace svc;
  const auto itself = [](std::string_view name) { return name; };
  print("log events", base::log::kEvents, itself);
  print(
      "audit kinds", oauth::kAuditKinds, [](const auto& kind) { return kind.name; },
      [](const auto& kind) { return kind.streams == 1 ? "one stream" : "by account"; });
  print(
      "audit events", oauth::audit_events(), [](const auto& event) { return event.what; },
      [](const auto& event) { return event.kind; });
  print(
      "kinds", stores::kKinds, [](const auto& kind) { return kind.key; },
      [](const auto& kind) { return kind.type; }, [](const auto& kind) { return kind.lives; },
      [](const auto& kind) { return kind.rights; });
  print(
      "shared rights", stores::kSharedRights, [](const auto& row) { return row.keys; },
      [](const auto& row) { return row.rights; });
  print(
      "functions", stores::functions::kFunctions, [](const auto& row) { return row.name; },
      [](const auto& row) { return row.users; }, [](const auto& row) { return row.keys; });
  const auto path = [](const auto& row) { return row.path.pattern; };
  print("routes", app::routes(), path);
  for (const app::Server& server : app::servers()) {
    std::vector<std::string_view> patterns;
    for (const auto& row : app::routes())
      if ((row.path.hosts & server.host) != 0) patterns.push_back(path(row));
    for (const auto& row : app::files())
      if ((row.path.hosts & server.host) != 0) patterns.push_back(path(row));
    print("paths of " + std::string(server.setting), patterns, itself);
  }
  print("parameters", embed::kEmbedParameters, itself);
  print("player options", embed::player_options(), [](const auto& option) { return option.name; });
  print(
      "choices of player options", embed::player_options(),
      [](const auto& option) { return option.name; },
      [](const auto& option) { return option.choices; });
}
