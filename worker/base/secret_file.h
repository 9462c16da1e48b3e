// secret_file: reads a file that contains a secret. Only its owner may write
// it, and only its owner and its group may read it.
#pragma once

#include <string>

#include "base/result.h"

namespace svc::base {

// Returns the file's first 64 KiB. The refusal contains `name`, such as "the
// key file", and the path, but never the content.
Result<std::string, std::string> read_secret_file(const std::string& name, const std::string& path);

}  // namespace svc::base
