#include "loop/heavy_work.h"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <system_error>

#include "base/unavailable.h"

namespace svc::loop {
namespace {

constexpr int kHeavyNiceness = 10;

// Of the processor, for this thread.
base::Duration time_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

// Shared by the request and the callback of its thread, both in the loop's thread; the thread only
// writes `took`.
struct HeavyWork::Job {
  std::shared_ptr<Ticket> ticket;
  base::Duration took{};
  bool is_done = false;
  std::exception_ptr thrown{};
};

HeavyWork::Ticket::Ticket(std::shared_ptr<Owners> owners, std::int64_t owner)
    : owners_(std::move(owners)), owner_(owner) {
  ++(*owners_)[owner_];
}

HeavyWork::Ticket::~Ticket() {
  const auto at = owners_->find(owner_);
  if (--at->second == 0) owners_->erase(at);
}

std::shared_ptr<HeavyWork::Ticket> HeavyWork::admit(std::int64_t owner) {
  const auto at = owners_->find(owner);
  if (at != owners_->end() && at->second >= kMostOfOwner) return nullptr;
  return std::make_shared<Ticket>(owners_, owner);
}

// A request that is cancelled leaves its thread, which counts until it has ended.
Task<> HeavyWork::run_job(std::shared_ptr<Ticket> ticket, std::function<void()> work) {
  while (running_ >= kMostThreads) {
    Event::Next next(ended_);
    co_await next;
  }
  const auto job = std::make_shared<Job>(Job{std::move(ticket)});
  std::function<void()> of_thread = [job, work = std::move(work)] {
    // If the system refuses it, the work competes with requests.
    [[maybe_unused]] const int niceness = nice(kHeavyNiceness);
    work();
    job->took = time_of_thread();
  };
  try {
    threads_.start(std::move(of_thread), [this, job](std::exception_ptr thrown) {
      --running_;
      loop_.add_help(job->took);
      job->is_done = true;
      job->thrown = std::move(thrown);
      job->ticket.reset();
      ended_.happen();
    });
  } catch (const std::system_error& error) {
    throw base::Unavailable(error.what());
  }
  ++running_;
  while (!job->is_done) {
    Event::Next next(ended_);
    co_await next;
  }
  if (loop_.meter() != nullptr) *loop_.meter() += job->took;
  if (job->thrown) std::rethrow_exception(job->thrown);
}

}  // namespace svc::loop
