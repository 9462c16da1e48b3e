// svc-repair-state DIRECTORY: repairs the end of the state Redis' append-only
// file in that directory, before Redis starts. Prints its changes. Exit status:
// 0 if Redis may start, 1 if it must not, 2 for wrong arguments.
#include <iostream>

#include "base/log.h"
#include "repair/append_only_file.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: svc-repair-state DIRECTORY\n";
    return 2;
  }
  const auto repaired = svc::repair::repair(argv[1]);
  if (!repaired) {
    std::cerr << svc::base::log::error_prefix() << "svc-repair-state: " << repaired.error() << "\n";
    return 1;
  }
  if (!repaired->empty()) std::cerr << "svc-repair-state: " << *repaired << "\n";
  return 0;
}
