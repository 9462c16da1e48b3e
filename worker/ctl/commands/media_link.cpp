#include "ctl/commands/media_link.h"

#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "ctl/commands/audit.h"
#include "ctl/commands/services.h"
#include "ctl/confirm.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "embed/site.h"
#include "embed/watch_keys.h"
#include "library/link_service.h"
#include "media/media.h"
#include "media/reads.h"

namespace svc::ctl {
namespace {

constexpr std::string_view kFor = "--for";
constexpr std::string_view kDomainFlag = "--domain";

std::string no_media_with(const std::string& id) { return "there is no media " + printable(id); }

std::optional<media::Media> find_linked(const std::string& text, Services& services,
                                        const Context& context) {
  const auto id = media::HashedId::parse(text);
  if (!id) return std::nullopt;
  media::Reads reads;
  return context.store.run(services.catalog.find_media(*id, media::Detail::All, reads));
}

Outcome make_link(const Arguments& arguments, Context& context) {
  library::NewLink link;
  link.lasts = read_span(arguments.value(kFor), embed::kLongestLink).value_or(0);
  if (link.lasts < embed::kShortestLink)
    return wrong_call(context,
                      std::string(kFor) + " must be from 10s to 366d: a number with s, m, h or d");
  if (arguments.has(kDomainFlag)) {
    const auto domain = library::link_domain(arguments.value(kDomainFlag));
    if (!domain) return Refusal{std::string(kDomainFlag) + " " + domain.error()};
    link.domain = *domain;
  }
  if (context.watch_key_file.empty())
    return Refusal{"the setting watch-key-file is empty, so there are no links"};
  const auto ring = base::KeyRing::load(context.watch_key_file);
  if (!ring) return Refusal{ring.error()};
  const std::string& text = arguments.operand(0);
  Services services(context);
  const auto media = find_linked(text, services, context);
  if (!media) return Refusal{no_media_with(text)};
  embed::Site site;
  site.embed_host = context.embed_host;
  const embed::WatchKeys keys(&*ring, context.clock);
  library::LinkService links(site, keys, services.catalog, services.medias, services.audit,
                             context.clock);
  const library::Actor actor = services.actor(media->account);
  const auto made = context.store.run(links.make(media->id, link, actor));
  if (!made) return Refusal{no_media_with(text)};
  if (made->visibility != media::Visibility::Private)
    std::cerr << "the media is " << to_text(made->visibility)
              << ": nobody needs a link to it, and this one ends if it becomes private\n";
  if (!made->domain.empty())
    std::cerr << "it opens the media only in pages of " << made->domain
              << ": embed the frame of the media with the token, or use the url with oEmbed\n";
  Report()
      .text("url", made->url)
      .text("token", made->token)
      .time("ends", made->ends)
      .print(std::cout, arguments.json());
  return kDone;
}

Outcome end_links(const Arguments& arguments, Context& context) {
  const std::string& text = arguments.operand(0);
  Services services(context);
  const auto media = find_linked(text, services, context);
  if (!media) return Refusal{no_media_with(text)};
  Report report;
  report.text("hashed_id", media->id.value())
      .text("name", media->name)
      .text("visibility", to_text(media->visible()));
  const Ending ending{.typed = media->id.value(),
                      .to_do = "end its links",
                      .done = "ended",
                      .ends = "no link that was made until now opens it",
                      .would_end = "no link that was made until now would open it"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    const library::Actor actor = services.actor(media->account);
    const auto ended = context.store.run(services.medias.end_links(media->id, actor));
    return static_cast<bool>(ended);
  });
}

Operand linked_media() {
  return {.takes = Takes::text("HASHED_ID"), .help = "the media's hashed id"};
}

}  // namespace

Command media_link_command() {
  return {.name = "media link",
          .summary = "Make a link to a private media",
          .syntax = {.operands = {linked_media()},
                     .flags = {{.name = kFor,
                                .takes = Takes::text("TIME"),
                                .help = "how long it opens the media, from 10s to 366d: a number "
                                        "with s, m, h or d",
                                .required = true},
                               {.name = kDomainFlag,
                                .takes = Takes::text("NAME"),
                                .help = "the one site or application whose pages it is for, as "
                                        "site.example, *.site.example or capacitor://localhost; it "
                                        "opens nothing elsewhere, and no page of the media"}},
                     .json = kJsonObject},
          .details = {"Who has the link may watch the media until it ends. It is printed once: "
                      "nothing of it is stored. It is signed with the keys of watch-key-file."},
          .run = make_link};
}

Command media_end_links_command() {
  return {.name = "media end-links",
          .summary = "End all links to a media",
          .syntax = {.operands = {linked_media()}, .flags = {yes_flag()}, .json = kJsonObject},
          .details = {"Links that are made later work. Without a terminal it needs --yes."},
          .run = end_links};
}

}  // namespace svc::ctl
