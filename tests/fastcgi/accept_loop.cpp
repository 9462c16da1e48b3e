// svc-accept-loop SOCKET PROCESSES: the plain FCGX_Accept_r loop of libfcgi's
// examples, to compare with.
//
// PROCESSES processes accept on one unix socket. Each reads the whole body and
// answers with its length. The parent replaces a process that ends.
#include <fcgiapp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int open_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, 511) != 0) {
    std::perror(path.c_str());
    std::exit(1);
  }
  return fd;
}

[[noreturn]] void serve(int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  FCGX_Init();
  FCGX_Request request;
  FCGX_InitRequest(&request, socket, 0);
  while (FCGX_Accept_r(&request) == 0) {
    std::array<char, 8192> piece;  // NOLINT: filled below
    long size = 0;
    while (const int got = FCGX_GetStr(piece.data(), static_cast<int>(piece.size()), request.in)) {
      size += got;
    }
    FCGX_FPrintF(request.out, "Content-Type: text/plain\r\n\r\n%ld bytes\n", size);
    FCGX_Finish_r(&request);
  }
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "svc-accept-loop SOCKET PROCESSES\n");
    return 2;
  }
  const int socket = open_socket(argv[1]);
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    if (fork() == 0) serve(socket);
  }
  while (wait(nullptr) > 0) {
    if (fork() == 0) serve(socket);
  }
  return 1;
}
