// secret_file: a file that holds a secret, which only its owner and perhaps its group may read.
#pragma once

#include <string>

#include "base/result.h"

namespace svc::base {

// Its content, at most 64 KiB of it. The refusal calls it by `name`, as in "the key file", and says
// its path; never what is in it.
Result<std::string, std::string> read_secret_file(const std::string& name, const std::string& path);

}  // namespace svc::base
