// append_only_file: checks and repairs the end of the state Redis' append-only
// file, before Redis loads it.
//
// A power failure may cut off the last write. Redis 7.0 then removes the
// partial command. But if that was the EXEC of a transaction, the start of the
// transaction remains, and the next start drops all commands appended since. So
// this removes the whole transaction. It changes nothing else: a file with any
// other error is left unchanged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::repair {

struct Check {
  enum class State { Sound, CutOff, Corrupt };

  State state = State::Sound;
  // Length of the complete commands and transactions. If the file is corrupt:
  // the position of the error.
  std::size_t bytes = 0;
  std::string reason;  // of a corrupt file
};

Check check(std::string_view content);

// Repairs the last file that the manifest names in `directory` (the `dir`
// setting of Redis). Returns a message, or an empty text if the file is sound
// or does not exist yet. Stores the removed bytes in `directory` as
// `appendonly.cut` and overwrites former ones; if that fails, the message
// reports it. While `directory` has the mark of a restore that did not end, kUnfinished, Redis must
// not start: it would be empty, or have half of the state. A refusal contains the reason why Redis
// must not start: the append-only file was not changed, or could not be truncated and synced.
inline constexpr const char* kUnfinished = "restore.unfinished";  // systemd/operate writes it
base::Result<std::string, std::string> repair(const std::string& directory);

}  // namespace svc::repair
