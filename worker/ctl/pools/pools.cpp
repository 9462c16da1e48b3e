#include "ctl/pools/pools.h"

#include <sys/stat.h>

#include <filesystem>

#include "text/word_list.h"

namespace svc::ctl {
namespace {

bool is_socket(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

Flag socket_flag() {
  return {.name = "--socket",
          .takes = Takes::file("PATH"),
          .help = "the socket of a pool",
          .repeats = true};
}

base::Result<std::vector<std::string>, std::string> pool_sockets(const Arguments& arguments,
                                                                 const std::string& pid_file,
                                                                 const PoolDefaults& defaults) {
  if (arguments.has("--socket")) return arguments.values("--socket");
  if (!defaults.listen.empty()) return std::vector{defaults.listen};
  std::string tried;
  if (pid_file.ends_with(".pid")) {
    const std::string socket = pid_file.substr(0, pid_file.size() - 4) + ".sock";
    if (is_socket(socket)) return std::vector{socket};
    tried = socket + ", ";
  }
  std::vector<std::string> folders{defaults.run_folder};
  if (!defaults.config_file.empty()) {
    const std::string folder = std::filesystem::path(defaults.config_file).parent_path().string();
    folders.insert(folders.begin(), folder.empty() ? "." : folder);
  }
  for (const std::string& folder : folders) {
    std::vector<std::string> found;
    std::string roles;
    for (const std::string role : {"embed", "grant", "web", "upload"}) {
      text::add_word(roles, role, ",");
      const std::string path = folder + "/" + role + ".sock";
      if (is_socket(path)) found.push_back(path);
    }
    if (!found.empty()) return found;
    tried += folder + "/{" + roles + "}.sock, ";
  }
  tried.resize(tried.size() - 2);
  return base::Refusal{"no pool found: no socket at " + tried +
                       "; start the pools, or name a socket with --socket"};
}

}  // namespace svc::ctl
