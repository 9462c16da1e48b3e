#include "viewing/counts.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/leb128.h"

namespace svc::viewing {
namespace {

constexpr char kVersion = 1;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool is_good() const { return is_good_; }
  bool at_end() const { return bytes_.empty(); }
  std::uint64_t number() {
    const auto value = base::take_leb128(bytes_);
    is_good_ = is_good_ && value.has_value();
    return value.value_or(0);
  }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

// An even number is a difference, signs alternating; an odd one a run of hundredths without one.
void append_curve(std::string& out, const Curve& curve) {
  std::uint64_t run = 0;
  const auto end_run = [&] {
    if (run > 0) base::append_leb128(out, (run << 1) - 1);
    run = 0;
  };
  std::int64_t before = 0;
  for (const std::uint32_t each : curve) {
    const std::int64_t difference = std::int64_t{each} - before;
    before = each;
    if (difference == 0) {
      ++run;
      continue;
    }
    end_run();
    const auto sign = static_cast<std::uint64_t>(difference < 0 ? 1 : 0);
    const auto size = static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
    base::append_leb128(out, (size << 2) | (sign << 1));
  }
  end_run();
}

bool read_curve(Reader& reader, Curve& curve) {
  std::int64_t value = 0;
  std::size_t at = 0;
  while (at < curve.size() && reader.is_good()) {
    const std::uint64_t token = reader.number();
    if ((token & 1) != 0) {
      const std::uint64_t run = (token >> 1) + 1;
      if (run > curve.size() - at) return false;
      std::fill_n(curve.begin() + static_cast<std::ptrdiff_t>(at), run,
                  static_cast<std::uint32_t>(value));
      at += run;
      continue;
    }
    const std::uint64_t size = token >> 2;
    if (size > std::numeric_limits<std::uint32_t>::max()) return false;
    value += (token & 2) != 0 ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
    if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) return false;
    curve[at++] = static_cast<std::uint32_t>(value);
  }
  return reader.is_good();
}

void add(Curve& sum, const Curve& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  loads += other.loads;
  plays += other.plays;
  watched += other.watched;
  visitors += other.visitors;
  add(seen, other.seen);
  add(again, other.again);
  return *this;
}

double Counts::engagement() const {
  if (plays == 0) return 0;
  const std::uint64_t sum = std::accumulate(seen.begin(), seen.end(), std::uint64_t{0});
  return std::min(1.0, static_cast<double>(sum) / static_cast<double>(kParts * plays));
}

double Counts::play_rate() const {
  if (loads == 0) return 0;
  return std::min(1.0, static_cast<double>(plays) / static_cast<double>(loads));
}

std::string to_bytes(const Counts& counts) {
  std::string out(1, kVersion);
  for (const std::uint64_t each : {counts.loads, counts.plays, counts.watched, counts.visitors})
    base::append_leb128(out, each);
  append_curve(out, counts.seen);
  append_curve(out, counts.again);
  return out;
}

std::optional<Counts> from_bytes(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return std::nullopt;
  Reader reader(bytes.substr(1));
  Counts counts;
  counts.loads = reader.number();
  counts.plays = reader.number();
  counts.watched = reader.number();
  counts.visitors = reader.number();
  if (!read_curve(reader, counts.seen) || !read_curve(reader, counts.again)) return std::nullopt;
  if (!reader.is_good() || !reader.at_end()) return std::nullopt;
  return counts;
}

}  // namespace svc::viewing
