// standard_streams: makes the descriptors 0, 1 and 2 safe to use.
#pragma once

namespace svc::base {

// Call first in main. Opens /dev/null for each of the three that is closed.
// Otherwise the next file or socket would get its number, and a log line could
// end up in a response. Also ignores SIGPIPE: write() reports the error
// instead.
void secure_standard_streams();

}  // namespace svc::base
