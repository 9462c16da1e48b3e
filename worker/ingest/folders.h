// folders: operations on whole folders of media.
#pragma once

#include <string>

namespace svc::ingest {

// Returns false and sets errno if it cannot.
bool sync_folder(const std::string& path);

// A missing folder is not an error.
void remove_folder(const std::string& path);

// The same for a folder that nginx serves: no file of it is served without its markers. `work`: a
// folder on the same disk, which is made if it is missing.
void discard_folder(const std::string& path, const std::string& work);

}  // namespace svc::ingest
