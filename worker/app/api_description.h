// api_description: describes the whole data API, from the table of routes and each endpoint's
// operations (endpoints/description.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "endpoints/description.h"

namespace svc::app {

endpoints::ApiDescription describe_api();

// By pattern: the parameters of its GET, and those of a token.
std::map<std::string_view, std::vector<std::string>> parameters_of_gets();

}  // namespace svc::app
