// api_reference: the operations and records of the data API on their page for developers, from the
// same description as the OpenAPI document (api-N9).
#pragma once

#include <string_view>

#include "embed/site.h"
#include "endpoints/description.h"
#include "pages/template.h"

namespace svc::pages {

// Words between backticks as code, and each name of a record as a link to it.
Html marked(std::string_view text, const endpoints::ApiDescription& api);

// Shows the chapters, operations and records.
void show_api(Values& values, const embed::Site& site, const endpoints::ApiDescription& api);

// Shows the deprecated parts.
void show_deprecations(Values& values, const endpoints::ApiDescription& api);

}  // namespace svc::pages
