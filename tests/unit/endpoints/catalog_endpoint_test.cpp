#include "endpoints/catalog_endpoint.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/tasks.h"

namespace svc::endpoints {
namespace {

class TwoRecords : public CatalogEndpoint {
 protected:
  loop::Task<http::Response> answer_get(const http::Request&, media::Reads& reads) override {
    reads.note("catalog:media:a");
    reads.note("catalog:media:b");
    co_return http::json_error(404, "none");
  }
};

TEST(CatalogEndpoint, NotesTheDependenciesOfResponsesAndRefusals) {
  TwoRecords endpoint;
  for (const std::string_view method : {"GET", "HEAD"}) {
    http::Request request;
    request.method = method;
    EXPECT_TRUE(endpoint.shares_answers(request));
    const http::Response response = fakes::now(endpoint.answer(request));
    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(response.made_from, (std::vector<std::string>{"catalog:media:a", "catalog:media:b"}));
  }
}

}  // namespace
}  // namespace svc::endpoints
