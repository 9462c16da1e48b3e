// keys: `svcctl keys rotate`, a new key for the server's key file, without a moment in which a
// running worker cannot read what another wrote.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

inline constexpr const char* kKeysUsage =
    "svcctl keys rotate [--activate] [--dry-run] [--json]\n"
    "  A new key comes into use in two steps, because workers read the key file when they start:\n"
    "    1. svcctl keys rotate             adds a new key that everybody can read with\n"
    "       restart the grant and web pools, all of them, on every machine that shares the store\n"
    "       (or reload them, where key-file is no systemd credential)\n"
    "    2. svcctl keys rotate --activate  has it write, and seals every client secret with it\n"
    "       restart the same pools again\n"
    "  Between the steps any time may pass. Where several machines share the store, carry the "
    "file\n"
    "  to the others after each step, before the restart. --activate may be run again: it goes on\n"
    "  where it was interrupted. --dry-run says what would be done. The former keys stay: tokens,\n"
    "  codes and sessions that were made with them are only found with them.\n";

const Group& keys_commands();

}  // namespace svc::ctl
