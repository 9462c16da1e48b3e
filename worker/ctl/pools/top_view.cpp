#include "ctl/pools/top_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "ctl/pools/fitted_table.h"

namespace svc::ctl {
namespace {

using Kind = FittedColumn::Kind;

// If fewer lines of the table than this would fit, the pools scroll with it.
constexpr std::size_t kLeastTable = 3;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max() / 2;

std::string decimal(double number, int digits = 1) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string rate(std::int64_t number, double seconds) {
  return seconds > 0 ? decimal(static_cast<double>(number) / seconds) : "-";
}

// Returns a number of the last minute; "-" after a single status.
std::string count(std::int64_t number, double seconds) {
  return seconds > 0 ? std::to_string(number) : "-";
}

std::string quantile(const PoolStatus::Durations& durations, double part, double seconds) {
  return seconds > 0 ? durations.quantile(part) : "-";
}

std::string mean(const PoolStatus::Durations& durations, double seconds) {
  if (seconds == 0 || durations.count == 0) return "-";
  return decimal(durations.total_ms / static_cast<double>(durations.count), 2);
}

std::string part_of(const std::optional<std::int64_t>& number,
                    const std::optional<std::int64_t>& all) {
  return number && all ? std::to_string(*number) + "/" + std::to_string(*all) : "-";
}

std::string store_text(const PoolStatus& status) {
  if (status.store_away > 0) return "away " + std::to_string(status.store_away);
  return status.store_up > 0 ? "up" : "-";
}

std::int64_t deaths(const PoolStatus& status) {
  std::int64_t sum = 0;
  for (const auto& [reason, number] : status.deaths) sum += number;
  return sum;
}

bool answers(const PoolView& pool) { return pool.trouble.empty() && pool.recent != nullptr; }

// ---- The pools ----

// In 80 columns, the columns as far as PID fit.
const std::vector<FittedColumn> kPoolColumns{{"POOL", 6, 0, Kind::Text},
                                             {"PID", 7, 8},
                                             {"UP", 6, 7},
                                             {"GEN", 4, 10},
                                             {"BUSY", 6, 1},
                                             {"LEAVING", 7, 13},
                                             {"REQ/S", 8, 0},
                                             {"4XX", 6, 12},
                                             {"5XX", 5, 0},
                                             {"501", 5, 11},
                                             {"503", 5, 5},
                                             {"P50 MS", 7, 9},
                                             {"P99 MS", 7, 4},
                                             {"QUEUE", 6, 6},
                                             {"STORE", 7, 2, Kind::Text},
                                             {"LAST", 6, 3},
                                             {"DEATHS", 7, 14},
                                             {"SLOW", 7, 16},
                                             {"TOTAL", 11, 15}};

Cells pool_cells(const PoolView& pool, const RecentWork& work) {
  const PoolStatus& now = pool.recent->now();
  const double seconds = work.seconds;
  return {plain(pool.name),
          std::to_string(now.pid),
          time_text(now.up_since),
          std::to_string(now.generation),
          part_of(now.active, now.workers),
          std::to_string(now.leaving),
          rate(work.all.durations.count, seconds),
          count(work.all.errors.client, seconds),
          count(work.all.errors.other, seconds),
          count(work.all.errors.not_implemented, seconds),
          count(work.all.errors.unavailable, seconds),
          quantile(work.all.durations, 0.5, seconds),
          quantile(work.all.durations, 0.99, seconds),
          part_of(now.queue, now.queue_limit),
          store_text(now),
          std::to_string(static_cast<std::int64_t>(seconds)) + " s",
          std::to_string(deaths(now)),
          std::to_string(now.slow),
          std::to_string(now.requests)};
}

// One line per pool, below a header; and notes.
std::vector<std::string> pool_lines(const std::vector<PoolView>& pools, std::size_t columns) {
  std::vector<Cells> rows;
  for (const PoolView& pool : pools) {
    if (answers(pool)) rows.push_back(pool_cells(pool, pool.recent->work()));
  }
  std::vector<std::string> fitted = fit_table(kPoolColumns, rows, columns);
  std::vector<std::string> lines{std::move(fitted.front())};
  std::size_t row = 1;
  for (const PoolView& pool : pools) {
    if (!answers(pool)) {
      lines.push_back(cut(plain(pool.name + ": " +
                                (pool.trouble.empty() ? "waiting for a response" : pool.trouble)),
                          columns));
      continue;
    }
    lines.push_back(std::move(fitted[row++]));
    const PoolStatus& now = pool.recent->now();
    if (now.reload_went_wrong()) {
      lines.push_back(
          cut(plain("  last reload " + now.reload_outcome + ": " + now.reload_text), columns));
    }
  }
  return lines;
}

// ---- The table ----

// A column to sort by: the first row is the one for which `less` is true.
template <class Row>
struct Sorting {
  char key;
  std::string_view name;  // in the footer
  std::string_view long_name;
  bool (*less)(const Row& a, const Row& b);
};

struct EndpointRow {
  std::string pool;
  PoolStatus::Endpoint recent;
  double seconds = 0;
  std::int64_t total = 0;

  double rate() const {
    return seconds > 0 ? static_cast<double>(recent.durations.count) / seconds : 0;
  }
  auto errors() const {
    return std::tuple(recent.errors.other, recent.errors.unavailable, recent.errors.not_implemented,
                      recent.errors.client);
  }
  double slowest() const { return recent.durations.quantile_bound(0.99).value_or(0); }
};

constexpr std::array<Sorting<EndpointRow>, 4> kEndpointSortings{{
    {'r', "req/s", "requests/s",
     [](const EndpointRow& a, const EndpointRow& b) { return a.rate() > b.rate(); }},
    {'e', "errors", "errors",
     [](const EndpointRow& a, const EndpointRow& b) { return a.errors() > b.errors(); }},
    {'p', "p99", "p99",
     [](const EndpointRow& a, const EndpointRow& b) { return a.slowest() > b.slowest(); }},
    {'n', "name", "name",
     [](const EndpointRow& a, const EndpointRow& b) { return a.recent.name < b.recent.name; }},
}};

const std::vector<FittedColumn> kEndpointColumns{{"ENDPOINT", 24, 0, Kind::Text},
                                                 {"POOL", 6, 1, Kind::Text},
                                                 {"REQ/S", 8, 0},
                                                 {"4XX", 6, 5},
                                                 {"5XX", 6, 0},
                                                 {"501", 6, 3},
                                                 {"503", 6, 2},
                                                 {"MEAN MS", 8, 7},
                                                 {"P50 MS", 7, 4},
                                                 {"P90 MS", 7, 6},
                                                 {"P99 MS", 7, 1},
                                                 {"TOTAL", 11, 8}};

Cells cells_of(const EndpointRow& row) {
  const PoolStatus::Errors& errors = row.recent.errors;
  return {plain(row.recent.name),
          plain(row.pool),
          rate(row.recent.durations.count, row.seconds),
          count(errors.client, row.seconds),
          count(errors.other, row.seconds),
          count(errors.not_implemented, row.seconds),
          count(errors.unavailable, row.seconds),
          mean(row.recent.durations, row.seconds),
          quantile(row.recent.durations, 0.5, row.seconds),
          quantile(row.recent.durations, 0.9, row.seconds),
          quantile(row.recent.durations, 0.99, row.seconds),
          std::to_string(row.total)};
}

std::vector<EndpointRow> endpoint_rows(const std::vector<PoolView>& pools) {
  std::vector<EndpointRow> rows;
  for (const PoolView& pool : pools) {
    if (!answers(pool)) continue;
    RecentWork work = pool.recent->work();
    const auto& totals = pool.recent->now().endpoints;  // in the same order
    for (std::size_t i = 0; i < totals.size(); ++i) {
      rows.push_back(
          {pool.name, std::move(work.endpoints[i]), work.seconds, totals[i].durations.count});
    }
  }
  return rows;
}

struct WorkerRow {
  std::string pool;
  PoolStatus::Process now;
  std::int64_t recent = 0;
  double seconds = 0;
};

constexpr std::array<Sorting<WorkerRow>, 4> kWorkerSortings{{
    {'r', "req/s", "requests/s",
     [](const WorkerRow& a, const WorkerRow& b) { return a.recent > b.recent; }},
    {'s', "since", "time since",
     [](const WorkerRow& a, const WorkerRow& b) { return a.now.seconds > b.now.seconds; }},
    {'i', "pid", "pid",
     [](const WorkerRow& a, const WorkerRow& b) { return a.now.pid < b.now.pid; }},
    {'n', "path", "path",
     [](const WorkerRow& a, const WorkerRow& b) { return a.now.path < b.now.path; }},
}};

const std::vector<FittedColumn> kWorkerColumns{
    {"PID", 8, 0},   {"POOL", 6, 1, Kind::Text}, {"GEN", 4, 4},    {"PHASE", 9, 1, Kind::Text},
    {"REQ/S", 8, 0}, {"SINCE S", 8, 2},          {"TOTAL", 10, 3}, {"PATH", 16, 0, Kind::Text}};

Cells cells_of(const WorkerRow& row) {
  return {std::to_string(row.now.pid),        plain(row.pool),
          std::to_string(row.now.generation), plain(row.now.phase),
          rate(row.recent, row.seconds),      decimal(row.now.seconds),
          std::to_string(row.now.requests),   plain(row.now.path)};
}

std::vector<WorkerRow> worker_rows(const std::vector<PoolView>& pools) {
  std::vector<WorkerRow> rows;
  for (const PoolView& pool : pools) {
    if (!answers(pool)) continue;
    const RecentWork work = pool.recent->work();
    const auto& totals = pool.recent->now().processes;  // in the same order
    for (std::size_t i = 0; i < totals.size(); ++i)
      rows.push_back({pool.name, totals[i], work.processes[i].requests, work.seconds});
  }
  return rows;
}

template <class Row, std::size_t Count>
const Sorting<Row>* find(const std::array<Sorting<Row>, Count>& sortings, char key) {
  const auto found = std::ranges::find(sortings, key, &Sorting<Row>::key);
  return found == sortings.end() ? nullptr : &*found;
}

template <class Row, std::size_t Count>
std::vector<Cells> sorted(std::vector<Row> rows, const std::array<Sorting<Row>, Count>& sortings,
                          char key, bool reversed) {
  const Sorting<Row>* const by = find(sortings, key);
  // Stable: equal rows keep their order, so that they do not jump when the screen is redrawn.
  std::ranges::stable_sort(
      rows, [&](const Row& a, const Row& b) { return reversed ? by->less(b, a) : by->less(a, b); });
  std::vector<Cells> cells;
  for (const Row& row : rows) cells.push_back(cells_of(row));
  return cells;
}

template <class Row, std::size_t Count>
std::string listed(const std::array<Sorting<Row>, Count>& sortings) {
  std::string text;
  for (const Sorting<Row>& each : sortings)
    text += (text.empty() ? "" : ", ") + std::string(1, each.key) + ' ' + std::string(each.name);
  return text;
}

// Returns the longest time span that the numbers of a pool cover.
std::string time_shown(const std::vector<PoolView>& pools) {
  double seconds = 0;
  for (const PoolView& pool : pools) {
    if (answers(pool)) seconds = std::max(seconds, pool.recent->work().seconds);
  }
  return "the last " + std::to_string(static_cast<std::int64_t>(seconds)) + " s";
}

}  // namespace

std::string take_keys(std::string& sent) {
  constexpr std::array<std::pair<std::string_view, char>, 18> kSequences{{
      {"[A", 'k'},
      {"OA", 'k'},
      {"[B", 'j'},
      {"OB", 'j'},
      {"[5~", 'b'},
      {"[6~", ' '},
      {"[H", 'g'},
      {"OH", 'g'},
      {"[1~", 'g'},
      {"[7~", 'g'},
      {"[F", 'G'},
      {"OF", 'G'},
      {"[4~", 'G'},
      {"[8~", 'G'},
      {"[C", '\0'},
      {"OC", '\0'},
      {"[D", '\0'},
      {"OD", '\0'},
  }};
  std::string keys;
  std::string_view rest = sent;
  while (!rest.empty()) {
    if (rest.front() != '\033') {
      keys += rest.front();
      rest.remove_prefix(1);
      continue;
    }
    const std::string_view after = rest.substr(1);
    if (after.empty()) break;
    if (after.front() != '[' && after.front() != 'O') {
      rest = after;
      continue;
    }
    // ECMA-48: parameters, then one final byte from '@' to '~'.
    const std::size_t end = std::min(after.find_first_not_of("0123456789;:<=>?", 1), after.size());
    if (end == after.size() && end < 16) break;
    const std::string_view sequence = after.substr(0, end + 1);
    for (const auto& [text, key] : kSequences) {
      if (text == sequence && key != '\0') keys += key;
    }
    rest.remove_prefix(1 + sequence.size());
  }
  sent = std::string(rest);
  return keys;
}

bool TopView::press(char key) {
  const std::size_t step = std::max<std::size_t>(height_, 2) - 1;
  switch (key) {
    case 'q':
    case 'Q': return false;
    case 'k': first_ -= std::min<std::size_t>(first_, 1); break;
    case 'j': first_ += 1; break;
    case 'b': first_ -= std::min(first_, step); break;
    case ' ': first_ += step; break;
    case 'g': first_ = 0; break;
    case 'G': first_ = kNoLimit; break;
    case 'w':
      rows_ = rows_ == Rows::Endpoints ? Rows::Workers : Rows::Endpoints;
      first_ = 0;
      break;
    default: {
      const bool is_known = rows_ == Rows::Endpoints ? find(kEndpointSortings, key) != nullptr
                                                     : find(kWorkerSortings, key) != nullptr;
      if (!is_known) break;
      order() = {key, order().key == key && !order().reversed};
      first_ = 0;
    }
  }
  return true;
}

std::vector<std::string> TopView::table(const std::vector<PoolView>& pools, std::size_t columns) {
  const auto [key, reversed] = order();
  if (rows_ == Rows::Endpoints) {
    return fit_table(kEndpointColumns,
                     sorted(endpoint_rows(pools), kEndpointSortings, key, reversed), columns);
  }
  return fit_table(kWorkerColumns, sorted(worker_rows(pools), kWorkerSortings, key, reversed),
                   columns);
}

std::string TopView::footer() const {
  return std::string("q quit  ") +
         (rows_ == Rows::Endpoints ? "w workers  sort: " + listed(kEndpointSortings)
                                   : "w endpoints  sort: " + listed(kWorkerSortings)) +
         "  arrows, PgUp, PgDn";
}

std::vector<std::string> TopView::page(const std::vector<std::string>& lines, std::size_t height) {
  height_ = height;
  first_ = std::min(first_, lines.size() - std::min(lines.size(), height));
  const std::size_t end = std::min(lines.size(), first_ + height);
  const auto at = [&](std::size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(first_), at(end)};
}

std::vector<std::string> TopView::lines(const std::vector<PoolView>& pools, std::size_t rows,
                                        std::size_t columns) {
  std::vector<std::string> fixed = pool_lines(pools, columns);
  fixed.emplace_back();
  std::vector<std::string> body = table(pools, columns);
  std::string_view what = rows_ == Rows::Endpoints ? "endpoints" : "workers";
  // Two lines are the title and the footer.
  const std::size_t height = rows - std::min<std::size_t>(rows, 2);
  if (height >= fixed.size() + 1 + kLeastTable) {
    fixed.push_back(std::move(body.front()));
    body.erase(body.begin());
  } else {
    body.insert(body.begin(), fixed.begin(), fixed.end());
    fixed.clear();
    what = "lines";
  }
  const std::vector<std::string> shown = page(body, height - fixed.size());
  const auto by = rows_ == Rows::Endpoints ? find(kEndpointSortings, order().key)->long_name
                                           : find(kWorkerSortings, order().key)->long_name;
  std::string title = "svcctl top: " + time_shown(pools) + "; " + std::string(what) + ' ' +
                      std::to_string(shown.empty() ? 0 : first_ + 1) + '-' +
                      std::to_string(first_ + shown.size()) + " of " + std::to_string(body.size()) +
                      " by " + std::string(by) + (order().reversed ? ", reversed" : "");
  std::vector<std::string> all{cut(std::move(title), columns)};
  all.insert(all.end(), fixed.begin(), fixed.end());
  all.insert(all.end(), shown.begin(), shown.end());
  all.resize(std::max<std::size_t>(rows, 1) - 1);
  // A terminal may erase the last column of the line where its cursor is.
  all.push_back(cut(footer(), columns - std::min<std::size_t>(columns, 1)));
  all.resize(rows);
  return all;
}

}  // namespace svc::ctl
