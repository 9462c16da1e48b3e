// svc-repair-state DIRECTORY: repairs the end of the append-only file that the state Redis keeps
// there, before Redis starts. Prints what it changed. Status: 0 Redis may start, 1 it must not, 2
// wrong call.
#include <iostream>

#include "repair/append_only_file.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: svc-repair-state DIRECTORY\n";
    return 2;
  }
  const auto repaired = svc::repair::repair(argv[1]);
  if (!repaired) {
    std::cerr << "svc-repair-state: " << repaired.error() << "\n";
    return 1;
  }
  if (!repaired->empty()) std::cerr << "svc-repair-state: " << *repaired << "\n";
  return 0;
}
