// HeavyWork: work that takes more than some milliseconds, such as reading captions of megabytes, in
// threads of low priority. The loop serves other requests meanwhile.
//
// An owner, such as an account, has at most kMostOfOwner pieces of work in this process: so it
// takes neither all threads nor all places of requests from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"

namespace svc::loop {

class HeavyWork {
 public:
  // Work on at most so many bytes takes about a millisecond, and needs no thread.
  static constexpr std::size_t kLight = 64 << 10;
  // Work on more bytes than this needs a ticket.
  static constexpr std::size_t kLong = 256 << 10;
  static constexpr int kMostOfOwner = 2;
  static constexpr int kMostThreads = 2;

  // One of an owner's pieces of work. It counts until its holders have ended, also a thread whose
  // request was cancelled. Only for the loop's thread.
  class Ticket;

  // `loop` outlives it.
  explicit HeavyWork(Loop& loop) : loop_(loop), ended_(loop), threads_(loop) {}
  HeavyWork(const HeavyWork&) = delete;
  HeavyWork& operator=(const HeavyWork&) = delete;

  // Returns nullptr if the owner has kMostOfOwner tickets.
  std::shared_ptr<Ticket> admit(std::int64_t owner);

  // Runs `work` in a thread, whose time counts as the task's (Scope::spawn()), after the work of
  // others if kMostThreads run, and returns its value. Throws the exception of `work`, or
  // base::Unavailable if the thread cannot be started. As in Threads::run(), `work` owns what it
  // refers to. `ticket` may be nullptr.
  template <class T>
  Task<T> run(std::shared_ptr<Ticket> ticket, std::type_identity_t<std::function<T()>> work);

  // The same, or in the loop's thread if there are at most kLight bytes to work on.
  template <class T>
  Task<T> run_if_heavy(std::size_t bytes, std::shared_ptr<Ticket> ticket,
                       std::type_identity_t<std::function<T()>> work);

  int running() const { return running_; }

 private:
  using Owners = std::map<std::int64_t, int>;
  struct Job;

  Task<> run_job(std::shared_ptr<Ticket> ticket, std::function<void()> work);

  Loop& loop_;
  Event ended_;
  int running_ = 0;
  std::shared_ptr<Owners> owners_ = std::make_shared<Owners>();
  Threads threads_;
};

class HeavyWork::Ticket {
 public:
  Ticket(std::shared_ptr<Owners> owners, std::int64_t owner);
  ~Ticket();
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  const std::shared_ptr<Owners> owners_;
  const std::int64_t owner_;
};

template <class T>
Task<T> HeavyWork::run(std::shared_ptr<Ticket> ticket,
                       std::type_identity_t<std::function<T()>> work) {
  const auto value = std::make_shared<std::optional<T>>();
  std::function<void()> keep = [value, work = std::move(work)] { value->emplace(work()); };
  co_await run_job(std::move(ticket), std::move(keep));
  co_return std::move(**value);
}

template <class T>
Task<T> HeavyWork::run_if_heavy(std::size_t bytes, std::shared_ptr<Ticket> ticket,
                                std::type_identity_t<std::function<T()>> work) {
  if (bytes <= kLight) co_return work();
  co_return co_await run<T>(std::move(ticket), std::move(work));
}

}  // namespace svc::loop
