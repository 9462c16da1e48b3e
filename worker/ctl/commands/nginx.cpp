#include <iostream>
#include <string>

#include "ctl/commands/groups.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

// Returns true if a directive of nginx takes this path without quotes.
bool is_path(const std::string& text) {
  return text.starts_with('/') && text.find_first_of(" \t\n\"';{}$\\") == std::string::npos;
}

Outcome print_site(const Arguments& arguments, Context& context) {
  const NginxChoices choices{.tls = arguments.has("--tls") || arguments.has("--certificate"),
                             .media_domains = arguments.has("--media-domains"),
                             .certificate = arguments.value("--certificate"),
                             .key = arguments.value("--key")};
  if (choices.certificate.empty() != choices.key.empty())
    return wrong_call(context, "--certificate and --key need each other");
  for (const std::string* file : {&choices.certificate, &choices.key}) {
    if (!file->empty() && !is_path(*file))
      return wrong_call(context, *file + " must be a path that begins with /, without a space");
  }
  const auto [site, names, warnings] = context.nginx_site(choices);
  if (arguments.has("--names")) {
    std::cout << text::joined(names, ",") << '\n';
    return kDone;
  }
  for (const std::string& warning : warnings) std::cerr << "svcctl: " << warning << '\n';
  std::cout << site;
  return kDone;
}

}  // namespace

const Group& nginx_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "nginx",
      .commands = {
          {.name = "nginx",
           .summary = "Print nginx's site file",
           .syntax =
               {.flags =
                    {{.name = "--certificate",
                      .takes = Takes::file(),
                      .help = "nginx ends TLS, with this certificate"},
                     {.name = "--key", .takes = Takes::file(), .help = "the certificate's key"},
                     {.name = "--tls", .help = "the same, with those of svc-certificate.conf"},
                     {.name = "--media-domains",
                      .help = "add service-domain and short-domain to players' hosts"},
                     {.name = "--names", .help = "print the names alone, for a certificate"}}},
           .details = {"It has a server for each host of app-url, base-url, oembed-url and "
                       "embed-host, with the paths of its role only; one server if all of them "
                       "name one host. Print it again after a change of these settings:",
                       " cd /etc/nginx/sites-available && svcctl nginx >svc.new && mv svc.new svc",
                       "With TLS, port 80 only redirects and answers challenges of ACME. It "
                       "warns of a URL of http or with a port, which that site does not serve. "
                       "HTTP/2 has the form that the installed nginx wants. With "
                       "--media-domains the server of embed-host also has service-domain, "
                       "short-domain and all hosts below them, if DNS leads them here."},
           .needs = Needs::Pools,
           .run = print_site}}};
  return kGroup;
}

}  // namespace svc::ctl
