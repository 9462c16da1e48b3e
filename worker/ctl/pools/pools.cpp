#include "ctl/pools/pools.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/number.h"
#include "ctl/arguments.h"
#include "ctl/pools/pool_client.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

using base::Refusal;
using text::json::Value;

bool is_socket(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

using Sockets = base::Result<std::vector<std::string>, std::string>;

// The error says where none was found.
Sockets default_sockets(const std::string& pid_file, const PoolDefaults& defaults) {
  if (!defaults.listen.empty()) return std::vector{defaults.listen};
  std::string tried;
  if (pid_file.ends_with(".pid")) {
    const std::string beside = pid_file.substr(0, pid_file.size() - 4) + ".sock";
    if (is_socket(beside)) return std::vector{beside};
    tried = beside + ", ";
  }
  std::vector<std::string> folders{defaults.run_folder};
  if (!defaults.config_file.empty()) {
    const std::string beside = std::filesystem::path(defaults.config_file).parent_path().string();
    folders.insert(folders.begin(), beside.empty() ? "." : beside);
  }
  for (const std::string& folder : folders) {
    std::vector<std::string> found;
    for (const char* role : {"embed", "grant", "web"}) {
      const std::string path = folder + "/" + role + ".sock";
      if (is_socket(path)) found.push_back(path);
    }
    if (!found.empty()) return found;
    tried += folder + "/{embed,grant,web}.sock, ";
  }
  tried.resize(tried.size() - 2);
  return Refusal{"no pool is known: no socket is found at " + tried +
                 "; start the pools, or name a socket with --socket"};
}

std::optional<std::chrono::milliseconds> to_duration(const std::string& text) {
  const auto seconds = base::parse_number<double>(text, 0.1, 3600);
  if (!seconds) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

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

// A terminal takes some bytes for commands.
std::string plain(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

template <class... Values>
std::string format(const char* how, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), how, values...);
  return text.data();
}

std::string time_text(std::int64_t seconds) {
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " d";
}

std::string number_of(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "unknown";
}

std::string list_of(const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
  std::string out;
  for (const auto& [name, number] : numbers) {
    if (number == 0) continue;
    out += (out.empty() ? "" : ", ") + std::to_string(number) + ' ' + name;
  }
  return out.empty() ? "none" : out;
}

}  // namespace

base::Result<PoolArguments, std::string> read_pool_arguments(
    const std::vector<std::string>& arguments, const std::vector<std::string>& allowed,
    const PoolDefaults& defaults) {
  PoolArguments result;
  result.pid_file = defaults.pid_file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (flag != "--socket" && std::find(allowed.begin(), allowed.end(), flag) == allowed.end())
      return Refusal{why_not_understood(flag)};
    if (flag == "--json") {
      result.json = true;
      continue;
    }
    if (++i == arguments.size()) return Refusal{flag + " needs a value"};
    const std::string& value = arguments[i];
    if (flag == "--socket") {
      result.sockets.push_back(value);
    } else if (flag == "--pid-file") {
      result.pid_file = value;
    } else if (flag == "--pid") {
      const auto pid = base::parse_number<pid_t>(value, 2);
      if (!pid) return Refusal{flag + " must be the number of a process"};
      result.pid = *pid;
    } else {
      const auto duration = to_duration(value);
      if (!duration) return Refusal{flag + " must be a number of seconds from 0.1 to 3600"};
      (flag == "--timeout" ? result.timeout : result.interval) = *duration;
    }
  }
  if (!result.sockets.empty()) return result;
  auto found = default_sockets(result.pid_file, defaults);
  if (!found) return Refusal{found.error()};
  result.sockets = std::move(*found);
  return result;
}

std::string PoolStatus::Durations::quantile(double part) const {
  if (count == 0) return "-";
  const double wanted = std::ceil(part * static_cast<double>(count));
  double seen = 0;
  double last = 0;
  for (const auto& [bound, number] : buckets) {
    seen += static_cast<double>(number);
    if (!bound) break;
    if (seen >= wanted) return format("<=%g", *bound);
    last = *bound;
  }
  return format(">%g", last);
}

base::Result<PoolStatus, std::string> parse_pool_status(const std::string& json) {
  text::json::Document document;
  const auto parsed = document.parse(json);
  if (!parsed || !parsed->is_object() || !parsed->find("pool"))
    return Refusal{std::string("its status is not understood")};
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
  status.statuses = integers(root, "statuses");
  status.deaths = integers(root, "deaths");
  if (const auto reload = root.find("reload")) {
    status.reloads_asked = integer(*reload, "asked");
    status.reloads_answered = integer(*reload, "answered");
    status.reload_outcome = string(*reload, "outcome");
    status.reload_text = string(*reload, "text");
  }
  if (const auto store = root.find("store")) {
    status.store_up = integer(*store, "up");
    status.store_away = integer(*store, "away");
    status.store_not_asked = integer(*store, "not_asked");
    status.store_failures = integer(*store, "failures");
    status.store_trips = durations(*store, "round_trips");
  }
  const auto endpoints = root.find("endpoints");
  for (std::size_t i = 0; endpoints && endpoints->is_array() && i < endpoints->size(); ++i) {
    const Value each = endpoints->at(i);
    PoolStatus::Endpoint endpoint{string(each, "endpoint"), 0, ctl::durations(each, "durations")};
    if (const auto by_class = each.find("statuses")) endpoint.errors = integer(*by_class, "5xx");
    status.endpoints.push_back(std::move(endpoint));
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
  const auto body = ask_pool(socket, "/status", patience);
  if (!body) return Refusal{body.error()};
  auto status = parse_pool_status(*body);
  if (!status) return Refusal{socket + ": " + status.error()};
  return status;
}

std::string to_text(const PoolStatus& status) {
  const auto i = [](std::int64_t number) { return static_cast<long long>(number); };
  std::string out =
      format("%s: process %lld, up for %s, generation %lld", plain(status.pool).c_str(),
             i(status.pid), time_text(status.up_since).c_str(), i(status.generation));
  if (status.reload_outcome == "refused" || status.reload_outcome == "failed")
    out += "; last reload " + status.reload_outcome + ": " + plain(status.reload_text);
  out += format("\n  workers   %lld: %lld idle, %lld active, %lld leaving; most active %lld\n",
                i(status.workers), i(status.idle), i(status.active), i(status.leaving),
                i(status.most_active));
  out += format("  requests  %lld: %s; %lld slow; %lld connections\n", i(status.requests),
                list_of(status.statuses).c_str(), i(status.slow), i(status.accepted));
  out += "  queue     " + number_of(status.queue) + " of " + number_of(status.queue_limit) +
         ", longest " + number_of(status.longest_queue) + "\n";
  out += format(
      "  store     up for %lld workers, away for %lld, not asked yet by %lld; %lld failures; "
      "ms p50 %s, p99 %s\n",
      i(status.store_up), i(status.store_away), i(status.store_not_asked), i(status.store_failures),
      status.store_trips.quantile(0.5).c_str(), status.store_trips.quantile(0.99).c_str());
  out += "  deaths    " + list_of(status.deaths) + "\n\n";
  out += format("  %-40s %10s %6s %8s %8s\n", "ENDPOINT", "REQUESTS", "5XX", "P50 MS", "P99 MS");
  for (const PoolStatus::Endpoint& each : status.endpoints) {
    out += format("  %-40s %10lld %6lld %8s %8s\n", plain(each.name).c_str(),
                  i(each.durations.count), i(each.errors), each.durations.quantile(0.5).c_str(),
                  each.durations.quantile(0.99).c_str());
  }
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
