// language_files: the catalogs of pages/languages, compiled into the program.
#pragma once

#include <span>

#include "pages/template_files.h"

namespace svc::pages {

std::span<const TemplateFile> language_files();  // e.g. de.po

}  // namespace svc::pages
