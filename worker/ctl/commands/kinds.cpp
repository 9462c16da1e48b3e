#include "ctl/commands/kinds.h"

#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "stores/kinds.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

std::string json_of(const stores::Kind& kind) {
  std::string out;
  text::json::ObjectWriter(out)
      .string("key", kind.key)
      .string("store", to_text(kind.store))
      .string("type", kind.type)
      .string("holds", kind.holds)
      .string("lives", kind.lives)
      .string("made_by", kind.made_by)
      .string("largest", kind.largest)
      .string("bound", kind.bound)
      .string("rights", kind.rights)
      .end();
  return out;
}

void print(const stores::Kind& kind) {
  std::cout << kind.key << "\n  " << kind.type << ": " << kind.holds << "\n";
  const std::array<std::pair<std::string_view, std::string_view>, 6> lines{{
      {"store    ", to_text(kind.store)},
      {"lives    ", kind.lives},
      {"made by  ", kind.made_by},
      {"largest  ", kind.largest},
      {"bound    ", kind.bound},
      {"rights   ", kind.rights},
  }};
  for (const auto& [name, text] : lines) {
    if (!text.empty()) std::cout << "  " << name << text << "\n";
  }
}

}  // namespace

Outcome print_kinds(const Arguments& arguments, Context&) {
  const std::string prefix = arguments.operands() > 0 ? arguments.operand(0) : "";
  bool is_any = false;
  for (const stores::Kind& kind : stores::kKinds) {
    if (!kind.key.starts_with(prefix)) continue;
    is_any = true;
    if (arguments.json()) {
      std::cout << json_of(kind) << "\n";
    } else {
      print(kind);
    }
  }
  for (const stores::SharedRights& row : stores::kSharedRights) {
    if (!row.keys.starts_with(prefix)) continue;
    is_any = true;
    if (arguments.json()) {
      std::string out;
      text::json::ObjectWriter(out).string("key", row.keys).string("rights", row.rights).end();
      std::cout << out << "\n";
    } else {
      std::cout << row.keys << "\n  rights   " << row.rights << "\n";
    }
  }
  if (!is_any) return Refusal{"no kind of record begins with " + prefix};
  return kDone;
}

}  // namespace svc::ctl
