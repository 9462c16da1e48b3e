// developer_facts: what the pages for developers tell about this service: the data API, how long
// codes and tokens live, which paths have a limit of requests, and how much of everything there may
// be.
#pragma once

#include "app/options.h"
#include "pages/public/developers_page.h"

namespace svc::app {

pages::DeveloperFacts developer_facts(const Options& options);

}  // namespace svc::app
