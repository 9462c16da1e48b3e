// openapi: the description of the data API as a document, OpenAPI 3.1 (api-N9).
#pragma once

#include <string>
#include <string_view>

#include "embed/site.h"
#include "endpoints/description.h"

namespace svc::endpoints {

// `version`: of the service.
std::string openapi_json(const ApiDescription& api, const embed::Site& site,
                         std::string_view version);

// The operation that returns it.
Described describe_openapi();

}  // namespace svc::endpoints
