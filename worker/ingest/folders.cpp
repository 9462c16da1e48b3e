#include "ingest/folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "base/log.h"
#include "base/unique_fd.h"

namespace svc::ingest {

bool sync_folder(const std::string& path) {
  const base::UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && fsync(folder.get()) == 0;
}

void remove_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) base::log::warn("ingest.not_removed", {{"reason", error.message()}});
}

void discard_folder(const std::string& path, const std::string& work) {
  std::error_code error;
  std::filesystem::create_directories(work, error);
  const std::string discarded =
      work + "/discarded-" + std::filesystem::path(path).filename().string();
  remove_folder(discarded);
  std::filesystem::rename(path, discarded, error);
  remove_folder(error ? path : discarded);
}

}  // namespace svc::ingest
