// Runner: fetches the documents that workers request, several at a time, and stores them.
#pragma once

#include <cstddef>
#include <string>

#include "courier/fetcher.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "oauth/document_client.h"
#include "oauth/stores.h"
#include "stores/access/client_documents.h"

namespace svc::courier {

class Runner {
 public:
  static constexpr std::size_t kMostAtOnce = 16;

  // All references outlive it.
  Runner(stores::DocumentJobs& jobs, Fetcher& fetcher, oauth::Audit& audit,
         const oauth::DocumentRules& rules, loop::Loop& loop)
      : jobs_(jobs),
        fetcher_(fetcher),
        audit_(audit),
        rules_(rules),
        loop_(loop),
        ended_(loop),
        tasks_(loop) {}

  // Begins to take jobs; it ends with the runner. Never throws: while the store is unavailable, it
  // tries again each second.
  void start() { tasks_.spawn(take_jobs()); }

 private:
  loop::Task<> take_jobs();
  loop::Task<> fetch(std::string url);
  // Fetches and judges. Returns why the document is refused; "" if it is stored.
  loop::Task<std::string> fetch_one(std::string url);

  stores::DocumentJobs& jobs_;
  Fetcher& fetcher_;
  oauth::Audit& audit_;
  const oauth::DocumentRules& rules_;
  loop::Loop& loop_;
  std::size_t running_ = 0;
  bool said_unavailable_ = false;
  loop::Event ended_;  // a fetch
  loop::Scope tasks_;  // last: they refer to the others
};

}  // namespace svc::courier
