#include "base/process_title.h"

#include <errno.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace svc::base {
namespace {

// A process has one command line.
std::span<char> g_room;

}  // namespace

char** keep_arguments(int argc, char** argv) {
  static std::vector<std::string> words;
  static std::vector<char*> pointers;
  words.assign(argv, argv + argc);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (argc == 0) return pointers.data();
  // The kernel lays the words out one after the other.
  char* end = argv[0];
  for (int i = 0; i < argc && argv[i] == end; ++i) end += std::strlen(argv[i]) + 1;
  g_room = {argv[0], end};
  // They point into the first word.
  program_invocation_short_name =
      pointers[0] + (program_invocation_short_name - program_invocation_name);
  program_invocation_name = pointers[0];
  return pointers.data();
}

void set_process_title(const std::string& title, const std::string& name) {
  prctl(PR_SET_NAME, name.c_str());
  if (g_room.empty()) return;
  std::ranges::fill(g_room, '\0');
  title.copy(g_room.data(), g_room.size() - 1);
}

}  // namespace svc::base
