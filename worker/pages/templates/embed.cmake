# Writes OUT, a C++ file with the text of each file in the list FILES, as string literals, which FUNCTION returns. It is
# declared in pages/FUNCTION.h.
set(text "#include \"pages/${FUNCTION}.h\"\n\n#include <array>\n\nnamespace svc::pages {\n\n")
string(APPEND text "std::span<const TemplateFile> ${FUNCTION}() {\n")
list(LENGTH FILES count)
string(APPEND text "  static const std::array<TemplateFile, ${count}> kFiles{{\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  # Read as bytes: CMake would interpret semicolons and brackets in the text.
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${hex}")
  # Short literals, so that an escape does not swallow a digit after it and lines stay short.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?)" "\n       \"\\1\"" literal "${escaped}")
  string(APPEND text "      {\"${name}\",${literal}},\n")
endforeach()
string(APPEND text "  }};\n  return kFiles;\n}\n\n}  // namespace svc::pages\n")
file(WRITE ${OUT} "${text}")
