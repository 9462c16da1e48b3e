// api_description: the whole data API, described: from the table of routes, and what each endpoint
// says of its operations (endpoints/description.h).
#pragma once

#include "endpoints/description.h"

namespace svc::app {

endpoints::ApiDescription describe_api();

}  // namespace svc::app
