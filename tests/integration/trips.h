// Trips: the counter of a connection's round trips.
#pragma once

#include <gtest/gtest.h>

#include "redis/connection_settings.h"

namespace svc::integration {

class Trips : public redis::TripObserver {
 public:
  void answered(base::Duration) override { ++count; }
  void failed() override { ADD_FAILURE(); }
  int count = 0;
};

}  // namespace svc::integration
