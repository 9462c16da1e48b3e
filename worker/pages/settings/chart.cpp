#include "pages/settings/chart.h"

#include <algorithm>
#include <cstddef>

#include "text/json.h"

namespace svc::pages {
namespace {

constexpr double kBoxHeight = 100;

// "12.5"; from above.
void append_height(std::string& path, double value, double top) {
  const double share = std::clamp(value / top, 0.0, 1.0);
  text::json::append_decimal(path, kBoxHeight * (1 - share));
}

}  // namespace

double top_of_scale(double most, double least) {
  // Half of it is a short number, too.
  for (double unit = least / 2;; unit *= 10)
    for (const int step : {2, 4, 6, 8, 10})
      if (!(unit * step < most)) return unit * step;
}

std::string bars_path(const std::vector<double>& values, double top) {
  std::string path;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= 0) continue;
    path += "M" + std::to_string(i) + ".1 100V";
    append_height(path, values[i], top);
    path += "h.8V100z";
  }
  return path;
}

std::string area_path(const std::vector<double>& values, double top) {
  std::string path = "M0 100";
  for (const double value : values) {
    path += "V";
    append_height(path, value, top);
    path += "h1";
  }
  return path + "V100z";
}

}  // namespace svc::pages
