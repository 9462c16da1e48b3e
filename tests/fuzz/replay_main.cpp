// svc-fuzz-replay CORPUS [TARGET…]: runs every target, or those named, over its
// folder in CORPUS: each file, each beginning of it, and changed copies of it.
//
// The changes are the same in every run. A failure prints the input in hex.
// Exits with 1 if a target lacks a corpus.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "fuzz/target.h"

namespace {

constexpr int kChangedCopies = 200;            // per file
constexpr std::size_t kMostBeginnings = 2000;  // per file

std::string_view current;  // the input that runs now

// Only for the report of a failure: the process ends after it.
void print_input(int number) {
  std::fprintf(stderr, "input of %zu bytes: ", current.size());
  for (const char c : current.substr(0, 4096))
    std::fprintf(stderr, "%02x", static_cast<unsigned char>(c));
  std::fputc('\n', stderr);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(const svc::fuzz::Target& target, std::string_view input) {
  current = input;
  // A copy of exactly this size, so that the address sanitizer sees a read
  // beyond its end.
  const std::vector<char> copy(input.begin(), input.end());
  target.run({copy.data(), copy.size()});
}

// Returns a copy in which some bytes are changed, repeated or missing.
std::string changed(std::string text, std::mt19937& dice) {
  const auto below = [&](std::size_t limit) { return dice() % std::max<std::size_t>(limit, 1); };
  for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(text.size() - at, 16));
    switch (dice() % 4) {
      case 0: text[at] = static_cast<char>(dice()); break;
      case 1: text[at] = static_cast<char>(text[at] ^ (1 << dice() % 8)); break;
      case 2: text.erase(at, length); break;
      default: text.insert(below(text.size()), text.substr(at, length));
    }
  }
  return text;
}

std::size_t replay(const svc::fuzz::Target& target, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t inputs = 0;
  std::mt19937 dice(1);
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    run(target, text);
    const std::size_t step = text.size() / kMostBeginnings + 1;
    for (std::size_t end = 0; end < text.size(); end += step, ++inputs)
      run(target, std::string_view(text).substr(0, end));
    for (int i = 0; i < kChangedCopies; ++i) run(target, changed(text, dice));
    inputs += 1 + kChangedCopies;
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "svc-fuzz-replay CORPUS [TARGET…]\n");
    return 2;
  }
  svc::base::log::set_level(svc::base::log::Level::Off);
  std::signal(SIGABRT, print_input);
  const std::vector<std::string_view> chosen(argv + 2, argv + argc);
  bool complete = true;
  for (const svc::fuzz::Target& target : svc::fuzz::targets()) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), target.name) == chosen.end())
      continue;
    const auto folder = std::filesystem::path(argv[1]) / target.name;
    const std::size_t inputs = std::filesystem::is_directory(folder) ? replay(target, folder) : 0;
    std::printf("%-20.*s %zu inputs\n", static_cast<int>(target.name.size()), target.name.data(),
                inputs);
    complete &= inputs > 0;
  }
  return complete ? 0 : 1;
}
