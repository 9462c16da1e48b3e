// functions: what Redis runs for us, each atomically (the .lua files beside the stores). They are
// loaded into each Redis as one library, by a user of its own (`svcctl catalog load-functions`).
#pragma once

#include <string_view>

#include "stores/function_table.h"

namespace svc::stores::functions {

// The library's text, for FUNCTION LOAD.
std::string_view library();

// Returns what the connections of a user of Redis ask for (redis/connection_settings.h): 0 if it
// calls no function there.
unsigned protocol_of(std::string_view user, bool in_cache);

}  // namespace svc::stores::functions
