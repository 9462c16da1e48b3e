// processors: keeps conversions away from one processor.
#pragma once

namespace svc::ingest {

// Takes the first processor from this process and its later children, if it
// has more than one. On the others, a response may wait some milliseconds for
// the turn of a conversion to end, although conversions have idle weight.
void leave_a_processor();

}  // namespace svc::ingest
