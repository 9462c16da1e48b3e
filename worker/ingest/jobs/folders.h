// folders: operations on whole folders of media.
#pragma once

#include <string>

namespace svc::ingest {

// Returns false and sets errno if it cannot.
bool sync_folder(const std::string& path);

// A missing folder is not an error.
void remove_folder(const std::string& path);

}  // namespace svc::ingest
