// ListeningSocket: a pool's unix socket, either made here or passed in by
// systemd.
//
// Never TCP: a client that can write to the socket can crash libfcgi.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace svc::fastcgi {

class ListeningSocket {
 public:
  // Binds `path` with this mode and listens. Replaces a socket file on which no
  // process listens. Returns an error if a process listens on it, or if the
  // file is not a socket.
  static base::Result<ListeningSocket, std::string> open(const std::string& path, mode_t mode,
                                                         int backlog);

  // Returns the socket of that name among those that systemd passed
  // (LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES; sd_listen_fds(3)). If it is the
  // only one, its name does not matter. Unsets these variables. Keeps a passed
  // netlink socket for take_netlink().
  static base::Result<ListeningSocket, std::string> inherited(const std::string& name);
  static bool was_passed();  // true if systemd passed sockets to this process

  int fd() const { return fd_.get(); }

  // Returns the netlink socket that systemd passed, if any, once: a sandboxed
  // process may not make one.
  base::UniqueFd take_netlink() { return std::move(netlink_); }

  // If the socket's file is missing or was replaced, repeats open() and returns
  // true. Returns false if nothing was to be done, as always with a passed
  // socket. The descriptor keeps its number; copies made by an earlier fork()
  // still refer to the old socket.
  base::Result<bool, std::string> renew_if_lost();

  // Removes the file if it is still the file that open() created.
  void remove_file() const;

 private:
  bool has_its_file() const;

  ListeningSocket(base::UniqueFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  base::UniqueFd fd_;
  base::UniqueFd netlink_;
  std::string path_;  // empty if it was passed in
  mode_t mode_ = 0;
  int backlog_ = 0;
  // Identify the file. The kernel does not reuse these numbers while the socket is open.
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace svc::fastcgi
