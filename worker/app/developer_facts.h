// developer_facts: what the pages for developers tell about this service: the data API, how long
// codes and tokens live, and which paths have a limit of requests.
#pragma once

#include "oauth/stores.h"
#include "pages/public/developers_page.h"

namespace svc::app {

pages::DeveloperFacts developer_facts(const oauth::Limits& limits);

}  // namespace svc::app
