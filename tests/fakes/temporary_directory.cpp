#include "fakes/temporary_directory.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace svc::fakes {

TemporaryDirectory::TemporaryDirectory()
    : path_((std::filesystem::temp_directory_path() / "svc-test-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr)
    throw std::runtime_error("mkdtemp " + path_ + ": " + std::strerror(errno));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(std::string_view name, std::string_view content) const {
  std::ofstream file(path(name), std::ios::binary | std::ios::trunc);
  file << content;
  if (!file.flush()) throw std::runtime_error("cannot write " + path(name));
  return path(name);
}

}  // namespace svc::fakes
