// ListeningSocket: the unix socket of a pool, our own or one that systemd passed in.
//
// Never TCP: whoever can write to the socket can crash libfcgi.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace svc::fastcgi {

class ListeningSocket {
 public:
  // Binds `path` with this mode. A socket file that nobody listens on is replaced; one that
  // somebody listens on, or a file that is no socket, is refused.
  static base::Result<ListeningSocket, std::string> open(const std::string& path, mode_t mode,
                                                         int backlog);

  // The socket of that name among those that systemd passed (LISTEN_PID, LISTEN_FDS,
  // LISTEN_FDNAMES; sd_listen_fds(3)); with one only, its name does not matter. The variables are
  // left for nobody else. A netlink socket among them is kept for take_netlink().
  static base::Result<ListeningSocket, std::string> inherited(const std::string& name);
  static bool was_passed();  // whether systemd passed this process any

  int fd() const { return fd_.get(); }

  // The netlink socket that systemd passed beside it, if any: to ask the kernel with, from a
  // sandbox that may not make one.
  base::UniqueFd take_netlink() { return std::move(netlink_); }

  // Does what open() did once more, when its file is not there any more or is another one: true.
  // False when there is nothing to do, as always with a socket that was passed in. The descriptor
  // keeps its number; whoever got a copy by fork() before still has the old socket.
  base::Result<bool, std::string> renew_if_lost();

  // Removes the file, when it is still the one that open() made.
  void remove_file() const;

 private:
  bool has_its_file() const;

  ListeningSocket(base::UniqueFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  base::UniqueFd fd_;
  base::UniqueFd netlink_;
  std::string path_;  // empty when it was passed in
  mode_t mode_ = 0;
  int backlog_ = 0;
  // Of the file. Not given to another file as long as the socket is open.
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace svc::fastcgi
