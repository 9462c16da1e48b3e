// Viewing: `POST /embed/medias/<id>/viewing`, what a player tells of a page view (api-B1). The
// response is always 204, also to what is not counted, and waits for no store.
#pragma once

#include "base/clock.h"
#include "embed/watch_keys.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "viewing/bots.h"
#include "viewing/table.h"

namespace svc::endpoints {

class Viewing : public http::Endpoint {
 public:
  // `table`: nullptr if nothing is counted. All outlive it.
  Viewing(viewing::Table* table, const embed::WatchKeys& keys, const viewing::Bots& bots,
          const base::WallClock& clock)
      : table_(table), keys_(keys), bots_(bots), clock_(clock) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  http::Viewing count(const http::Request& request) const;

  viewing::Table* const table_;
  const embed::WatchKeys& keys_;
  const viewing::Bots& bots_;
  const base::WallClock& clock_;
};

}  // namespace svc::endpoints
