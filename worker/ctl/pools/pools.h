// pools: which pools a command of svcctl is about.
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
    "Without --socket, the pools are the one at listen of the configuration or beside pid-file; if "
    "neither is set, those at embed.sock, grant.sock and web.sock beside the file of --config, "
    "where scripts/serve has them, otherwise those in /run/svc.";

// The sockets of --socket or, without one, those that `defaults` and `pid_file` lead to. The error
// says where there was none.
base::Result<std::vector<std::string>, std::string> pool_sockets(const Arguments& arguments,
                                                                 const std::string& pid_file,
                                                                 const PoolDefaults& defaults);

}  // namespace svc::ctl
