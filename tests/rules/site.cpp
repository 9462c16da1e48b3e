#include "rules/site.h"

#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "app/routes.h"
#include "base/api_paths.h"
#include "base/hex.h"
#include "base/public_paths.h"
#include "base/unique_fd.h"
#include "login/visitors.h"
#include "loop/all.h"
#include "stores/access/sessions.h"
#include "stores/catalog/people.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

constexpr std::size_t kProcessors = 3;
constexpr std::string_view kPools[] = {"embed", "grant", "web", "upload"};

// As nginx decodes a path.
std::string decoded(std::string path) {
  for (std::size_t at = 0; (at = path.find('+', at)) != std::string::npos;)
    path.replace(at, 1, "%2B");
  return text::form_decode(path);
}

// The answer in a head with lines NAME: VALUE, and the body.
Answer read(std::string_view head, std::string_view body) {
  Answer answer{.type = "none", .headers = {}, .body = std::string(body)};
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string name = text::to_lower(line.substr(0, colon));
    const std::string value(line.substr(colon + 2));
    if (name == "status") answer.status = std::atoi(value.c_str());
    if (name == "status" && value.ends_with("Unknown"))
      throw std::runtime_error(value + ": reason_phrase() does not know this status");
    if (name == "content-type") answer.type = value;
    answer.headers.emplace_back(name, value);
  }
  return answer;
}

const app::Route* route_of(const http::Router& router, std::string_view path) {
  const std::size_t at = router.route_of(path);
  const std::vector<std::string> patterns = router.routes();
  if (at == patterns.size()) return nullptr;
  return &*std::find_if(app::routes().begin(), app::routes().end(), [&](const app::Route& route) {
    return route.path.pattern == patterns[at];
  });
}

std::string first_host(const app::Route* route, const embed::Site& site) {
  for (const app::Server& server : app::servers()) {
    if (route != nullptr && (route->path.hosts & server.host) != 0)
      return site.base_of(server.host);
  }
  return site.app_url;
}

// As $svc_page_origin of nginx/svc-headers-values.conf.
std::string page_origin(std::string_view origin, std::string_view referer) {
  if (!origin.empty()) return origin == "null" ? "" : std::string(origin);
  const std::size_t end =
      referer.find_first_of("/?#", std::min(referer.size(), referer.find("//") + 2));
  return std::string(referer.substr(0, end));
}

}  // namespace

Ask::Ask(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space != std::string_view::npos && line[0] != '/' && !line.starts_with("http")) {
    method = line.substr(0, space);
    line.remove_prefix(space + 1);
  }
  target = line;
}

Ask Ask::with(std::string name, std::string value) const {
  Ask ask = *this;
  ask.headers[std::move(name)] = std::move(value);
  return ask;
}

Ask Ask::with_body(std::string other) const {
  Ask ask = *this;
  ask.body = std::move(other);
  return ask;
}

Ask Ask::with_form(const Fields& fields) const {
  std::string form;
  for (const auto& [name, value] : fields) {
    form +=
        (form.empty() ? "" : "&") + text::percent_encode(name) + "=" + text::percent_encode(value);
  }
  return with("Content-Type", "application/x-www-form-urlencoded").with_body(form);
}

std::string Answer::header(std::string_view name) const {
  std::string all;
  bool found = false;
  for (const auto& [each, value] : headers) {
    if (each != text::to_lower(name)) continue;
    all += (found ? ", " : "") + value;
    found = true;
  }
  return found ? all : "none";
}

Site::Site(std::vector<std::string> settings)
    : front_(std::getenv("SVC_RULES_FRONT") != nullptr ? std::getenv("SVC_RULES_FRONT") : "") {
  std::filesystem::create_directories(upload_folder() + "/incoming");
  loop_ = std::make_unique<loop::Loop>(clock_);
  stores().reset();
  restart(std::move(settings));
}

void Site::restart(std::vector<std::string> settings) {
  pools_.clear();
  Stores& stores = Stores::of_this_process();
  for (const std::string_view role : kPools) {
    const bool has_keys = role == "grant" || role == "web";
    std::vector<std::string> words{
        "svc-worker",
        "--config=" SVC_SOURCE_DIR "/systemd/svc.conf",
        "--roles=" + std::string(role),
        "--redis-state=unix://" + stores.state().address().path,
        "--redis-cache=unix://" + stores.cache().address().path,
        // These are the names of the demonstration's catalog, with a port that every URL must
        // contain.
        "--service-domain=svc.localhost",
        "--short-domain=svc.test",
        "--embed-host=https://embed.svc.example:8443",
        "--provider-url=https://www.svc.example",
        "--upload-dir=" + upload_folder(),
        "--stats-bots-file=" SVC_SOURCE_DIR "/systemd/bots.txt",
    };
    if (role != "upload") {
      words.push_back("--redis-user=" + std::string(role));
      words.push_back("--redis-password-file=" +
                      stores.secret("redis-" + std::string(role) + ".password"));
    }
    if (has_keys) words.push_back("--key-file=" + stores.secret("keys"));
    if (has_keys || role == "embed")
      words.push_back("--watch-key-file=" + stores.secret("watch-keys"));
    for (const std::string& setting : settings) {
      const std::string name = setting.substr(0, setting.find('=') + 1);
      std::erase_if(words, [&](const std::string& word) { return word.starts_with(name); });
      if (setting != name) words.push_back(setting);
    }
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    auto line =
        app::read_command_line(app::Program::Worker, static_cast<int>(argv.size()), argv.data());
    if (!line) throw std::runtime_error(line.error());
    // The shipped file has it too, and a flag cannot be empty.
    if (std::ranges::find(settings, "--watch-key-file=") != settings.end())
      line->options.watch_key_file.clear();
    if (line->options.watch_key_file.empty()) line->options.site.counts_viewing = false;
    auto pool =
        std::make_unique<Pool>(Pool{role, std::move(line->options), {}, nullptr, nullptr, nullptr});
    auto secrets = app::read_secrets(pool->options);
    if (!secrets) throw std::runtime_error(secrets.error());
    pool->secrets = std::move(*secrets);
    app::PoolSide side;
    side.state_trips = side.catalog_trips = &trips;
    if (role == "embed" && pool->options.site.counts_viewing)
      pool->viewing = std::make_unique<viewing::Table>(pool->options.viewing);
    side.viewing = pool->viewing.get();
    if (has_keys) pool->shares = std::make_unique<loop::Shares>(kProcessors, kProcessors);
    pool->service = std::make_unique<app::Service>(pool->options, pool->secrets, hashing_, *loop_,
                                                   side, app::Replaced{&wall_clock_, &passwords_});
    pools_.push_back(std::move(pool));
  }
}

Site::~Site() = default;

const embed::Site& Site::names() const { return pools_.front()->options.site; }

void Site::listen() {
  cache::ResponseCache& embed = pools_.front()->service->responses();
  for (const std::unique_ptr<Pool>& pool : pools_) pool->service->start();
  until([&] {
    stores().command({"SET", "catalog:media:heard", "x"});
    stores().command({"DEL", "catalog:media:heard"});
    return embed.figures().invalidations > 0;
  });
  pass(1);  // responses built before the subscription are not cached
}

void Site::until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("waited in vain");
    loop_->turn(std::chrono::milliseconds(1));
  }
}

void Site::pass(std::int64_t seconds) {
  clock_.advance(std::chrono::seconds(seconds));
  wall_clock_.advance(seconds);
}

void Site::run_periodic_tasks() {
  pass(5);
  for (const std::unique_ptr<Pool>& pool : pools_) pool->service->every_second();
  const auto is_busy = [](const std::unique_ptr<Pool>& pool) { return pool->service->is_busy(); };
  while (std::ranges::any_of(pools_, is_busy)) loop_->turn(std::chrono::seconds(1));
}

std::string Site::log_in(std::int64_t contact, std::string_view from) {
  base::SystemEntropy random;
  stores::People people(stores().redis());
  stores::Sessions sessions(stores().redis(), stores().keys(), random, wall_clock_, {});
  login::Visitors visitors(sessions, stores().keys(), random, true);
  const auto who = stores().run(people.find_contact(media::ContactId{contact}));
  http::Request request;
  request.remote_address = from;
  request.user_agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const std::string cookie = stores().run(visitors.log_in({}, *who, request));
  return cookie.substr(0, cookie.find(';'));
}

void Site::use(std::string_view pool, std::int64_t account, std::chrono::milliseconds time) {
  const auto& of_role =
      *std::ranges::find(pools_, pool, [](const auto& each) { return each->role; });
  loop::Shares::Use use(of_role->shares.get(), loop_->clock());
  use.admit(account, loop::Shares::Use::May::Wait);
  *use.spent() += time;
  of_role->shares->worked(time, loop_->clock().now());
  use.finish();
}

Answer Site::ask(const Ask& ask) { return loop_->run_until_done(answer(ask)); }

namespace {

loop::Task<> keep(loop::Task<Answer> asking, std::optional<Answer>& kept) {
  Answer answer = co_await asking;
  kept = std::move(answer);
}

}  // namespace

Answer Site::ask(const Ask& ask, const std::function<void()>& after_turn) {
  std::optional<Answer> kept;
  loop::Scope scope(*loop_);
  scope.spawn(keep(answer_in_process("grant", "https", "", ask.target, ask), kept));
  while (!kept) {
    loop_->turn(std::chrono::seconds(1));
    after_turn();
  }
  return *std::move(kept);
}

std::vector<Answer> Site::ask_at_once(const std::vector<Ask>& asks) {
  std::vector<loop::Task<Answer>> answers;
  for (const Ask& ask : asks) answers.push_back(answer(ask));
  return loop_->run_until_done(loop::all(std::move(answers)));
}

Answer Site::ask_pool(std::string_view role, const Ask& ask) {
  return loop_->run_until_done(answer_in_process(role, "https", "", ask.target, ask));
}

const Described& Site::described() {
  if (!described_) ask(base::paths::kOpenApi.pattern);
  return *described_;
}

namespace {

// Appends a line of JSON to the file that SVC_RULES_RECORD names: bodies in hexadecimal.
void record_exchange(const Ask& ask, const Answer& answer) {
  static const char* const file = std::getenv("SVC_RULES_RECORD");
  if (file == nullptr) return;
  std::string line;
  text::json::ObjectWriter json(line);
  text::json::ObjectWriter request(json.raw("request"));
  request.string("method", ask.method).string("target", ask.target);
  text::json::ObjectWriter sent(request.raw("headers"));
  for (const auto& [name, value] : ask.headers) sent.string(name, value);
  sent.end();
  request.string("body", base::to_hex(ask.body)).end();
  text::json::ObjectWriter response(json.raw("response"));
  response.integer("status", answer.status);
  text::json::ObjectWriter headers(response.raw("headers"));
  if (answer.type != "none") headers.string("content-type", answer.type);
  for (const auto& [name, value] : answer.headers) headers.string(name, value);
  headers.end();
  response.string("body", base::to_hex(answer.body)).end();
  json.end();
  std::ofstream(file, std::ios::app) << line << "\n";
}

}  // namespace

loop::Task<Answer> Site::checked(std::string path, Ask ask, loop::Task<Answer> answering) {
  const Answer answer = co_await answering;
  if (!described_) {
    const std::string host = names().base_url.substr(sizeof("https://") - 1);
    const std::string target(base::paths::kOpenApi.pattern);
    Answer document;
    if (front_.empty()) {
      auto reading = answer_in_process("grant", "https", host, target, Ask(target));
      document = co_await reading;
    } else {
      document = ask_front(host, target, Ask(target));
    }
    static std::map<std::string, std::shared_ptr<const Described>> known;
    std::shared_ptr<const Described>& one = known[document.body];
    if (!one) one = std::make_shared<const Described>(document.body);
    described_ = one;
  }
  record_exchange(ask, answer);
  const std::string why_not = described_->why_not(ask.method, path, answer);
  if (!why_not.empty())
    ADD_FAILURE() << ask.method << " " << ask.target << " of the data API: " << why_not << "\n"
                  << answer.status << " " << answer.type << "\n"
                  << answer.body.substr(0, 2000);
  co_return answer;
}

loop::Task<Answer> Site::answer(Ask ask) {
  std::string target = ask.target;
  std::string scheme = "https";
  std::string host;
  if (const std::size_t at = target.find("://"); at != std::string::npos && at < 6) {
    scheme = target.substr(0, at);
    const std::size_t path = std::min(target.find('/', at + 3), target.size());
    host = target.substr(at + 3, path - at - 3);
    target.erase(0, path);
  }
  const std::string path = decoded(target.substr(0, target.find('?')));
  bool is_of_api = false;
  for (const std::unique_ptr<Pool>& pool : pools_) {
    const app::Route* route = route_of(pool->service->router(), path);
    if (route == nullptr || route->path.hosts == base::hosts::kInternal) continue;
    if (host.empty()) host = first_host(route, names()).substr(sizeof("https://") - 1);
    is_of_api = route->errors == http::ErrorForm::Api;
    if (!front_.empty()) break;
    auto answering = route->body == app::Body::File && ask.method == "POST"
                         ? upload(pool->role, host, target, ask)
                         : answer_in_process(pool->role, scheme, host, target, ask);
    if (!is_of_api) co_return co_await answering;
    auto checking = checked(path, ask, std::move(answering));
    co_return co_await checking;
  }
  if (!front_.empty() && is_of_api) {
    auto checking = checked(path, ask, answer_of_front(host, target, ask));
    co_return co_await checking;
  }
  if (!front_.empty()) co_return ask_front(host, target, ask);
  co_return Answer{.status = 404, .type = "none", .headers = {}, .body = "nginx's own"};
}

// As nginx/svc-uploads.conf and svc-upload-body.conf.
loop::Task<Answer> Site::upload(std::string_view role, std::string host, std::string target,
                                Ask ask) {
  if (role == "web") {
    const std::string& accept = ask.headers["Accept"];
    ask.headers["UPLOAD_ANSWER"] = accept.starts_with("application/json") ? "json" : "html";
  }
  const Ask question =
      ask.with("Content-Type", "").with_body("").with("REQUEST_ID", id_of_next_request());
  const std::string rest =
      role == "web" ? target : target.substr(std::min(target.find('?'), target.size()));
  auto asking = answer_in_process(role, "https", host, "/upload-permission" + rest, question);
  const Answer permitted = co_await asking;
  if (permitted.status == 401 || permitted.status == 403) {
    auto refusing = answer_in_process(role, "https", host, target, question);
    co_return co_await refusing;
  }
  if (permitted.status >= 300) {
    // The refusal that nginx has for the path.
    const std::string path = target.substr(0, target.find('?'));
    const Pool& pool = **std::ranges::find(pools_, role, [](const auto& one) { return one->role; });
    http::Request refused;
    refused.path = path;
    refused.request_id = question.headers.at("REQUEST_ID");
    const http::Response response = pool.service->router().unavailable(refused);
    std::string head;
    http::append_head(head, response);
    co_return read(head, response.body);
  }
  static int bodies = 0;
  const std::string file = upload_folder() + "/incoming/body-" + std::to_string(++bodies);
  Ask first = ask;
  if (!ask.body.empty()) {
    std::ofstream(file, std::ios::binary) << ask.body;
    first.headers["BODY_FILE"] = file;
  }
  first.headers["REQUEST_ID"] = question.headers.at("REQUEST_ID");
  auto keeping = answer_in_process("upload", "https", host, "/upload", first);
  Answer answer = co_await keeping;
  if (answer.status == 307) {
    Ask second = ask.with_body("").with("UPLOAD_PERMIT", permitted.header("X-Svc-Permit"));
    second.headers["UPLOAD_FORM"] = answer.header("X-Svc-Upload");
    second.headers["REQUEST_ID"] = question.headers.at("REQUEST_ID");
    auto committing = answer_in_process(
        role, "https", host, role == "web" ? "/upload-page-commit" : "/upload-commit", second);
    answer = co_await committing;
  }
  std::filesystem::remove(file);
  co_return answer;
}

std::string Site::id_of_next_request() {
  static int requests = 0;
  return request_id.empty() ? "request-" + std::to_string(++requests) : request_id;
}

std::size_t Site::files_of_uploads() {
  const redis::Reply jobs = stores().command({"XRANGE", "ingest:deletions", "-", "+"});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string id(jobs.at(i).at(1).at(1).text().value_or(""));
    if (stores().command({"EXISTS", "catalog:media:" + id}).integer() == 0)
      std::filesystem::remove(upload_folder() + "/" + id);
  }
  const auto is_file = [](const auto& entry) { return entry.is_regular_file(); };
  return static_cast<std::size_t>(
      std::count_if(std::filesystem::recursive_directory_iterator(upload_folder()),
                    std::filesystem::recursive_directory_iterator(), is_file));
}

loop::Task<Answer> Site::answer_in_process(std::string_view role, std::string scheme,
                                           std::string host, std::string target, Ask ask) {
  Pool& pool = **std::ranges::find(pools_, role, [](const auto& one) { return one->role; });
  const std::size_t mark = target.find('?');
  const std::string path = decoded(target.substr(0, mark));
  const auto header = [&](const char* name) -> std::string_view {
    const auto found = ask.headers.find(name);
    return found == ask.headers.end() ? std::string_view() : found->second;
  };
  const auto given = ask.headers.find("REQUEST_ID");
  const std::string id = given == ask.headers.end() ? id_of_next_request() : given->second;
  // As in nginx/svc-fastcgi-*.conf, a pool receives only the parameters that it uses.
  http::Request request;
  request.method = ask.method;
  request.path = path;
  if (mark != std::string::npos) request.query = std::string_view(target).substr(mark + 1);
  request.scheme = scheme;
  request.host = host;
  request.remote_address = address;
  request.request_id = id;
  request.peer = peer;
  request.upload_answer = header("UPLOAD_ANSWER");
  const std::string site = path.starts_with("/embed/") && pool.role == "embed"
                               ? page_origin(header("Origin"), header("Referer"))
                               : std::string();
  request.site = site;
  if (pool.role == "embed" || pool.role == "web") request.if_none_match = header("If-None-Match");
  if (pool.role == "embed") request.accept_language = header("Accept-Language");
  if (pool.role == "grant") {
    request.authorization = header("Authorization");
    request.origin = header("Origin");
    request.if_none_match = header("If-None-Match");
    request.if_match = header("If-Match");
    request.accept = header("Accept");
    request.idempotency_key = header("Idempotency-Key");
  }
  if (pool.role == "web") {
    request.cookie = header("Cookie");
    request.origin = header("Origin");
    request.user_agent = header("User-Agent");
    request.accept_language = header("Accept-Language");
  }
  const bool is_beacon = pool.role == "embed" && path.ends_with(base::paths::kViewing.after());
  if (is_beacon) {
    request.user_agent = header("User-Agent");
    request.uncounted = header("UNCOUNTED");
    request.body = ask.body;
  }
  if (pool.role != "embed" || is_beacon) request.content_type = header("Content-Type");
  if (pool.role == "grant" || pool.role == "web") request.body = ask.body;
  request.upload_length = header("UPLOAD_LENGTH");
  if (pool.role == "upload") {
    request.body_file = header("BODY_FILE");
  } else {
    request.upload_permit = header("UPLOAD_PERMIT");
    request.upload_form = header("UPLOAD_FORM");
  }
  loop::Shares::Use use(pool.shares.get(), loop_->clock());
  request.use = &use;
  cache::Answer answer;
  cache::ResponseCache& responses = pool.service->responses();
  if (!responses.find(request, answer)) {
    auto answering = responses.answer(request, answer);
    co_await answering;
  }
  use.finish();
  Answer all = read(answer.head, answer.body);
  all.counts_for = answer.counts_for;
  all.refused_for = answer.refused_for;
  all.viewing = answer.viewing;
  all.cache = answer.cache;
  co_return all;
}

loop::Task<Answer> Site::answer_of_front(std::string host, std::string target, Ask ask) {
  co_return ask_front(host, target, ask);
}

Answer Site::ask_front(std::string_view host, std::string_view target, const Ask& ask) const {
  const std::size_t colon = front_.find(':');
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(front_.substr(0, colon).c_str(), front_.substr(colon + 1).c_str(), &hints,
                  &found) != 0)
    throw std::runtime_error(front_);
  const base::UniqueFd fd(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool connected = connect(fd.get(), found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!connected) throw std::runtime_error("cannot connect to " + front_);
  std::string bytes = ask.method + " " + std::string(target) +
                      " HTTP/1.1\r\nHost: " + std::string(host) + "\r\nConnection: close\r\n";
  for (const auto& [name, value] : ask.headers) bytes += name + ": " + value + "\r\n";
  if (!ask.body.empty() || ask.method == "POST")
    bytes += "Content-Length: " + std::to_string(ask.body.size()) + "\r\n";
  bytes += "\r\n" + ask.body;
  if (write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("cannot send to " + front_);
  std::string all;
  std::array<char, 65536> piece{};
  for (ssize_t got = 0; (got = ::read(fd.get(), piece.data(), piece.size())) > 0;)
    all.append(piece.data(), static_cast<std::size_t>(got));
  const std::size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos) throw std::runtime_error("no answer of " + front_);
  Answer answer = read(std::string_view(all).substr(0, end), std::string_view(all).substr(end + 4));
  answer.status = std::atoi(all.c_str() + sizeof("HTTP/1.1"));
  return answer;
}

}  // namespace svc::rules
