#include "base/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace svc::base {

void secure_standard_streams() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);  // the lowest free number
  if (fd >= 0) close(fd);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

}  // namespace svc::base
