#include "ctl/pools/pool_status.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/public_paths.h"
#include "ctl/pools/pool_client.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

using text::json::Value;

std::optional<std::int64_t> maybe_integer(const Value& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? value->integer() : std::nullopt;
}

std::int64_t integer(const Value& object, std::string_view key) {
  return maybe_integer(object, key).value_or(0);
}

std::string string(const Value& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? std::string(value->string().value_or("")) : "";
}

std::vector<std::pair<std::string, std::int64_t>> integers(const Value& object,
                                                           std::string_view key) {
  std::vector<std::pair<std::string, std::int64_t>> found;
  if (const auto inner = object.find(key)) {
    for (std::size_t i = 0; inner->is_object() && i < inner->size(); ++i)
      found.emplace_back(inner->key(i), inner->member(i).integer().value_or(0));
  }
  return found;
}

PoolStatus::Durations durations(const Value& object, std::string_view key) {
  PoolStatus::Durations result;
  const auto inner = object.find(key);
  if (!inner) return result;
  result.count = integer(*inner, "count");
  if (const auto ms = inner->find("ms")) result.total_ms = ms->number().value_or(0);
  const auto buckets = inner->find("buckets");
  for (std::size_t i = 0; buckets && buckets->is_array() && i < buckets->size(); ++i) {
    const Value pair = buckets->at(i);
    if (pair.size() != 2) continue;
    result.buckets.emplace_back(pair.at(0).number(), pair.at(1).integer().value_or(0));
  }
  return result;
}

// Reads an object with "statuses" and "server_errors". A pool that runs an older version has no
// "server_errors": then all of 5xx are other errors.
PoolStatus::Errors errors(const Value& object) {
  PoolStatus::Errors result;
  if (const auto by_class = object.find("statuses")) {
    result.client = integer(*by_class, "4xx");
    result.other = integer(*by_class, "5xx");
  }
  if (const auto server = object.find("server_errors")) {
    result.not_implemented = integer(*server, "501");
    result.unavailable = integer(*server, "503");
    result.other = integer(*server, "507") + integer(*server, "other");
  }
  return result;
}

std::vector<std::pair<std::string, std::int64_t>> statuses(const Value& root) {
  auto found = integers(root, "statuses");
  const PoolStatus::Errors all = errors(root);
  for (auto& [name, number] : found) {
    if (name == "5xx") number = all.other;
  }
  found.emplace_back("501", all.not_implemented);
  found.emplace_back("503", all.unavailable);
  return found;
}

template <class... Values>
std::string format(const char* how, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), how, values...);
  return text.data();
}

std::string number_of(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "unknown";
}

std::string list_of(const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
  std::string out;
  for (const auto& [name, number] : numbers) {
    if (number == 0) continue;
    text::add_word(out, std::to_string(number) + ' ' + plain(name));
  }
  return out.empty() ? "none" : out;
}

// "12 s", "3 h".
std::string time_text(std::int64_t seconds) {
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " d";
}

PoolStatus::Store store_in(const Value& value) {
  return {integer(value, "up"), integer(value, "away"), integer(value, "not_asked"),
          integer(value, "failures"), durations(value, "round_trips")};
}

std::string endpoints_text(const PoolStatus& status) {
  std::size_t longest = 20;
  for (const PoolStatus::Endpoint& each : status.endpoints)
    longest = std::max(longest, each.name.size());
  const int width = static_cast<int>(std::min<std::size_t>(longest, 60));
  std::string out = format("  %-*s %10s %6s %6s %6s %7s %7s\n", width, "ENDPOINT", "REQUESTS",
                           "5XX", "501", "503", "P50 MS", "P99 MS");
  const auto i = [](std::int64_t number) { return static_cast<long long>(number); };
  for (const PoolStatus::Endpoint& each : status.endpoints) {
    out += format("  %-*s %10lld %6lld %6lld %6lld %7s %7s\n", width, plain(each.name).c_str(),
                  i(each.durations.count), i(each.errors.other), i(each.errors.not_implemented),
                  i(each.errors.unavailable), each.durations.quantile(0.5).c_str(),
                  each.durations.quantile(0.99).c_str());
  }
  return out;
}

}  // namespace

std::string PoolStatus::Durations::quantile(double part) const {
  if (count == 0) return "-";
  const double wanted = std::ceil(part * static_cast<double>(count));
  double seen = 0;
  double last = 0;
  for (const auto& [bound, number] : buckets) {
    if (!bound) break;
    seen += static_cast<double>(number);
    if (seen >= wanted) return format("<=%g", *bound);
    last = *bound;
  }
  return format(">%g", last);
}

bool PoolStatus::reload_went_wrong() const {
  return reload_outcome == "refused" || reload_outcome == "failed";
}

base::Result<PoolStatus, std::string> parse_pool_status(const std::string& json) {
  text::json::Document document;
  const auto parsed = document.parse(json);
  if (!parsed || !parsed->is_object() || !parsed->find("pool"))
    return base::Refusal{std::string("its status is not understood")};
  const Value& root = *parsed;
  PoolStatus status;
  status.json = json;
  status.pool = string(root, "pool");
  status.pid = static_cast<pid_t>(integer(root, "pid"));
  status.up_since = integer(root, "start_since");
  status.generation = integer(root, "generation");
  status.workers = integer(root, "workers");
  status.idle = integer(root, "idle_processes");
  status.active = integer(root, "active_processes");
  status.leaving = integer(root, "leaving_processes");
  status.most_active = integer(root, "max_active_processes");
  status.accepted = integer(root, "accepted_conn");
  status.requests = integer(root, "requests");
  status.slow = integer(root, "slow_requests");
  status.queue = maybe_integer(root, "listen_queue");
  status.longest_queue = maybe_integer(root, "max_listen_queue");
  status.queue_limit = maybe_integer(root, "listen_queue_len");
  status.statuses = ctl::statuses(root);
  status.deaths = integers(root, "deaths");
  if (const auto reload = root.find("reload")) {
    status.reloads_asked = integer(*reload, "asked");
    status.reloads_answered = integer(*reload, "answered");
    status.reload_outcome = string(*reload, "outcome");
    status.reload_text = string(*reload, "text");
  }
  if (const auto store = root.find("store")) status.store = store_in(*store);
  if (const auto catalog = root.find("catalog")) status.catalog = store_in(*catalog);
  const auto endpoints = root.find("endpoints");
  for (std::size_t i = 0; endpoints && endpoints->is_array() && i < endpoints->size(); ++i) {
    const Value each = endpoints->at(i);
    status.endpoints.push_back(
        {string(each, "endpoint"), errors(each), ctl::durations(each, "durations")});
  }
  const auto processes = root.find("processes");
  for (std::size_t i = 0; processes && processes->is_array() && i < processes->size(); ++i) {
    const Value each = processes->at(i);
    const auto seconds = each.find("seconds");
    status.processes.push_back({integer(each, "pid"), integer(each, "generation"),
                                string(each, "phase"), integer(each, "requests"),
                                seconds ? seconds->number().value_or(0) : 0, string(each, "path")});
  }
  return status;
}

base::Result<PoolStatus, std::string> ask_status(const std::string& socket,
                                                 std::chrono::milliseconds patience) {
  const auto body = ask_pool(socket, base::paths::kStatus.pattern, patience);
  if (!body) return base::Refusal{body.error()};
  auto status = parse_pool_status(*body);
  if (!status) return base::Refusal{socket + ": " + status.error()};
  return status;
}

std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    out += c < ' ' || c > '~' ? '?' : c;
    text.remove_prefix(std::max<std::size_t>(text::utf8_length(text), 1));
  }
  return out;
}

std::string to_text(const PoolStatus& status) {
  const auto i = [](std::int64_t number) { return static_cast<long long>(number); };
  std::string out =
      format("%s: process %lld, up for %s, generation %lld", plain(status.pool).c_str(),
             i(status.pid), time_text(status.up_since).c_str(), i(status.generation));
  if (status.reload_went_wrong())
    out += "; last reload " + status.reload_outcome + ": " + plain(status.reload_text);
  out += format("\n  workers   %lld: %lld idle, %lld active, %lld leaving; most active %lld\n",
                i(status.workers), i(status.idle), i(status.active), i(status.leaving),
                i(status.most_active));
  out += format("  requests  %lld: %s; %lld slow; %lld connections\n", i(status.requests),
                list_of(status.statuses).c_str(), i(status.slow), i(status.accepted));
  out += "  queue     " + number_of(status.queue) + " of " + number_of(status.queue_limit) +
         ", longest " + number_of(status.longest_queue) + "\n";
  const auto add_store = [&](const char* name, const PoolStatus::Store& store) {
    out += format(
        "  %-9s up for %lld workers, away for %lld, not asked yet by %lld; %lld failures; "
        "ms p50 %s, p99 %s\n",
        name, i(store.up), i(store.away), i(store.not_asked), i(store.failures),
        store.trips.quantile(0.5).c_str(), store.trips.quantile(0.99).c_str());
  };
  add_store("store", status.store);
  if (status.catalog) add_store("catalog", *status.catalog);
  out += "  deaths    " + list_of(status.deaths) + "\n\n" + endpoints_text(status);
  out += format("\n  %-8s %4s %-9s %10s %9s  %s\n", "PID", "GEN", "PHASE", "REQUESTS", "SINCE S",
                "PATH");
  for (const PoolStatus::Process& each : status.processes) {
    out +=
        format("  %-8lld %4lld %-9s %10lld %9.1f  %s\n", i(each.pid), i(each.generation),
               plain(each.phase).c_str(), i(each.requests), each.seconds, plain(each.path).c_str());
  }
  return out;
}

}  // namespace svc::ctl
