// template_files: the files of pages/templates, put into the program when it is built.
#pragma once

#include <span>
#include <string_view>

namespace svc::pages {

struct TemplateFile {
  std::string_view name;  // as on disk, e.g. media.tpl
  std::string_view text;
};

std::span<const TemplateFile> template_files();

}  // namespace svc::pages
