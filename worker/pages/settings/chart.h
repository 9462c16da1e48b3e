// chart: paths of diagrams (SVG), in a box as wide as there are values and 100 high, which the page
// stretches. The template is chart.tpl; sizes and colours are in site.css.
#pragma once

#include <string>
#include <vector>

namespace svc::pages {

// Returns the first of 2, 4, 6, 8, 10, 20, 40 … and of their tenths that is at least `most` and at
// least `least`: 2, or its tenth or hundredth. All have round halves.
double top_of_scale(double most, double least);

// A bar per value, from 0 to `top`.
std::string bars_path(const std::vector<double>& values, double top);

// The area below the steps of the values.
std::string area_path(const std::vector<double>& values, double top);

}  // namespace svc::pages
