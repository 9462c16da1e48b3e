#include "ctl/commands/nginx.h"

#include <iostream>

namespace svc::ctl {
namespace {

Outcome print_site(const Arguments& arguments, Context& context) {
  const auto [site, warnings] =
      context.nginx_site(arguments.has("--tls"), arguments.has("--media-domains"));
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
           .syntax = {.flags = {{"--tls", {}, "nginx has the certificate and ends TLS"},
                                {"--media-domains",
                                 {},
                                 "add service-domain and short-domain to players' hosts"}}},
           .details = {"It has a server for each host of app-url, base-url, oembed-url and "
                       "embed-host, with the paths of its role only; one server if all of them "
                       "name one host. Print it again after a change of these settings:",
                       " svcctl nginx >/etc/nginx/sites-available/svc",
                       "With --tls port 80 only redirects, and "
                       "/etc/nginx/svc/svc-certificate.conf names certificate and key. It warns "
                       "of a URL of http or with a port, which that site does not serve. With "
                       "--media-domains the server of embed-host also has service-domain, "
                       "short-domain and all hosts below them, if DNS leads them here."},
           .needs = Needs::Pools,
           .run = print_site}}};
  return kGroup;
}

}  // namespace svc::ctl
