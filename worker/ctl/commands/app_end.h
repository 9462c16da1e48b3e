// app_end: the end of an application, for `svcctl app delete` and `svcctl account delete`.
#pragma once

#include "ctl/command.h"
#include "oauth/client.h"

namespace svc::ctl {

// Deletes its record and ends every grant. May be repeated, also without a record. The context has
// keys.
void end_application(Context& context, const oauth::ClientId& id);

}  // namespace svc::ctl
