// list_query: the parameters of the API's lists: pages, order, cursors (api-N4, api-N5).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/site.h"
#include "endpoints/description.h"
#include "http/request.h"
#include "http/response.h"
#include "media/listings.h"
#include "text/form.h"

namespace svc::endpoints {

struct ListQuery {
  media::ListOrder
      order;  // asks for one record more than a page has: whether there is another page
  std::size_t page = 1;
  std::size_t per_page = 0;
  bool has_cursors = false;
  // Where the list continues: a place of media::Listings, and whether the page is before it.
  std::optional<std::string> from{};
  bool backwards = false;
};

// The features of a list.
struct ListForm {
  bool takes_cursors = false;
  bool is_sorted = true;  // by sort_by and sort_direction
  std::size_t most_per_page = 100;
};

// The most records that pages reach; only cursors reach further.
inline constexpr std::size_t kMostByPages = 10'000;

// The parameters of such a list.
std::vector<DescribedField> describe_list(const ListForm& form);

// Returns the value of a parameter, or nullopt if it is absent. Refuses a parameter that is given
// twice.
base::Result<std::optional<std::string_view>, std::string> given_once(const text::Form& query,
                                                                      std::string_view name);

// The refusal is a sentence that names the parameter and the allowed values.
base::Result<ListQuery, std::string> read_list_query(const text::Form& query, const ListForm& form,
                                                     media::AccountId account);

// Returns the cursor of a place, which is valid for this account and direction.
std::string cursor_of(const std::string& place, media::AccountId account, bool ascending);

// The records of a whole list that are on this page.
template <class Record>
std::span<const Record> page_of(const std::vector<Record>& all, const ListQuery& list) {
  const std::size_t begin = std::min(list.order.offset, all.size());
  return std::span(all).subspan(begin, std::min(list.per_page, all.size() - begin));
}

// Adds Link (RFC 8288) to the response: the address with its query, without the token. `first`,
// `last`: cursors of the records of the page; empty: without cursors. `has_more`: further pages
// follow in the direction in which this page was read.
void add_links(http::Response& response, const embed::Site& site, const http::Request& request,
               const ListQuery& list, bool has_more, const std::string& first = {},
               const std::string& last = {});

}  // namespace svc::endpoints
