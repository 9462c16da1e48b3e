// api_description: describes the whole data API, from the table of routes and each endpoint's
// operations (endpoints/description.h).
#pragma once

#include "endpoints/description.h"

namespace svc::app {

endpoints::ApiDescription describe_api();

}  // namespace svc::app
