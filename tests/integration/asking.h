// asking: sends one command to a store and waits for the reply.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "integration/store.h"
#include "redis/reply.h"

namespace svc::integration {

// Sends `words` as a read, which is repeated on a new connection if the first connection fails.
loop::Task<redis::Reply> replied(redis::Store& store, std::vector<std::string> words);

// Returns the reply as text, "(nil)" if it is not a text.
std::string text(Store& store, std::vector<std::string> words);

bool has(std::string_view text, std::string_view part);

}  // namespace svc::integration
