#include "base/qr_code.h"

#include <qrencode.h>

#include <memory>

namespace svc::base {
namespace {

constexpr int kQuietZone = 4;  // modules, ISO/IEC 18004 §6.3.8

}  // namespace

std::optional<std::string> qr_code_svg(const std::string& text, const std::string& name) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_M), &QRcode_free);
  if (!code) return std::nullopt;
  const std::string size = std::to_string(code->width + 2 * kQuietZone);
  // One path with a stroke per run of dark modules.
  std::string path;
  for (int y = 0; y < code->width; ++y) {
    for (int x = 0; x < code->width;) {
      const auto is_dark = [&](int at) { return (code->data[y * code->width + at] & 1) != 0; };
      int end = x;
      while (end < code->width && is_dark(end)) ++end;
      if (end == x) {
        ++x;
        continue;
      }
      path += "M" + std::to_string(x + kQuietZone) + " " + std::to_string(y + kQuietZone) + "h" +
              std::to_string(end - x) + "v1h-" + std::to_string(end - x) + "z";
      x = end;
    }
  }
  return "<svg class=\"qr\" role=\"img\" aria-label=\"" + name + "\" viewBox=\"0 0 " + size + " " +
         size + "\" width=\"200\" height=\"200\" shape-rendering=\"crispEdges\">" +
         "<path fill=\"#fff\" d=\"M0 0h" + size + "v" + size + "H0z\"/><path fill=\"#000\" d=\"" +
         path + "\"/></svg>";
}

}  // namespace svc::base
