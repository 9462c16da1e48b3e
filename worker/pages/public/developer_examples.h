// developer_examples: the blocks of the pages for developers that are not of the data API. Each is
// complete: a test puts it into a page, or runs it, as it is printed (pages-W61, pages-W111).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"
#include "pages/public/code_block.h"

namespace svc::pages {

struct DeveloperExample {
  std::string_view id;  // of its block; {{BLOCK_ID}} in a template, in upper case and with _ for -
  CodeKind kind;
  std::string code;
};

// The media of the examples: that of example-media, or MEDIA_ID.
std::string example_media(const embed::Site& site);

// In the order of their pages.
std::vector<DeveloperExample> developer_examples(const embed::Site& site);

}  // namespace svc::pages
