// append_only_file: the end of the state Redis' append-only file, checked and repaired before Redis
// loads it.
//
// A power failure may cut off the last write. Redis 7.0 removes what it finds of the last command,
// but where that was the EXEC of a transaction, it leaves the beginning of the transaction, and the
// next start drops all that was appended since. So the whole transaction goes, and only that: a
// file that is wrong anywhere else is left as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::repair {

struct Check {
  enum class State { Sound, CutOff, Corrupt };

  State state = State::Sound;
  // Bytes of whole commands and transactions; of a corrupt file, where it is wrong.
  std::size_t bytes = 0;
  std::string reason;  // of a corrupt one
};

Check check(std::string_view content);

// Repairs what Redis keeps in that directory (its `dir`), in the last of the files that its
// manifest names, and returns what there is to say, nothing for a sound file or where there is none
// yet. What is cut off is kept as `appendonly.cut` in the directory, in place of what was cut off
// before. The refusal says why Redis must not start; nothing was changed then.
base::Result<std::string, std::string> repair(const std::string& directory);

}  // namespace svc::repair
