// standard_streams: a process that can trust its descriptors 0, 1 and 2.
#pragma once

namespace svc::base {

// First thing in main: what of the three was closed becomes /dev/null, or the next file or socket
// that is opened would get its number, and a line of the log end up in a client's answer. SIGPIPE
// is ignored: whoever writes is told by the result.
void secure_standard_streams();

}  // namespace svc::base
