#include "redis/script.h"

#include "base/digest.h"
#include "base/hex.h"

namespace svc::redis {

Script::Script(std::string_view text) : text_(text), sha1_(base::to_hex(base::sha1(text))) {}

}  // namespace svc::redis
