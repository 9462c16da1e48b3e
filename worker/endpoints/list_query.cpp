#include "endpoints/list_query.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hex.h"
#include "base/number.h"
#include "oauth/bearer.h"
#include "text/uri.h"
#include "text/word_list.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kCursorsEnabled = "cursor[enabled]";
constexpr std::string_view kAfter = "cursor[after]";
constexpr std::string_view kBefore = "cursor[before]";
constexpr std::string_view kPage = "page";
constexpr std::string_view kPerPage = "per_page";
constexpr std::string_view kSortByName = "sort_by";
constexpr std::string_view kDirection = "sort_direction";
constexpr std::array<std::string_view, 4> kEnabled{"1", "true", "0", "false"};
constexpr std::array<std::pair<std::string_view, media::SortBy>, 5> kSortBy{
    {{"created", media::SortBy::Created},
     {"updated", media::SortBy::Updated},
     {"name", media::SortBy::Name},
     {"id", media::SortBy::Created},
     {"position", media::SortBy::Created}}};

// The beginning of a cursor: the account and direction for which it is valid.
std::string scope_of(media::AccountId account, bool ascending) {
  return std::to_string(account.value()) + (ascending ? "+" : "-");
}

using Refused = base::Refusal<std::string>;

base::Result<std::size_t, std::string> read_number(const text::Form& query, std::string_view name,
                                                   std::size_t value, std::size_t most) {
  const auto text = given_once(query, name);
  if (!text) return Refused{text.error()};
  if (!*text) return value;
  const auto number = base::parse_number<std::size_t>(**text, 1, most);
  if (!number)
    return Refused{std::string(name) + " must be a number from 1 to " + std::to_string(most)};
  return *number;
}

std::string names_of_orders() {
  std::string names;
  for (const auto& row : kSortBy) text::add_word(names, row.first);
  return names;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::string link(std::string_view url, const text::Form& query, std::string_view name,
                 const std::string& value, std::string_view relation) {
  std::string link = "<" + std::string(url);
  char before = '?';
  const auto add = [&](std::string_view key, std::string_view text) {
    link += std::exchange(before, '&');
    text::append_percent_encoded(link, key);
    link += '=';
    text::append_percent_encoded(link, text);
  };
  for (const text::FormField& field : query.fields()) {
    if (is_one_of(field.name, {name, "", kAfter, kBefore}) ||
        std::ranges::find(oauth::kTokenParameters, field.name) != oauth::kTokenParameters.end())
      continue;
    add(field.name, field.value);
  }
  add(name, value);
  return link + ">; rel=\"" + std::string(relation) + "\"";
}

}  // namespace

base::Result<std::optional<std::string_view>, std::string> given_once(const text::Form& query,
                                                                      std::string_view name) {
  std::optional<std::string_view> value;
  for (const text::FormField& field : query.fields()) {
    if (field.name != name) continue;
    if (value) return Refused{std::string(name) + " is given twice"};
    value = field.value;
  }
  return value;
}

std::vector<DescribedField> describe_list(const ListForm& form) {
  std::vector<DescribedField> fields{
      {std::string(kPage), integer_schema(1, kMostByPages),
       "The number of the page; 1 if it is absent. Times `per_page` at most " +
           std::to_string(kMostByPages) + ".",
       false},
      {std::string(kPerPage), integer_schema(1, form.most_per_page),
       "How many records a page has; " + std::to_string(form.most_per_page) + " if it is absent.",
       false, "10"}};
  if (form.is_sorted) {
    std::vector<std::string_view> orders;
    for (const auto& row : kSortBy) orders.push_back(row.first);
    fields.push_back({std::string(kSortByName), one_of(orders),
                      "The order; `created` if it is absent, which `id` and `position` mean too. "
                      "Names are sorted by code points.",
                      false, R"("name")"});
    fields.push_back({std::string(kDirection), one_of({"1", "0"}),
                      "1, ascending, if it is absent; 0 is the reverse.", false});
  }
  if (form.takes_cursors) {
    fields.push_back({std::string(kCursorsEnabled), one_of({kEnabled.begin(), kEnabled.end()}),
                      "Whether records have a `cursor`.", false});
    fields.push_back({std::string(kAfter), text_schema(),
                      "The cursor of a record: lists those behind it. Without `page`, in the order "
                      "`created`.",
                      false});
    fields.push_back({std::string(kBefore), text_schema(),
                      "The same for the records before it. One of both.", false});
  }
  return fields;
}

base::Result<ListQuery, std::string> read_list_query(const text::Form& query, const ListForm& form,
                                                     media::AccountId account) {
  ListQuery list;
  const auto page = read_number(query, kPage, 1, kMostByPages);
  if (!page) return Refused{page.error()};
  const auto per_page = read_number(query, kPerPage, form.most_per_page, form.most_per_page);
  if (!per_page) return Refused{per_page.error()};
  list.page = *page;
  list.per_page = *per_page;
  if (form.is_sorted) {
    const auto by = given_once(query, kSortByName);
    if (!by) return Refused{by.error()};
    if (*by) {
      const auto* const row =
          std::ranges::find(kSortBy, **by, &decltype(kSortBy)::value_type::first);
      if (row == kSortBy.end())
        return Refused{std::string(kSortByName) + " must be one of " + names_of_orders()};
      list.order.by = row->second;
    }
    const auto direction = given_once(query, kDirection);
    if (!direction) return Refused{direction.error()};
    if (*direction && **direction != "0" && **direction != "1")
      return Refused{std::string("sort_direction must be 1 (ascending) or 0 (descending)")};
    list.order.ascending = *direction != "0";
  }
  list.order.offset = (list.page - 1) * list.per_page;
  list.order.count = list.per_page + 1;
  const auto enabled = given_once(query, kCursorsEnabled);
  if (!enabled) return Refused{enabled.error()};
  const auto after = given_once(query, kAfter);
  if (!after) return Refused{after.error()};
  const auto before = given_once(query, kBefore);
  if (!before) return Refused{before.error()};
  if (form.takes_cursors && (*enabled || *after || *before)) {
    if (*enabled && std::ranges::find(kEnabled, **enabled) == kEnabled.end())
      return Refused{std::string(kCursorsEnabled) + " must be 1 or 0"};
    list.has_cursors = *after || *before || is_one_of(**enabled, {"1", "true"});
  }
  if (!list.has_cursors) {
    if (list.page * list.per_page > kMostByPages) {
      return Refused{"page times per_page must be at most " + std::to_string(kMostByPages) +
                     (form.takes_cursors ? "; cursor[enabled]=1 lists more" : "")};
    }
    return list;
  }
  if (*after && *before)
    return Refused{std::string("cursor[after] and cursor[before] must not be given together")};
  if (query.find(kPage)) return Refused{std::string("page must not be given with a cursor")};
  if (list.order.by != media::SortBy::Created)
    return Refused{std::string("sort_by must be created with a cursor")};
  list.backwards = before->has_value();
  if (!*after && !*before) return list;
  const std::string cursor = base::from_hex(list.backwards ? **before : **after).value_or("");
  const std::string scope = scope_of(account, list.order.ascending);
  if (!cursor.starts_with(scope)) {
    return Refused{std::string(list.backwards ? kBefore : kAfter) +
                   " must be the cursor of a media of this account, in a list of this "
                   "sort_direction"};
  }
  list.from = cursor.substr(scope.size());
  return list;
}

std::string cursor_of(const std::string& place, media::AccountId account, bool ascending) {
  return base::to_hex(scope_of(account, ascending) + place);
}

void add_links(http::Response& response, const embed::Site& site, const http::Request& request,
               const ListQuery& list, bool has_more, const std::string& first,
               const std::string& last) {
  const std::string url = site.base_url + std::string(request.path);
  const text::Form query = text::Form::parse(request.query);
  std::string all;
  const auto add = [&](std::string_view name, const std::string& value, std::string_view relation) {
    text::add_word(all, link(url, query, name, value, relation));
  };
  if (list.has_cursors) {
    const bool has_next = list.backwards || has_more;
    const bool has_prev = list.backwards ? has_more : list.from.has_value();
    if (has_next && !last.empty()) add(kAfter, last, "next");
    if (has_prev && !first.empty()) add(kBefore, first, "prev");
  } else {
    const bool is_reachable = (list.page + 1) * list.per_page <= kMostByPages;
    if (has_more && is_reachable) add(kPage, std::to_string(list.page + 1), "next");
    if (list.page > 1) add(kPage, std::to_string(list.page - 1), "prev");
  }
  if (!all.empty()) response.with("Link", std::move(all));
}

}  // namespace svc::endpoints
