#include "pages/refusal_page.h"

#include "pages/problem_page.h"
#include "text/words.h"

namespace svc::pages {
namespace {

using text::translatable;

constexpr RefusalWords kNoSuchRequest{
    translatable("This address takes no such request"),
    translatable("A browser opens it by a link, or sends its form."),
    translatable("Go back to the previous page.")};
constexpr RefusalWords kAway{translatable("Not available just now"),
                             translatable("This is our doing, not yours. Nothing was changed."),
                             translatable("Please try again in a moment.")};

}  // namespace

const RefusalWords& refusal_words(int status) {
  return status == http::kUnavailable ? kAway : kNoSuchRequest;
}

http::Response refusal_page(std::string_view product, const http::Request& request, int status,
                            const Language& language) {
  const RefusalWords& words = refusal_words(status);
  Problem problem;
  problem.status = status;
  problem.title = language.translate(words.title);
  problem.text = language.translate(words.text);
  problem.next = language.translate(words.next);
  if (status != http::kUnavailable) {
    problem.link = "/";
    problem.link_name = language.translate("Start page");
  }
  problem.product = product;
  return problem_page(problem, request, {}, language);
}

}  // namespace svc::pages
