#include "pages/public/embed_codes_page.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/rendering.h"
#include "pages/public/public_problem.h"
#include "pages/template.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

struct Named {
  std::string_view value;
  std::string_view name;
};
constexpr std::array<Named, 4> kTypes{
    {{"iframe", "Iframe: works everywhere"},
     {"async", "Async: script and element"},
     {"async_popover", "Popover: a thumbnail that opens the player"},
     {"open_graph_tags", "OpenGraph tags: for the head of your page"}}};
constexpr std::array<Named, 3> kOptions{{{"videoFoam", "Responsive: as wide as its place"},
                                         {"autoPlay", "Plays by itself"},
                                         {"muted", "Without sound"}}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text::is_control(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text::is_control(text.back())))
    text.remove_suffix(1);
  return text;
}

// Returns the chosen options as oEmbed parameters, without the empty ones.
text::Form parameters(const text::Form& form) {
  std::string query;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    query += (query.empty() ? "" : "&") + std::string(name) + "=" + text::percent_encode(value);
  };
  for (const std::string_view name :
       {"embedType", "width", "playerColor", "videoFoam", "autoPlay", "muted"}) {
    add(name, form.find(name).value_or(""));
  }
  return text::Form::parse(query);
}

std::string answer_url(const embed::Site& site, const std::string& url, const text::Form& chosen) {
  std::string out = site.oembed_url + "/oembed?url=" + text::percent_encode(url);
  for (const auto& [name, value] : chosen.fields())
    out += "&" + name + "=" + text::percent_encode(value);
  return out;
}

// Returns the number of rows, for browsers that do not size a box by its
// content. A row holds about 90 characters.
long lines_of(std::string_view code) {
  long lines = 0;
  while (true) {
    const std::size_t end = code.find('\n');
    lines += 1 + static_cast<long>(code.substr(0, end).size()) / 90;
    if (end == std::string_view::npos) return lines;
    code.remove_prefix(end + 1);
  }
}

}  // namespace

EmbedCodesPage::EmbedCodesPage(const embed::Site& site, media::Catalog& catalog,
                               embed::Renderings* renderings)
    : site_(site), urls_(site), catalog_(catalog), subjects_(catalog, renderings) {}

void EmbedCodesPage::add_common_headers(http::Response& response) const {
  const std::string& host = site_.embed_host;
  response
      .with("Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'self'; style-src " + host +
                "; script-src " + host + "; connect-src 'self' " + site_.oembed_url +
                "; frame-src " + host + "; img-src 'self' data:; frame-ancestors 'none'")
      .with("X-Frame-Options", "DENY")
      .with("X-Content-Type-Options", "nosniff")
      .with("Referrer-Policy", "no-referrer");
}

http::Response EmbedCodesPage::unavailable(const http::Request& request) const {
  return public_unavailable(site_, Endpoint::unavailable(request), request.request_id);
}

loop::Task<http::Response> EmbedCodesPage::answer(const http::Request& request) {
  if (!request.is_get_or_head()) co_return http::method_not_allowed("GET, HEAD");
  media::Reads reads;
  Values values("embed-codes");
  values.set("PROVIDER", site_.provider_name).set("EMBED_HOST", site_.embed_host);
  fill_choice(values, request);
  co_await fill_result(values, request, reads);
  fill_templates(values);
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = values.expand("embed_codes.tpl");
  response.with("Cache-Control", "no-cache");
  response.made_from = reads.take();
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

// Returns the URL for a pasted URL or id. An id may be that of a video or of a
// playlist.
loop::Task<std::string> EmbedCodesPage::as_url(std::string_view pasted, media::Reads& reads) const {
  const std::string_view text = trimmed(pasted);
  const auto id = media::HashedId::parse(text);
  if (!id) co_return std::string(text);
  const auto media = co_await catalog_.find_media(*id, media::Detail::Embed, reads);
  if (media) co_return site_.media_page(id->text());
  const auto playlist = co_await catalog_.find_playlist(*id, reads);
  co_return playlist ? site_.playlist_page(id->text()) : site_.media_page(id->text());
}

void EmbedCodesPage::fill_choice(Values& values, const http::Request& request) const {
  const text::Form form = text::Form::parse(request.query);
  values.set("URL", form.find("url").value_or(""))
      .set("WIDTH", form.find("width").value_or(""))
      .set("COLOR", form.find("playerColor").value_or(""));
  const std::string_view chosen = form.find("embedType").value_or("");
  const bool known = std::any_of(kTypes.begin(), kTypes.end(),
                                 [&](const Named& type) { return type.value == chosen; });
  for (const Named& type : kTypes) {
    Values one = values.show_with("TYPE");
    one.set("VALUE", type.value).set("NAME", type.name);
    if (type.value == (known ? chosen : kTypes.front().value)) one.show("CHECKED");
  }
  for (const Named& option : kOptions) {
    Values one = values.show_with("OPTION");
    one.set("VALUE", option.value).set("NAME", option.name);
    if (form.find(option.value) == "true") one.show("CHECKED");
  }
}

loop::Task<> EmbedCodesPage::fill_result(Values& values, const http::Request& request,
                                         media::Reads& reads) {
  const text::Form form = text::Form::parse(request.query);
  const std::string_view pasted = form.find("url").value_or("");
  const std::string url = co_await as_url(pasted, reads);
  if (url.empty()) co_return;
  const auto problem = [&](std::string_view text) {
    values.show("HAS_PROBLEM").set("PROBLEM", text);
  };
  const auto recognised = urls_.recognise(url);
  if (!recognised) {
    co_return problem(
        "This is not the address of a video or playlist here. An address looks like " +
        site_.media_page("ID") + ".");
  }
  const text::Form chosen = parameters(form);
  const embed::EmbedRequest asked = embed::read_embed_request(*recognised, chosen);
  const auto found = co_await subjects_.find(asked.kind, asked.id, media::Detail::Embed, reads);
  const auto& subject = found.subject;
  if (!subject) {
    co_return problem(
        subject.error() == embed::NotEmbeddable::NotFound
            ? "There is no video or playlist with this address or id."
            : "There is nothing to embed: it is not a video, or still being processed.");
  }
  if (asked.kind == embed::MediaKind::Playlist && asked.type == embed::EmbedType::OpenGraphTags) {
    co_return problem("OpenGraph tags are for single videos only.");
  }
  const media::Dimensions size = embed::fit(asked.size, subject->native);
  values.show("RESULT")
      .set("TITLE", subject->title)
      .set("CODE", embed::build_embed_code(asked, *subject, size, site_))
      .set("ANSWER_URL", answer_url(site_, url, chosen))
      .set("ANSWER", embed::render(embed::Format::Json, asked, *subject, site_, std::nullopt));
}

// Shows ready-made codes. The code that renders oEmbed responses builds them,
// so they cannot differ; only the AMP code is written here.
void EmbedCodesPage::fill_templates(Values& values) const {
  struct Ready {
    std::string_view name;
    std::string_view query;
    media::Dimensions size;
  };
  constexpr std::array<Ready, 5> kReady{
      {{"Async", "embedType=async", {600, 366}},
       {"Async", "embedType=async&videoFoam=true", {640, 360}},
       {"Popover", "embedType=async_popover", embed::kPopoverThumbnail},
       {"Iframe", "seo=true&videoFoam=false", {640, 360}},
       {"Iframe", "videoFoam=true", {640, 360}}}};
  embed::Embeddable subject;
  subject.id = *media::HashedId::parse("ID");
  subject.title = "TITLE";
  long number = 0;
  const auto add = [&](std::string_view name, const std::string& code) {
    values.show_with("TEMPLATE")
        .set("NUMBER", ++number)
        .set("NAME", name)
        .set("ROWS", lines_of(code))
        .set("CODE", code);
  };
  for (const Ready& ready : kReady) {
    const auto request = embed::read_embed_request({embed::MediaKind::Media, "ID", {}},
                                                   text::Form::parse(ready.query));
    const std::string size = request.responsive ? "responsive"
                                                : std::to_string(ready.size.width) + " × " +
                                                      std::to_string(ready.size.height);
    add(std::string(ready.name) + ", " + size,
        embed::build_embed_code(request, subject, ready.size, site_));
  }
  add("AMP: in the head of the page", R"(<script async custom-element="amp-svc-player" src=")" +
                                          site_.amp_script_url + R"("></script>)");
  add("AMP: in its body",
      R"(<amp-svc-player data-media-hashed-id="ID" width="512" height="360"></amp-svc-player>)");
}

}  // namespace svc::pages
