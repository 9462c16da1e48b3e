// listed_decoders: for programs that read an upload, hides every decoder that is not in kDecoders.
#pragma once

#include <string>
#include <vector>

namespace svc::ingest {

struct ListedDecoders {
  std::string library;  // worker/listed_decoders.cpp, which the program loads
  std::vector<std::string> environment;
};

// Throws base::Unavailable if the library is not installed.
ListedDecoders listed_decoders();

}  // namespace svc::ingest
