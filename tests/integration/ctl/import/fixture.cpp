#include "integration/ctl/import/fixture.h"

#include <iostream>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "stores/keys.h"

namespace svc::integration {
namespace {

base::UniqueFd opened(const std::string& path) {
  return base::UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

Import::Problems Import::check(const Lines& lines, std::size_t max_playlist_medias) {
  const base::UniqueFd content = opened(directory_.write("catalog.jsonl", joined(lines)));
  ctl::LineFile file(content.get());
  ctl::ImportCheck check(file, store_, keys_.has_value(), max_playlist_medias);
  EXPECT_TRUE(check.run(go_on));
  Problems problems;
  for (const auto& [line, reason] : check.refused().first)
    problems.push_back(std::to_string(line) + ": " + reason);
  return problems;
}

bool Import::write(const Lines& lines, const ctl::Progress& progress,
                   const ctl::CredentialReset* reset) {
  const base::UniqueFd content = opened(directory_.write("catalog.jsonl", joined(lines)));
  ctl::LineFile file(content.get());
  ctl::ImportCheck check(file, store_, keys_.has_value());
  EXPECT_TRUE(check.run(go_on));
  EXPECT_EQ(check.refused().count, 0u);
  ctl::ImportWrite write(file, store_, &*keys_, entropy_, cache_, reset);
  const bool all = write.run(check, progress);
  kept_ = write.kept();
  return all;
}

bool Import::reset(const Lines& lines) {
  const ctl::CredentialReset reset{audit_, "by a test"};
  return write(lines, go_on, &reset);
}

Import::Ran Import::run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  std::streambuf* const before_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const before_err = std::cerr.rdbuf(err.rdbuf());
  std::vector<std::string> words{"import"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto call = ctl::read_call({&ctl::import_commands()}, words);
  if (!call) std::cerr << call.error();
  const base::SystemClock clock;
  const oauth::Limits limits;
  const ctl::Context context{.store = store_,
                             .state = store_,
                             .keys = keys_,
                             .limits = limits,
                             .entropy = entropy_,
                             .clock = clock};
  const int status = call ? ctl::import(call->arguments, context, audit_) : ctl::kWrongCall;
  std::cout.rdbuf(before_out);
  std::cerr.rdbuf(before_err);
  return {status, out.str(), err.str()};
}

Import::Ran Import::import(const Lines& lines, std::vector<std::string> more) {
  more.insert(more.begin(), directory_.write("catalog.jsonl", joined(lines)));
  return run(more);
}

Import::Lines Import::dangling(const Dump& dump) {
  Lines missing;
  for (const auto& record : dump) {
    const auto& key = record.first;
    const auto& value = record.second;
    const auto needs = [&](const std::string& other) {
      if (!dump.contains(other)) missing.push_back(key + " → " + other);
    };
    // Calls `use` with each id that follows these words in a record.
    const auto each = [](std::string_view text, std::string_view words, const auto& use) {
      for (std::size_t at = 0; (at = text.find(words, at)) != std::string_view::npos;) {
        at += words.size();
        use(std::string(text.substr(at, text.find_first_of("\",]}", at) - at)));
      }
    };
    each(value, "\"account_id\":", [&](const auto& id) { needs("catalog:account:" + id); });
    each(value, "\"project_id\":\"", [&](const auto& id) { needs("catalog:project:" + id); });
    if (key.starts_with("catalog:playlist:")) {
      each(std::string_view(value).substr(value.find('[')), "\"",
           [&](const auto& id) { needs(id.empty() ? key : "catalog:media:" + id); });
    } else if (key.starts_with("catalog:contact:")) {
      each(value, "\"email\":\"",
           [&](const auto& email) { needs(stores::keys::contact_email(email)); });
    } else if (key.starts_with("catalog:contact_email:")) {
      needs("catalog:contact:" + value);
    } else if (key.starts_with("oauth:account_clients:")) {
      needs("catalog:account:" + key.substr(key.rfind(':') + 1));
    }
    const std::string kind = key.substr(0, key.find(':', key.find(':') + 1));
    if (!std::set<std::string>{"catalog:account", "catalog:contact", "catalog:contact_email",
                               "catalog:media", "catalog:password", "catalog:playlist",
                               "catalog:project", "oauth:account_clients", "oauth:client",
                               "oauth:deleted_client", "oauth:ending_clients",
                               "oauth:public_clients", "oauth:resources"}
             .contains(kind))
      missing.push_back(key + " is no key of ours");
  }
  return missing;
}

oauth::Client Import::client(const std::string& id) {
  text::json::Document document;
  const std::string value = server_.text({"GET", "oauth:client:" + id});
  text::JsonRecord record(*document.parse(value));
  return *oauth::client_from_record(record);
}

std::string Import::password_hash(int id) {
  const redis::Reply hash = server_.command({"GET", "catalog:password:" + std::to_string(id)});
  return std::string(hash.text().value_or(""));
}

}  // namespace svc::integration
