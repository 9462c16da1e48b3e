// media_add: takes a file into the catalog, as an upload by the API does.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Command media_add_command();

}  // namespace svc::ctl
