#include "embed/renderings.h"

#include "embed/embed_request.h"
#include "embed/rendering.h"

namespace svc::embed {

// Names instead of numbers: workers of another version, which may number the
// formats differently, read them too.
std::string variant_of(Format format, const EmbedRequest& request) {
  std::string out;
  switch (format) {
    case Format::Json: out = "json "; break;
    case Format::Xml: out = "xml "; break;
  }
  append_variant(out, request);
  return out;
}

}  // namespace svc::embed
