#include "endpoints/api/allowed_domains.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/api_paths.h"
#include "endpoints/body_fields.h"
#include "endpoints/list_query.h"
#include "http/api_error.h"
#include "media/allowed_domains.h"
#include "oauth/operation.h"
#include "text/form.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kDomain = "domain";
constexpr std::string_view kDomainRecord = "AllowedDomain";
constexpr ListForm kDomainList{.is_sorted = false};
const std::string kAllDomains =
    "the account has as many as it may have: " + std::to_string(media::kMaxDomains) + ", of " +
    std::to_string(media::kMaxDomainsBytes) + " bytes in a policy";

std::string why_not_domain(const std::string& text) {
  const auto domain = media::canonical_domain(text);
  return domain ? "" : domain.error();
}

// nginx merges the slashes of `capacitor://localhost` in a path.
base::Result<std::string, std::string> domain_of_path(std::string_view text) {
  constexpr std::string_view kMerged = ":/";
  std::string whole(text);
  const std::size_t at = whole.find(kMerged);
  if (at != std::string::npos && !text.substr(at).starts_with("://"))
    whole.replace(at, kMerged.size(), "://");
  return media::canonical_domain(whole);
}

std::string domain_json(const std::string& domain) {
  std::string json;
  text::json::ObjectWriter(json).string(kDomain, domain).end();
  return json;
}

}  // namespace

Described AllowedDomainList::describe() {
  ApiOperation get{.method = "GET",
                   .id = "listAllowedDomains",
                   .summary = "List the sites that may show the films"};
  get.about = "None: every site may.";
  get.needs = &oauth::kReadCatalog;
  get.is_list = true;
  get.query = describe_list(kDomainList);
  get.response = json_response(200, "A page of domains.", array_of(a_record(kDomainRecord)));
  ApiOperation post{.method = "POST", .id = "addAllowedDomain", .summary = "Allow a site"};
  post.about =
      "From the first one on, no other site shows the films: all their files "
      "must be of this service.";
  post.needs = &oauth::kEdit;
  post.is_repeatable = true;
  post.body = {
      {{std::string(kDomain), text_schema(),
        "As in a Content-Security-Policy: `site.example`, or `*.site.example` for all "
        "below it. Of an application, the origin of its pages: `capacitor://localhost`, or "
        "`127.0.0.1` and `localhost`, which alone may have a port, or `:*` for each.",
        true, R"("site.example")"}},
      in_kib(kMaxRecordBody)};
  post.response = json_response(201, "The domain, as browsers name it.", a_record(kDomainRecord));
  post.refusals = {{507, "T" + kAllDomains.substr(1) + "."}};
  return {{get, post},
          {{std::string(kDomainRecord),
            "A site or an application whose pages may show the films of the account.",
            {{std::string(kDomain), text_schema(),
              "The host, all below it, or the origin of an application."}}}}};
}

loop::Task<http::Response> AllowedDomainList::answer(const http::Request& request) {
  const auto issued = co_await admit(request);
  if (!issued) co_return issued.error();
  if (request.is_get_or_head()) co_return co_await list(request, *issued);
  const auto answer_by = [&](BodyFields& body) { return add(request, *issued, body); };
  co_return co_await repeated_.post(request, *issued, answer_by);
}

loop::Task<http::Response> AllowedDomainList::list(const http::Request& request,
                                                   const oauth::Issued& issued) {
  const auto list = read_list_query(text::Form::parse(request.query), kDomainList, issued.account);
  if (!list) co_return http::api_error(400, list.error());
  const media::AllowedDomains domains = co_await service_.list(actor_of(request, issued));
  const auto page = page_of(domains, *list);
  http::Response response = http::in_json("");
  text::json::ArrayWriter array(response.body);
  for (const std::string& domain : page) array.next() += domain_json(domain);
  array.end();
  const bool has_more = list->order.offset + page.size() < domains.size();
  add_links(response, site_, request, *list, has_more);
  co_return response;
}

loop::Task<http::Response> AllowedDomainList::add(const http::Request& request,
                                                  const oauth::Issued& issued, BodyFields& body) {
  const std::string given = body.required_text(kDomain, why_not_domain);
  if (const auto refused = body.refused()) co_return *refused;
  const std::string domain = media::canonical_domain(given).value();
  const auto added = co_await service_.add(domain, actor_of(request, issued));
  if (!added) {
    body.refuse(kDomain, "must not be the first: " + added.error());
    co_return *body.refused();
  }
  if (*added == library::SiteService::Added::Full) co_return http::api_error(507, kAllDomains);
  http::Response response = http::in_json(domain_json(domain));
  response.status = 201;
  response.with("Location", site_.url(base::paths::kAllowedDomain, text::percent_encode(domain)));
  co_return response;
}

Described AllowedDomain::describe() {
  ApiOperation get{.method = "GET", .id = "getAllowedDomain", .summary = "Read an allowed site"};
  get.needs = &oauth::kReadCatalog;
  get.response = json_response(200, "The domain.", a_record(kDomainRecord));
  get.refusals = {{404, "The account has no such domain."}};
  ApiOperation remove{
      .method = "DELETE", .id = "removeAllowedDomain", .summary = "Disallow a site"};
  remove.about = "Without the last one, every site may show the films.";
  remove.needs = &oauth::kEdit;
  remove.response = {204, "It is removed."};
  remove.refusals = get.refusals;
  return {{get, remove}};
}

loop::Task<http::Response> AllowedDomain::answer(const http::Request& request) {
  const auto issued = co_await admit(request);
  if (!issued) co_return issued.error();
  const auto domain = domain_of_path(request.part("domain"));
  if (!domain) co_return no_such("domain");
  const library::Actor actor = actor_of(request, *issued);
  if (!request.is_get_or_head()) {
    const bool is_removed = co_await service_.remove(*domain, actor);
    co_return is_removed ? no_content("") : no_such("domain");
  }
  const media::AllowedDomains domains = co_await service_.list(actor);
  co_return std::ranges::find(domains, *domain) == domains.end()
      ? no_such("domain")
      : http::in_json(domain_json(*domain));
}

}  // namespace svc::endpoints
