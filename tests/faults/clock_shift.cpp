// libsvc-clock-shift: for LD_PRELOAD; shifts the wall clock of a process while it runs.
//
// SVC_CLOCK_SHIFT names a file of 8 bytes, the seconds to add in the machine's byte order. The file
// is mapped, so a change applies to the next reading. Other clocks are not shifted, as when an
// operator or NTP steps the clock. (The usual tool for this, libfaketime, does not start a program
// that uses jemalloc.)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const volatile std::int64_t* shift = nullptr;  // s

__attribute__((constructor)) void map_shift() {
  const char* path = std::getenv("SVC_CLOCK_SHIFT");
  const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void* mapped = mmap(nullptr, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) shift = static_cast<const volatile std::int64_t*>(mapped);
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the names of libc are reserved.
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long status = syscall(SYS_clock_gettime, clock, now);
  const bool of_the_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (status == 0 && of_the_wall && shift != nullptr) now->tv_sec += *shift;
  return static_cast<int>(status);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec precise{};
  const int status = clock_gettime(CLOCK_REALTIME, &precise);
  if (status == 0) *now = {precise.tv_sec, precise.tv_nsec / 1000};
  return status;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
