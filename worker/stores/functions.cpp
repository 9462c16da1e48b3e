#include "stores/functions.h"

#include <string>

namespace svc::stores::functions {

unsigned protocol_of(std::string_view user, bool in_cache) {
  const std::string word = " " + std::string(user) + " ";
  for (const Row& row : kFunctions) {
    if (row.keys.starts_with("embed:") != in_cache) continue;
    if ((" " + std::string(row.users) + " ").find(word) != std::string::npos) return kProtocol;
  }
  return 0;
}

}  // namespace svc::stores::functions
