#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_ring.h"
#include "ctl/commands/audit.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/confirm.h"
#include "ctl/listing.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "embed/watch_keys.h"
#include "library/link_service.h"
#include "media/media.h"
#include "media/reads.h"
#include "media/upload_form.h"
#include "text/ascii.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

constexpr std::string_view kFor = "--for";
constexpr std::string_view kDomainFlag = "--domain";
constexpr std::string_view kLinkFlag = "--link";

std::string no_media_with(const std::string& id) { return "there is no media " + printable(id); }

std::optional<media::Media> find_linked(const std::string& text, Services& services,
                                        const Context& context) {
  const auto id = media::HashedId::parse(text);
  if (!id) return std::nullopt;
  media::Reads reads;
  return context.store.run(services.catalog.find_media(*id, media::Detail::All, reads));
}

base::Result<base::KeyRing, std::string> ring_of(const Context& context) {
  if (context.watch_key_file.empty())
    return Refusal{"the setting watch-key-file is empty, so there are no links"};
  return base::KeyRing::load(context.watch_key_file);
}

Outcome list_links(const Arguments& arguments, Context& context) {
  const auto ring = ring_of(context);
  if (!ring) return Refusal{ring.error()};
  const std::string& text = arguments.operand(0);
  Services services(context, &*ring);
  const auto media = find_linked(text, services, context);
  if (!media) return Refusal{no_media_with(text)};
  const std::vector<library::ListedLink> listed = context.store.run(services.links.list(*media));
  if (!arguments.json() && listed.empty()) std::cerr << "no link\n";
  Table table(std::cout, {{"LINK", 14}, {"ENDS", 20}, {"USER", 8}, {"OPENED", 7}, {"NAME"}});
  for (const library::ListedLink& each : listed) {
    const media::WatchLink& link = each.link;
    if (arguments.json()) {
      Report report;
      report.integer("link", link.id)
          .text("name", link.name)
          .time("ends", link.ends)
          .text("domain", link.domain)
          .integer("contact_id", link.maker.value_or(0))
          .integer("openings", each.openings)
          .print(std::cout, true);
    } else {
      table.row({std::to_string(link.id), text::to_rfc3339(link.ends),
                 link.maker ? std::to_string(*link.maker) : "-", std::to_string(each.openings),
                 link.name});
    }
  }
  return kDone;
}

// Ends one link without a question, as the page does.
Outcome end_one(const media::Media& media, const Arguments& arguments, Services& services,
                Context& context) {
  const std::int64_t link = arguments.integer(kLinkFlag).value_or(0);
  const library::Actor actor = services.actor(media.account);
  const auto ended = context.store.run(services.links.end_one(media.id, link, actor));
  if (!ended) return Refusal{"the media has no link " + std::to_string(link)};
  Report()
      .text("hashed_id", media.id.value())
      .integer("link", link)
      .boolean("ended", true)
      .print(std::cout, arguments.json());
  return kDone;
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
  if (arguments.has("--name")) link.name = std::string(text::trimmed(arguments.value("--name")));
  if (const std::string why = media::why_not_link_name(link.name); !why.empty())
    return Refusal{"--name " + why};
  const auto ring = ring_of(context);
  if (!ring) return Refusal{ring.error()};
  const std::string& text = arguments.operand(0);
  Services services(context, &*ring);
  const auto media = find_linked(text, services, context);
  if (!media) return Refusal{no_media_with(text)};
  const library::Actor actor = services.actor(media->account);
  const auto made = context.store.run(services.links.make(media->id, link, actor));
  if (!made && made.error() == library::Refusal::Full)
    return Refusal{"the media has " + std::to_string(media::kMaxLinks) +
                   " links, with those that were ended in the last hours"};
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
      .integer("link", made->id)
      .print(std::cout, arguments.json());
  return kDone;
}

Outcome end_links(const Arguments& arguments, Context& context) {
  std::optional<base::KeyRing> ring;
  if (arguments.has(kLinkFlag)) {
    auto read = ring_of(context);
    if (!read) return Refusal{read.error()};
    ring.emplace(*std::move(read));
  }
  const std::string& text = arguments.operand(0);
  Services services(context, ring ? &*ring : nullptr);
  const auto media = find_linked(text, services, context);
  if (!media) return Refusal{no_media_with(text)};
  if (arguments.has(kLinkFlag)) return end_one(*media, arguments, services, context);
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
                               name_flag("what the link is for; users of the account see it"),
                               {.name = kDomainFlag,
                                .takes = Takes::text("NAME"),
                                .help = "the one site or application whose pages it is for, as "
                                        "site.example, *.site.example or capacitor://localhost; it "
                                        "opens nothing elsewhere, and no page of the media"}},
                     .json = kJsonObject},
          .details = {"Who has the link may watch the media until it ends. Its token is printed "
                      "once: it is stored nowhere. It is signed with the keys of watch-key-file."},
          .run = make_link};
}

Command media_links_command() {
  return {.name = "media links",
          .summary = "List the links to a private media",
          .syntax = {.operands = {linked_media()}, .json = kJsonLines},
          .details = {"The newest first, with the user who made each and how often a player was "
                      "opened with it. Tokens are stored nowhere. Links of a version that did not "
                      "list them are missing; they end with all others."},
          .only_reads = always,
          .run = list_links};
}

Command media_end_links_command() {
  return {.name = "media end-links",
          .summary = "End all links to a media, or one",
          .syntax = {.operands = {linked_media()},
                     .flags = {{.name = kLinkFlag,
                                .takes = Takes::integer("LINK", 1, media::kMaxIntegerId),
                                .help = "only this link, of \"media links\"; it does not ask"},
                               yes_flag()},
                     .json = kJsonObject},
          .details = {"Links that are made later work. Without a terminal it needs --yes."},
          .run = end_links};
}

}  // namespace svc::ctl
