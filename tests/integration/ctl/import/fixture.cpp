#include "integration/ctl/import/fixture.h"

namespace svc::integration {

std::optional<base::KeyRing> ImportFixture::some_keys() {
  return *base::KeyRing::parse("k1:" + std::string(64, '1'));
}

base::UniqueFd ImportFixture::file(std::string_view content) {
  return base::UniqueFd(
      open(directory_.write("catalog.jsonl", content).c_str(), O_RDONLY | O_CLOEXEC));
}

ImportFixture::Problems ImportFixture::check(const Lines& lines, bool has_keys) {
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, has_keys, go_on);
  EXPECT_TRUE(check.run());
  Problems problems;
  for (const ctl::Problem& problem : check.problems()) {
    problems.push_back(std::to_string(problem.line) + ": " + problem.reason);
  }
  EXPECT_EQ(check.refused(), problems.size());
  return problems;
}

bool ImportFixture::write(const Lines& lines, ctl::ImportCheck::Progress progress) {
  return import_lines(lines, std::move(progress), nullptr);
}

bool ImportFixture::reset(const Lines& lines, ctl::ImportCheck::Progress progress) {
  const ctl::CredentialReset reset{audit_, "by a test"};
  return import_lines(lines, std::move(progress), &reset);
}

bool ImportFixture::import_lines(const Lines& lines, ctl::ImportCheck::Progress progress,
                                 const ctl::CredentialReset* reset) {
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  EXPECT_TRUE(check.run());
  EXPECT_EQ(check.refused(), 0u) << (check.refused() > 0 ? check.problems().front().reason : "");
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, std::move(progress), nullptr,
                         reset);
  const bool all = write.run(check);
  kept_ = write.kept();
  return all;
}

ImportFixture::Ran ImportFixture::run(const std::vector<std::string>& arguments,
                                      const std::optional<base::KeyRing>& keys) {
  std::ostringstream out;
  std::ostringstream err;
  std::streambuf* const before_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const before_err = std::cerr.rdbuf(err.rdbuf());
  std::vector<std::string> words{"import"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto call = ctl::read_call({&ctl::import_commands()}, words);
  if (!call) std::cerr << call.error();
  const int status = call ? ctl::import(call->arguments, store_, audit_, keys) : ctl::kWrongCall;
  std::cout.rdbuf(before_out);
  std::cerr.rdbuf(before_err);
  return {status, out.str(), err.str()};
}

}  // namespace svc::integration
