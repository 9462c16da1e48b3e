// template_files: the files of pages/templates, compiled into the program.
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
