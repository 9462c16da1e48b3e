// responder: the minimum cost of a FastCGI response with libfcgi, used well.
//
//   responder SOCKET PROCESSES HEAD_FILE BODY_FILE                 always the bytes of BODY_FILE
//   responder SOCKET PROCESSES HEAD_FILE BODY_FILE REDIS_SOCKET    one GET per request; its
//                                                                  value is the response
//
// HEAD_FILE has the header lines of every response except Content-Length, each ended by CR LF.
// PROCESSES processes keep nginx's connections in one epoll set each, and pass libfcgi a
// connection when it has data. The key of the GET is bench:rendering:<id>; the id is the text
// after the last %2F of the query string. Without such a value, BODY_FILE is the response. It
// parses and renders nothing, and leaves descriptors to libfcgi, as most programs do: the limit
// for its kind. Ends on TERM.
#include <fcgiapp.h>
#include <hiredis/hiredis.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

int open_socket(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path, 0666) != 0 || listen(fd, 511) != 0) {
    std::perror(path);
    std::exit(1);
  }
  return fd;
}

class Answers {
 public:
  Answers(const char* head_file, const char* body_file, const char* redis_path)
      : head_(content(head_file)), body_(content(body_file)) {
    if (redis_path == nullptr) return;
    redis_ = redisConnectUnix(redis_path);
    if (redis_ == nullptr || redis_->err != 0) std::exit(1);
  }

  void answer(FCGX_Request& request) {
    if (redis_ == nullptr) return write(request, body_);
    const char* query = FCGX_GetParam("QUERY_STRING", request.envp);
    const char* id = query != nullptr ? std::strrchr(query, '%') : nullptr;
    const std::string_view name(id != nullptr && std::strlen(id) > 3 ? id + 3 : "");
    auto* reply = static_cast<redisReply*>(
        redisCommand(redis_, "GET bench:rendering:%b", name.data(), name.size()));
    if (reply == nullptr) std::exit(1);
    const bool found = reply->type == REDIS_REPLY_STRING;
    write(request, found ? std::string_view(reply->str, reply->len) : std::string_view(body_));
    freeReplyObject(reply);
  }

 private:
  static std::string content(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void write(FCGX_Request& request, std::string_view body) {
    out_ = head_;
    out_ += "Content-Length: ";
    out_ += std::to_string(body.size());
    out_ += "\r\n\r\n";
    out_ += body;
    FCGX_PutStr(out_.data(), static_cast<int>(out_.size()), request.out);
  }

  redisContext* redis_ = nullptr;
  const std::string head_;
  const std::string body_;
  std::string out_;
};

// Exclusive, so that a new connection wakes one process; out and in again, so that it is another
// one the next time.
void watch(int epoll, int fd, int how, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll, how, fd, &event);
}

[[noreturn]] void serve(int socket, Answers answers) {
  const int epoll = epoll_create1(0);
  watch(epoll, socket, EPOLL_CTL_ADD, EPOLLIN | EPOLLEXCLUSIVE);
  FCGX_Init();
  FCGX_Request request;
  FCGX_InitRequest(&request, -1, 0);
  std::array<epoll_event, 64> events{};
  while (true) {
    const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == socket) {
        const int fd = accept(socket, nullptr, nullptr);
        if (fd < 0) continue;
        watch(epoll, fd, EPOLL_CTL_ADD, EPOLLIN | EPOLLRDHUP);
        watch(epoll, socket, EPOLL_CTL_DEL, 0);
        watch(epoll, socket, EPOLL_CTL_ADD, EPOLLIN | EPOLLEXCLUSIVE);
        continue;
      }
      if ((event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
        close(event.data.fd);
        continue;
      }
      // libfcgi takes a descriptor in ipcFd for a keep-alive connection, and does not accept one.
      request.ipcFd = event.data.fd;
      request.keepConnection = 1;
      if (FCGX_Accept_r(&request) != 0) continue;
      answers.answer(request);
      FCGX_Finish_r(&request);
      request.ipcFd = -1;
    }
  }
}

std::vector<pid_t> children;
void end(int) {
  for (const pid_t child : children) kill(child, SIGKILL);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "responder SOCKET PROCESSES HEAD_FILE BODY_FILE [REDIS_SOCKET]\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  const int socket = open_socket(argv[1]);
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const pid_t pid = fork();
    if (pid == 0) serve(socket, Answers(argv[3], argv[4], argc == 6 ? argv[5] : nullptr));
    children.push_back(pid);
  }
  std::signal(SIGTERM, end);
  std::signal(SIGINT, end);
  while (wait(nullptr) > 0) {
  }
  return 1;
}
