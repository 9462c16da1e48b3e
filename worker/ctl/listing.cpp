#include "ctl/listing.h"

#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ctl/printable.h"

namespace svc::ctl {
namespace {

using stores::RecordScan;
using stores::StoredRecord;

// Prints all records; returns their number.
std::size_t list_all(const Context& context, const std::string& prefix, Listed& listed) {
  std::size_t count = 0;
  RecordScan scan(context.store.redis, prefix, redis::Scan::Repeats::Possible);
  // Hashes need a third of the memory of keys. Among a million keys, two have
  // the same hash about once in 4 * 10^7 runs; then one record is not listed.
  std::unordered_set<std::size_t> seen;
  while (std::cout) {
    const auto records = context.store.run(scan.next());
    if (!records) break;
    for (const StoredRecord& record : *records) {
      if (!seen.insert(std::hash<std::string>()(record.key)).second) continue;
      if (!listed.take(record)) continue;
      listed.print();
      ++count;
    }
  }
  return count;
}

using Order = std::function<bool(const std::string&, const std::string&)>;

Order order_of(Ids ids) {
  if (ids == Ids::Text) return std::less<std::string>();
  // Ids have no leading zeros, so a longer number is larger.
  return [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
}

// Prints one page of records; returns their number.
std::size_t list_page(const Arguments& arguments, const Context& context, const std::string& prefix,
                      Ids ids, const Page& page, Listed& listed) {
  const Order before = order_of(ids);
  // Keep one record more than the page needs, to know if there is a next page.
  std::map<std::string, StoredRecord, Order> found(before);
  RecordScan scan(context.store.redis, prefix, redis::Scan::Repeats::Possible);
  while (true) {
    std::vector<std::string> keys = context.store.run(scan.next_keys());
    if (keys.empty()) break;
    std::erase_if(keys, [&](const std::string& key) {
      const std::string id = key.substr(prefix.size());
      if (!page.after.empty() && !before(page.after, id)) return true;
      return found.size() > page.limit && !before(id, found.rbegin()->first);
    });
    if (keys.empty()) continue;
    auto records = context.store.run(stores::read_records(context.store.redis, std::move(keys)));
    for (StoredRecord& record : records) {
      if (!listed.take(record)) continue;
      std::string id = record.key.substr(prefix.size());
      found.insert_or_assign(std::move(id), std::move(record));
      if (found.size() > page.limit + 1) found.erase(std::prev(found.end()));
    }
  }
  std::size_t count = 0;
  std::string last;
  for (const auto& [id, record] : found) {
    if (count == page.limit) break;
    if (!listed.take(record)) continue;
    listed.print();
    last = id;
    ++count;
  }
  if (found.size() > page.limit && !arguments.json()) {
    std::cout << std::flush;
    std::cerr << "there are more: --after " << printable(last) << "\n";
  }
  return count;
}

}  // namespace

base::Result<Page, std::string> read_page(const Arguments& arguments) {
  Page page;
  page.limit = static_cast<std::size_t>(arguments.integer("--limit").value_or(0));
  if (arguments.has("--after")) {
    if (page.limit == 0) return base::Refusal{std::string("--after needs --limit")};
    page.after = arguments.value("--after");
  }
  return page;
}

void Listed::cannot_read(const StoredRecord& record, const std::string& why) {
  all_readable_ = false;
  std::cerr << "the record " << printable(record.key) << " cannot be read: " << printable(why)
            << "\n";
}

Outcome list_records(const Arguments& arguments, const Context& context, const std::string& prefix,
                     Ids ids, const Page& page, Listed& listed, std::string_view none) {
  const std::size_t count = page.limit == 0
                                ? list_all(context, prefix, listed)
                                : list_page(arguments, context, prefix, ids, page, listed);
  if (count == 0 && !arguments.json()) std::cerr << none << "\n";
  if (!listed.all_readable()) return Refusal{std::string("not every record could be read")};
  return kDone;
}

}  // namespace svc::ctl
