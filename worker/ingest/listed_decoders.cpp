#include "ingest/listed_decoders.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/unavailable.h"
#include "ingest/source.h"

namespace svc::ingest {

ListedDecoders listed_decoders() {
  namespace fs = std::filesystem;
  constexpr std::string_view kName = "svc-listed-decoders.so";
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  // As installed, then in a build folder: of the program, and of its tests.
  for (const char* place : {"../lib/svc", ".", ".."}) {
    const fs::path library = (folder / place / kName).lexically_normal();
    if (fs::exists(library, error))
      return {library,
              {"LD_PRELOAD=" + library.string(), "SVC_DECODERS=" + std::string(kDecoders)}};
  }
  throw base::Unavailable("svc-listed-decoders.so is not installed");
}

}  // namespace svc::ingest
