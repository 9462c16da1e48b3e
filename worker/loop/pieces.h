// Pieces: long work on the loop, such as a list of large records, in pieces: one piece per turn,
// whichever request it is of. So each turn has about a millisecond of such work, and the requests
// take turns.
#pragma once

#include <cstddef>
#include <list>

#include "loop/loop.h"
#include "loop/task.h"

namespace svc::loop {

class Pieces {
 public:
  static constexpr std::size_t kBytes = 128 << 10;  // of one piece

  // `loop` outlives it, and it outlives the tasks.
  explicit Pieces(Loop& loop);
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  // Notes that a request has worked on so many bytes. If they complete a piece, waits for its next
  // turn.
  Task<> add(std::size_t bytes);

 private:
  class Next;
  void begin_turn();

  Loop& loop_;
  std::size_t bytes_ = 0;  // of this piece
  std::list<Next*> waiting_;
  Timer turn_;
};

}  // namespace svc::loop
