// UnitFile: the directives of a unit of systemd and its drop-ins.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

class UnitFile {
 public:
  // `text` is the output of `systemctl cat NAME`. %i in it becomes the instance in `name`, %d
  // becomes `credentials`.
  UnitFile(std::string_view text, const std::string& name, const std::string& credentials);

  // Returns the words of all assignments of a directive. An empty assignment removes those before.
  const std::vector<std::string>& words(const std::string& directive) const;
  // Returns the last word; "" without any.
  std::string last(const std::string& directive) const;
  // Returns the words of ExecStart=, with the variables of Environment= instead of `$NAME`.
  std::vector<std::string> command() const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> directives_;
};

}  // namespace svc::ctl
