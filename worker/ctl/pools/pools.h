// pools: the pools that a svcctl command applies to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ctl/command.h"

namespace svc::ctl {

// The flag of every command about pools, and the paragraph of its help.
Flag socket_flag();
inline constexpr std::string_view kWhichPools =
    "Without --socket, the pool is that of listen in the configuration, or next to pid-file; if "
    "neither is set, the pools are embed.sock, grant.sock and web.sock next to the file of "
    "--config, as with scripts/serve, otherwise in /run/svc.";

// Returns the sockets of --socket; without it, the sockets found by `defaults` and `pid_file`. The
// error lists the paths without a socket.
base::Result<std::vector<std::string>, std::string> pool_sockets(const Arguments& arguments,
                                                                 const std::string& pid_file,
                                                                 const PoolDefaults& defaults);

}  // namespace svc::ctl
