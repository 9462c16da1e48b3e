// api_description: describes the whole data API, from the table of routes and each endpoint's
// operations (endpoints/description.h).
#pragma once

#include <map>
#include <string_view>

#include "endpoints/description.h"
#include "http/router.h"

namespace svc::app {

endpoints::ApiDescription describe_api();

// By pattern: the parameters of its GET.
std::map<std::string_view, http::ReadParameters> parameters_of_gets();

}  // namespace svc::app
