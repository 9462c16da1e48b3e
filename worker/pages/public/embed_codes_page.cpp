#include "pages/public/embed_codes_page.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/public_paths.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/identifier_path.h"
#include "embed/rendering.h"
#include "embed/showing.h"
#include "pages/formatting.h"
#include "pages/page_frame.h"
#include "pages/player_form.h"
#include "pages/template.h"
#include "text/ascii.h"
#include "text/csp_source.h"
#include "text/form.h"
#include "text/markup.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

struct NamedType {
  std::string_view value;
  std::string_view name;
};
constexpr std::array<NamedType, 5> kTypes{
    {{"iframe", "Iframe: works everywhere"},
     {"web_component", "Web component: the element <svc-player>"},
     {"async", "Async: script and element"},
     {"async_popover", "Popover: a thumbnail that opens the player"},
     {"open_graph_tags", "OpenGraph tags: for the head of your page"}}};

// The choices of the form, with the type.
PlayerOptionsChosen chosen_in(const text::Form& form) {
  PlayerOptionsChosen chosen;
  const std::string_view type = value_in(form, "embedType");
  const auto is_type = [&](const NamedType& one) { return one.value == type; };
  if (!type.empty() && std::ranges::none_of(kTypes, is_type) && !type.starts_with("playlist_"))
    chosen.wrong.push_back({"embedType", "The type must be one of this list."});
  chosen.add("embedType", type);
  read_player_form(PlayerForm::Code, form, chosen);
  return chosen;
}

// The player's own page with the options of the request, which looks like every type of code.
std::string preview_url(const embed::EmbedRequest& asked, const embed::Embeddable& subject,
                        const embed::Site& site) {
  std::string url = embed::iframe_url(subject, site);
  std::string_view separator = "?";
  for (const auto& [name, value] : asked.options) {
    url += separator;
    text::append_percent_encoded(url, name);
    url += '=';
    text::append_percent_encoded(url, value);
    separator = "&";
  }
  return url;
}

std::string answer_url(const embed::Site& site, const std::string& url, const text::Form& chosen) {
  std::string out = site.url(base::paths::kOembed) + "?url=" + text::percent_encode(url);
  for (const auto& [name, value] : chosen.fields())
    out += "&" + name + "=" + text::percent_encode(value);
  return out;
}

}  // namespace

EmbedCodesPage::EmbedCodesPage(const embed::Site& site, media::Catalog& catalog,
                               media::SiteRules& rules, const embed::WatchKeys& keys,
                               embed::Renderings* renderings)
    : site_(site),
      urls_(site),
      catalog_(catalog),
      rules_(rules),
      keys_(keys),
      subjects_(catalog, renderings) {}

void EmbedCodesPage::add_common_headers(http::Response& response) const {
  const std::string host = text::csp_source(site_.embed_host);
  response
      .with("Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'self'; style-src " + host +
                "; script-src " + host + "; connect-src 'self' " +
                text::csp_source(site_.base_of(base::paths::kOembed.hosts)) + "; frame-src " +
                host + "; img-src * data:; frame-ancestors 'none'")
      .with("X-Frame-Options", "DENY")
      .with("X-Content-Type-Options", "nosniff")
      .with("Referrer-Policy", "no-referrer");
}

loop::Task<http::Response> EmbedCodesPage::answer(const http::Request& request) {
  media::Reads reads;
  PageFrame frame(site_, PageFrame::Shape::Tool, "Embed codes", "embed_codes.tpl", english(),
                  PageFrame::Server::Embed);
  frame.with_script("/assets/copy.js")
      .with_script("/assets/embed-codes.js")
      .for_anyone(Spot::EmbedCodes, request);
  Values& values = frame.body();
  const text::Form form = text::Form::parse(request.query);
  fill_choice(values, form);
  bool is_private = false;
  co_await fill_result(values, form, reads, is_private);
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = frame.html();
  response.with("Cache-Control", is_private ? "no-store" : "no-cache");
  response.made_from = reads.take();
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

// Returns the URL for a pasted URL or id. An id may be that of a video or of a
// playlist.
loop::Task<std::string> EmbedCodesPage::as_url(std::string_view pasted, media::Reads& reads) const {
  const std::string_view text = text::trimmed(pasted);
  const auto id = media::HashedId::parse(text);
  if (!id) co_return std::string(text);
  const auto media = co_await catalog_.find_media(*id, media::Detail::Embed, reads);
  if (media) co_return site_.media_page(id->value());
  const auto playlist = co_await catalog_.find_playlist(*id, reads);
  co_return playlist ? site_.playlist_page(id->value()) : site_.media_page(id->value());
}

// Fills in the values of the form, including the refused ones.
void EmbedCodesPage::fill_choice(Values& values, const text::Form& form) const {
  const PlayerOptionsChosen chosen = chosen_in(form);
  values.set("URL", form.find("url").value_or(""));
  const std::string_view type = form.find("embedType").value_or("");
  const bool known = std::any_of(kTypes.begin(), kTypes.end(),
                                 [&](const NamedType& one) { return one.value == type; });
  for (const NamedType& each : kTypes) {
    Values one = values.show_with("TYPE");
    one.set("VALUE", each.value).set("NAME", each.name);
    if (each.value == (known ? type : kTypes.front().value)) one.show("CHECKED");
  }
  Values options = values.include("OPTIONS", "player_options.tpl");
  fill_player_form(options, PlayerForm::Code, form, chosen);
}

// Returns why the request does not get a code, with the reason from the catalog.
loop::Task<std::string> EmbedCodesPage::refusal_of(const embed::EmbedRequest& asked,
                                                   embed::NotEmbeddable why,
                                                   media::Reads& reads) const {
  const bool playlist = asked.kind == embed::MediaKind::Playlist;
  if (why == embed::NotEmbeddable::NotFound) {
    co_return playlist
        ? "There is no playlist with this address."
        : "There is no video or playlist with this address or id. It may be misspelt, or "
          "its owner removed it.";
  }
  if (why == embed::NotEmbeddable::Private)
    co_return "This video is private. Its owner makes links to it in the settings; a code is made from such a link.";
  if (embed::needs_link(why))
    co_return "This link to a private video has ended, or it is not complete.";
  if (why == embed::NotEmbeddable::OnlyPrivate)
    co_return "The videos of this playlist are private, and a playlist shows no private video.";
  if (playlist) co_return "This playlist has nothing that can be played.";
  const auto media = co_await catalog_.find_media(asked.id, media::Detail::Embed, reads);
  if (media && media->is_audio()) co_return "This audio has no file that can be played.";
  if (media && !media->is_video()) {
    co_return "There is nothing to play: its type is " + clipped(media->type, kMaxShownName) +
        ". Only videos and audio have embed codes.";
  }
  co_return "This video is still being processed. It has an embed code as soon as that is done.";
}

loop::Task<> EmbedCodesPage::fill_result(Values& values, const text::Form& form,
                                         media::Reads& reads, bool& is_private) {
  const std::string_view pasted = form.find("url").value_or("");
  const PlayerOptionsChosen chosen = chosen_in(form);
  bool refused = false;
  const auto without_result = [&](const embed::Embeddable* subject) {
    Values waiting = values.show_with("WAITING");
    if (!site_.example_media.empty()) waiting.show_with("EXAMPLE").set("ID", site_.example_media);
    fill_templates(values, subject);
  };
  const auto problem = [&](std::string_view field, std::string_view text) {
    if (!refused) values.show("HAS_PROBLEM");
    refused = true;
    values.show_with("SUMMARY").set("FIELD", field).set("PROBLEM", text);
  };
  const auto url_problem = [&](std::string_view text) {
    problem("url", text);
    values.show("URL_WRONG");
    values.show_with("URL_PROBLEM").set("PROBLEM", text);
  };
  for (const WrongOption& wrong : chosen.wrong) problem(wrong.parameter, wrong.text);

  const std::string url = co_await as_url(pasted, reads);
  if (url.empty()) {
    if (form.find("url")) url_problem("Enter the address or the id of a video or playlist.");
    co_return without_result(nullptr);
  }
  const auto recognised = urls_.recognise(url);
  if (!recognised) {
    url_problem("This is not the address of a video or playlist here. An address looks like " +
                site_.media_page("ID") + ".");
    co_return without_result(nullptr);
  }
  const text::Form parameters = text::Form::parse(chosen.query);
  embed::EmbedRequest asked = embed::read_embed_request(*recognised, parameters);
  const embed::Opener opener{keys_, embed::watch_of(recognised->query).token};
  auto found = co_await subjects_.find(asked.kind, asked.id, media::Detail::Embed, reads, &opener);
  auto& subject = found.subject;
  if (!subject) {
    const std::string why = co_await refusal_of(asked, subject.error(), reads);
    url_problem(why);
    co_return without_result(nullptr);
  }
  carry_link(asked, *subject);
  is_private = subject->link.has_value();
  if (subject->link) embed::guard(*subject, keys_, embed::span_of(*subject, keys_));
  if (asked.kind == embed::MediaKind::Playlist && asked.type == embed::EmbedType::OpenGraphTags)
    problem("embedType", "OpenGraph tags are for single videos only.");
  if (refused) co_return without_result(&*subject);
  fill_templates(values, &*subject);

  const std::string code = embed::build_page_code(asked, *subject, site_);
  Values result = values.show_with("RESULT");
  result.set("TITLE", subject->title)
      .set("CODE", code)
      .set("ANSWER_URL", answer_url(site_, url, parameters))
      .set("ANSWER", embed::render(embed::Format::Json, asked, *subject, site_, std::nullopt));
  fill_preview(result, asked, *subject);
  if (subject->link) result.show_with("ENDS").set("TIME", full_time(subject->link->ends));
  const media::SiteRule rule = co_await embed::site_rule(rules_, *subject, reads);
  if (rule.is_everywhere()) co_return;
  Values sites = result.show_with("SITES");
  for (const std::string& domain : rule.domains)
    sites.show_with("SITE")
        .set("NAME", domain)
        .set("SEPARATOR", &domain == &rule.domains.back() ? "." : ",");
}

void EmbedCodesPage::fill_preview(Values& result, const embed::EmbedRequest& asked,
                                  const embed::Embeddable& subject) const {
  const media::Dimensions size =
      asked.size.empty() ? embed::size_in_ratio(subject) : embed::fit(asked.size, subject.native);
  const auto player = [&](media::Dimensions shown) {
    result.show_with("PLAYER")
        .set("TITLE", subject.title.empty() ? "Video" : subject.title)
        .set("URL", preview_url(asked, subject, site_))
        .set("WIDTH", shown.width)
        .set("HEIGHT", shown.height);
  };
  const auto picture = [&](media::Dimensions shown, std::string_view says) {
    const std::string poster = embed::thumbnail_url(subject, shown, site_);
    if (poster.empty()) return;
    result.show_with("PICTURE")
        .set("URL", poster)
        .set("WIDTH", shown.width)
        .set("HEIGHT", shown.height)
        .set("TEXT", says);
  };
  switch (asked.type) {
    case embed::EmbedType::Iframe:
    case embed::EmbedType::Async:
    case embed::EmbedType::WebComponent:
      // As wide as its place: as large as the preview can be.
      player(asked.size.empty() ? media::Dimensions{size.width * 4, size.height * 4} : size);
      break;
    case embed::EmbedType::Popover:
      picture(asked.size.empty() ? media::kPopoverThumbnail : size,
              "A click on the thumbnail opens this player:");
      player(embed::size_in_ratio(subject));
      break;
    case embed::EmbedType::OpenGraphTags: picture(size, subject.title); break;
  }
}

// Shows ready-made codes for `subject`; nullptr: with placeholders. Only the AMP code is written
// here.
void EmbedCodesPage::fill_templates(Values& values, const embed::Embeddable* subject) const {
  struct Ready {
    std::string_view name;
    std::string_view query;
  };
  constexpr std::string_view kFixed = "maxwidth=640&maxheight=640";
  constexpr std::array<Ready, 6> kReady{{{"Iframe", ""},
                                         {"Web component", "embedType=web_component"},
                                         {"Async", "embedType=async"},
                                         {"Popover", "embedType=async_popover"},
                                         {"Iframe", kFixed},
                                         {"Async", "embedType=async&maxwidth=640&maxheight=640"}}};
  embed::Embeddable placeholder;
  placeholder.id = *media::HashedId::parse("ID");
  placeholder.title = "TITLE";
  values.show(subject != nullptr ? "FILLED" : "PLACEHOLDERS");
  const embed::Embeddable& shown = subject != nullptr ? *subject : placeholder;
  long number = 0;
  const auto add = [&](std::string_view name, const std::string& code) {
    values.show_with("TEMPLATE")
        .set("NUMBER", ++number)
        .set("NAME", name)
        .set("ROWS", rows_of(code))
        .set("CODE", code);
  };
  for (const Ready& ready : kReady) {
    embed::EmbedRequest request = embed::read_embed_request({shown.kind, shown.id.value(), {}},
                                                            text::Form::parse(ready.query));
    carry_link(request, shown);
    const bool is_popover = request.type == embed::EmbedType::Popover;
    const media::Dimensions size =
        is_popover ? media::kPopoverThumbnail : embed::fit(request.size, shown.native);
    add(std::string(ready.name) + ", " +
            (request.size.empty() && !is_popover
                 ? "responsive"
                 : std::to_string(size.width) + " × " + std::to_string(size.height)),
        embed::build_page_code(request, shown, site_));
  }
  // The AMP element takes the id alone, which does not open a private video.
  const bool has_amp = shown.kind == embed::MediaKind::Media && !shown.link;
  if (site_.amp_script_url.empty() || !has_amp) return;
  std::string script = R"(<script async custom-element="amp-svc-player" src=")";
  text::append_html_escaped(script, site_.amp_script_url);
  add("AMP: in the head of the page", script + R"("></script>)");
  add("AMP: in its body", R"(<amp-svc-player data-media-hashed-id=")" + shown.id.value() +
                              R"(" width="512" height="360"></amp-svc-player>)");
}

}  // namespace svc::pages
