// processors: keeps conversions away from one processor.
#pragma once

namespace svc::ingest {

// Takes the first processor from this process and its later children, if it
// has more than one. On the others, the kernel may let a conversion finish its
// turn of some milliseconds before a response goes on, even at idle weight.
void leave_a_processor();

}  // namespace svc::ingest
