#include "text/nearest.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace svc::text {
namespace {

// The edit distance: insertions, deletions, substitutions and swaps of two
// adjacent letters.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names) {
  // The limit also bounds the computation: a distance is at least the difference of the lengths.
  constexpr std::size_t kMostMistakes = 3;
  std::string_view best;
  std::size_t fewest = std::min(kMostMistakes, std::max<std::size_t>(word.size() / 3, 1)) + 1;
  for (const std::string_view name : names) {
    const bool begins = word.size() >= 3 && word != "--" && name.starts_with(word);
    if (word.size() > name.size() + kMostMistakes) continue;
    if (!begins && name.size() > word.size() + kMostMistakes) continue;
    const std::size_t mistakes = begins ? 1 : distance(word, name);
    if (mistakes >= fewest || mistakes >= name.size()) continue;
    fewest = mistakes;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string_view name = nearest(word, names);
  return name.empty() ? "" : "; did you mean " + std::string(name) + "?";
}

}  // namespace svc::text
