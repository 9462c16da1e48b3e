// paths: the path and the hosts of each route, once. The table of routes (app/routes.h) has their
// other properties; links of pages, embed codes and responses are made from these constants.
//
// Include the one of the three that has the name, and in .cpp files only: who does compiles again
// with each new path of it.
#pragma once

#include "base/api_paths.h"
#include "base/public_paths.h"
#include "base/settings_paths.h"
