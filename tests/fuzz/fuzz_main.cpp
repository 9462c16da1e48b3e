// fuzz_main: the entry point that libFuzzer calls, for the one target of its
// program.
#include <cstddef>
#include <cstdint>

#include "base/log.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  svc::base::log::set_level(svc::base::log::Level::Off);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer passes a null pointer for an empty input.
  svc::fuzz::targets().front().run(
      size == 0 ? std::string_view("")
                : std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
