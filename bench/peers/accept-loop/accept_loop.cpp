// accept_loop: the peer that is the usual first version.
//
//   accept_loop SOCKET PROCESSES REDIS_SOCKET PREFIX BODY_FILE
//
// PROCESSES processes in a plain FCGX_Accept_r loop, each with one Redis connection: one GET per
// request, of PREFIX and the text after the last %2F of the query string (the media's id), then
// always the same response, the bytes of BODY_FILE. It parses and renders nothing, so it is a limit
// for its kind. Ends on TERM.
#include <fcgiapp.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

int open_socket(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path, 0666) != 0 || listen(fd, 511) != 0) {
    std::perror(path);
    std::exit(1);
  }
  return fd;
}

[[noreturn]] void serve(int socket, const char* redis_path, const std::string& prefix,
                        const std::string& body) {
  redisContext* redis = redisConnectUnix(redis_path);
  if (redis == nullptr || redis->err != 0) std::exit(1);
  const std::string head = "Content-Type: application/json; charset=utf-8\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n";
  FCGX_Init();
  FCGX_Request request;
  FCGX_InitRequest(&request, socket, 0);
  while (FCGX_Accept_r(&request) == 0) {
    const char* query = FCGX_GetParam("QUERY_STRING", request.envp);
    const char* id = query != nullptr ? std::strrchr(query, '%') : nullptr;
    const std::string key = prefix + (id != nullptr && std::strlen(id) > 3 ? id + 3 : "");
    auto* reply = static_cast<redisReply*>(redisCommand(redis, "GET %b", key.data(), key.size()));
    if (reply == nullptr || reply->type != REDIS_REPLY_STRING) std::exit(1);
    freeReplyObject(reply);
    FCGX_PutStr(head.data(), static_cast<int>(head.size()), request.out);
    FCGX_PutStr(body.data(), static_cast<int>(body.size()), request.out);
    FCGX_Finish_r(&request);
  }
  std::exit(1);
}

std::vector<pid_t> children;
void end(int) {
  for (const pid_t child : children) kill(child, SIGKILL);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "accept_loop SOCKET PROCESSES REDIS_SOCKET PREFIX BODY_FILE\n");
    return 2;
  }
  std::ifstream file(argv[5], std::ios::binary);
  const std::string body{std::istreambuf_iterator<char>(file), {}};
  const int socket = open_socket(argv[1]);
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const pid_t pid = fork();
    if (pid == 0) serve(socket, argv[3], argv[4], body);
    children.push_back(pid);
  }
  std::signal(SIGTERM, end);
  std::signal(SIGINT, end);
  while (wait(nullptr) > 0) {
  }
  return 1;
}
