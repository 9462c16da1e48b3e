#include "redis/script.h"

#include "base/digest.h"
#include "base/hex.h"

namespace svc::redis {

Script::Script(std::string_view text, std::string_view reply)
    : text_(text), sha1_(base::to_hex(base::sha1(text))), reply_(reply) {}

}  // namespace svc::redis
