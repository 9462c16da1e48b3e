#include "redis/function.h"

namespace svc::redis {

bool are_functions_missing(std::string_view error) {
  // The second is of the library itself (stores/functions.py).
  return error == "ERR Function not found" || error.starts_with("PROTOCOL ");
}

}  // namespace svc::redis
