#include "pages/refusal_page.h"

#include "pages/problem_page.h"

namespace svc::pages {
namespace {

constexpr RefusalWords kNoSuchRequest{"This address takes no such request",
                                      "A browser opens it by a link, or sends its form.",
                                      "Go back to the previous page."};
constexpr RefusalWords kAway{"Not available just now",
                             "This is our doing, not yours. Nothing was changed.",
                             "Please try again in a moment."};

}  // namespace

const RefusalWords& refusal_words(int status) {
  return status == http::kUnavailable ? kAway : kNoSuchRequest;
}

http::Response refusal_page(std::string_view product, const http::Request& request, int status) {
  const RefusalWords& words = refusal_words(status);
  Problem problem;
  problem.status = status;
  problem.title = words.title;
  problem.text = words.text;
  problem.next = words.next;
  if (status != http::kUnavailable) {
    problem.link = "/";
    problem.link_name = "Start page";
  }
  problem.product = product;
  return problem_page(problem, request, {});
}

}  // namespace svc::pages
