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
                             translatable("The problem is on our side. Nothing was changed."),
                             translatable("Please try again in a moment.")};

}  // namespace

const RefusalWords& refusal_words(int status) {
  return status == http::kUnavailable ? kAway : kNoSuchRequest;
}

http::Response refusal_page(const embed::Site& site, const http::Request& request, int status,
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
  return problem_page(problem, site, request, {}, language);
}

http::Response page_not_found(const embed::Site& site, const http::Request& request) {
  Problem problem;
  problem.status = 404;
  problem.title = "Page not found";
  problem.text = "There is no page at this address. It may be misspelt, or the page was deleted.";
  problem.link = "/";
  problem.link_name = "Start page";
  return problem_page(problem, site, request, {});
}

}  // namespace svc::pages
