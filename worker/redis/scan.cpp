#include "redis/scan.h"

#include <unordered_set>

namespace svc::redis {

void scan(Connection& connection, std::string_view pattern,
          const std::function<void(const std::vector<std::string>& keys)>& see) {
  // Redis may name a key twice, while its table grows or shrinks.
  std::unordered_set<std::string> seen;
  std::string cursor = "0";
  do {
    std::vector<std::string> keys;
    {
      const Reply reply = connection.read({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
      cursor = reply.at(0).text().value_or("0");
      const ReplyView found = reply.at(1);
      for (std::size_t i = 0; i < found.size(); ++i) {
        std::string key(found.at(i).text().value_or(""));
        if (seen.insert(key).second) keys.push_back(std::move(key));
      }
    }
    if (!keys.empty()) see(keys);
  } while (cursor != "0");
}

}  // namespace svc::redis
