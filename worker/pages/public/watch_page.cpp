#include "pages/public/watch_page.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/digest.h"
#include "base/public_paths.h"
#include "captions/webvtt.h"
#include "embed/dimensions.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/showing.h"
#include "pages/brand.h"
#include "pages/formatting.h"
#include "pages/page_frame.h"
#include "pages/template.h"
#include "text/csp_source.h"
#include "text/form.h"
#include "text/json.h"
#include "text/uri.h"
#include "text/words.h"

namespace svc::pages {
namespace {

using text::translatable;

constexpr std::string_view kPolicy = "Content-Security-Policy";
constexpr std::string_view kHtml = "text/html; charset=utf-8";

// Returns e.g. "PT16.43S", ISO 8601.
std::string as_iso_duration(double seconds) {
  std::string out = "PT";
  text::json::append_decimal(out, seconds);
  return out + "S";
}

// A script element with a VideoObject or AudioObject of schema.org, for search engines. Its writer
// escapes all text that could end the element.
Html json_ld(const embed::Embeddable& subject, const std::string& title,
             const std::string& description, const std::string& poster, const embed::Site& site) {
  std::string out = "<script type=\"application/ld+json\">";
  text::json::ObjectWriter video(out);
  video.string("@context", "https://schema.org")
      .string("@type", subject.is_audio ? "AudioObject" : "VideoObject")
      .string("name", title);
  if (!description.empty()) video.string("description", description);
  if (!poster.empty()) video.string("thumbnailUrl", poster);
  if (!subject.created.empty()) video.string("uploadDate", subject.created);
  if (subject.duration) video.string("duration", as_iso_duration(*subject.duration));
  video.string("url", site.media_page(subject.id.value()))
      .string("embedUrl", embed::iframe_url(subject, site));
  if (!subject.mp4.empty()) video.string("contentUrl", site.absolute(subject.mp4));
  if (subject.native)
    video.integer("width", subject.native->width).integer("height", subject.native->height);
  video.end();
  return Html(out + "</script>");
}

// The size of the element that sets the ratio of the stage: the native ratio, at least as large as
// any stage, so that CSS only makes it smaller.
media::Dimensions stage_size(const embed::Embeddable& subject) {
  constexpr int kLargest = 3840;
  const media::Dimensions native = subject.native.value_or(media::Dimensions{16, 9});
  const int factor = std::max(1, (kLargest + native.width - 1) / native.width);
  return {native.width * factor, native.height * factor};
}

constexpr std::string_view kPosition = "time";

// The second that the link of a media page names. 0: none, or it is not a position.
long second_in(std::string_view query) {
  const text::Form form = text::Form::parse(query);
  const auto at = position_in(form.find(kPosition).value_or(""));
  return at ? static_cast<long>(*at / 1000) : 0;
}

// The moment in ms that the page's script seeks to and follows, and its link without scripts, which
// begins with `link`.
void set_moment(Values& values, const std::string& link, std::int64_t at) {
  const long seconds = static_cast<long>(at / 1000);
  values.set("AT", static_cast<long>(at))
      .set("TIME", link)
      .set("SECONDS", seconds)
      .set("CLOCK", duration_text(static_cast<double>(seconds)));
}

// The address of the page at a time, without the seconds at its end.
std::string times_link(const embed::Embeddable& subject) {
  const std::string link = embed::Site::with_watch("", subject.watch);
  return (link.empty() ? "?" : link + "&") + std::string(kPosition) + "=";
}

void show_chapters(Values& values, const std::string& link,
                   const std::vector<media::Chapter>& all) {
  if (all.empty()) return;
  Values chapters = values.show_with("HAS_CHAPTERS");
  for (const media::Chapter& chapter : all) {
    Values one = chapters.show_with("CHAPTER");
    set_moment(one, link, chapter.at);
    one.set("NAME", chapter.title);
  }
}

// Cues of this long are a paragraph of the transcript.
constexpr std::int64_t kParagraph = 15'000;  // ms
constexpr std::size_t kMaxTranscriptBytes = 512 << 10;

// The cues of each paragraph.
std::vector<std::vector<captions::Cue>> paragraphs_of(const std::string& webvtt) {
  std::vector<std::vector<captions::Cue>> all;
  for (captions::Cue& cue : captions::in_order(captions::read_webvtt(webvtt))) {
    if (all.empty() || cue.begin >= all.back().front().begin + kParagraph) all.emplace_back();
    all.back().push_back(std::move(cue));
  }
  return all;
}

std::string transcript_html(const std::string& link, const std::string& webvtt) {
  Values values;
  for (const std::vector<captions::Cue>& cues : paragraphs_of(webvtt)) {
    Values paragraph = values.show_with("PARAGRAPH");
    set_moment(paragraph, link, cues.front().begin);
    for (const captions::Cue& cue : cues) {
      std::string words;
      for (const captions::Part& part : cue.parts)
        if (part.kind == captions::Part::Kind::Text) words += part.text;
      paragraph.show_with("CUE").set("AT", static_cast<long>(cue.begin)).set("WORDS", words);
    }
  }
  return values.expand("transcript.tpl");
}

// Returns the captions whose transcript the page has: the default or the first, or nullptr. The
// store has the text of captions with a version; the page's script fetches other files.
const media::Captions* captions_to_read(const std::vector<media::Captions>& all, bool has_version) {
  const media::Captions* found = nullptr;
  for (const media::Captions& captions : all) {
    if (captions.version().empty() == has_version || captions.is_segmented()) continue;
    if (found == nullptr || (captions.by_default && !found->by_default)) found = &captions;
  }
  return found;
}

// The words of a page instead of a film. {owner} is the name of its account.
struct Words {
  std::string_view title;
  std::string_view text;
};

constexpr Words kGone{translatable("No such video"),
                      translatable("It may have been removed by its owner.")};
constexpr Words kPending{
    translatable("This video is not ready yet"),
    translatable("{owner} has uploaded it, and it is still being processed. It "
                 "will play here soon.")};
constexpr Words kFailed{
    translatable("This video cannot be played"),
    translatable("Its file could not be processed. {owner} can upload it again.")};
constexpr Words kPicture{translatable("This is a picture"),
                         translatable("{owner} has uploaded a picture, which does not play.")};
constexpr Words kDocument{translatable("This is a document"),
                          translatable("{owner} has uploaded a document, which does not play.")};
constexpr Words kOther{translatable("Nothing to play here"),
                       translatable("{owner} has uploaded a file that does not play.")};
constexpr Words kEmptyList{
    translatable("Nothing to play here"),
    translatable("This playlist of {owner} has nothing that can be played.")};
constexpr Words kNoLink{translatable("This video is private"),
                        translatable("It opens with a link. Ask {owner} for one.")};
constexpr Words kWrongLink{
    translatable("This link does not open the video"),
    translatable("It may be incomplete, or {owner} has ended it. Ask for a new one.")};
constexpr Words kEndedLink{translatable("This link has expired"),
                           translatable("Ask {owner} for a new one.")};
constexpr Words kPrivateList{translatable("These videos are private"),
                             translatable("A playlist shows no private video. Ask {owner} for a "
                                          "link to each of them.")};
constexpr Words kOtherSite{
    translatable("Not shown here"),
    translatable("{owner} shows this video on some sites only, and {site} is not one of them.")};
constexpr Words kUnknownSite{
    translatable("Not shown here"),
    translatable("{owner} shows this video on some sites only, and this page does not say on which "
                 "site it is.")};
constexpr Words kNoPage{translatable("This video has no page here"),
                        translatable("{owner} shows it on other sites only.")};

const Words& words_of(embed::NotEmbeddable why, const std::optional<media::Media>& media) {
  switch (why) {
    case embed::NotEmbeddable::Private: return kNoLink;
    case embed::NotEmbeddable::WrongLink: return kWrongLink;
    case embed::NotEmbeddable::EndedLink: return kEndedLink;
    case embed::NotEmbeddable::OnlyPrivate: return kPrivateList;
    case embed::NotEmbeddable::NotFound: return media ? kFailed : kGone;
    case embed::NotEmbeddable::NoEmbedCode: break;
  }
  if (!media) return kEmptyList;
  if (media->status != media::Status::Ready) return kPending;
  if (media->type == "Image") return kPicture;
  return media->type == "PdfDocument" ? kDocument : kOther;
}

// A name inside a sentence, isolated as by <bdi>.
std::string isolated(std::string_view name) {
  return "\u2068" + clipped(name, kMaxShownName) + "\u2069";
}

// Returns the discovery URL, oEmbed §4: absolute, with only `url` and `format`.
std::string discovery(const embed::Site& site, const std::string& page, std::string_view format) {
  return site.url(base::paths::kOembed) + "?url=" + text::percent_encode(page) +
         "&format=" + std::string(format);
}

}  // namespace

WatchPage::WatchPage(Kind kind, const embed::Site& site, const Languages& languages, int max_age,
                     int negative_max_age, media::Catalog& catalog, media::SiteRules& rules,
                     const embed::WatchKeys& keys, embed::Renderings* renderings,
                     std::optional<Texts> texts)
    : kind_(kind),
      site_(site),
      languages_(languages),
      cache_control_("public, max-age=" + std::to_string(max_age)),
      negative_cache_control_("public, max-age=" + std::to_string(negative_max_age)),
      catalog_(catalog),
      rules_(rules),
      keys_(keys),
      subjects_(catalog, renderings),
      texts_(texts) {}

std::string_view WatchPage::language_for(const http::Request& request) const {
  constexpr std::size_t kMost = 256;
  if (request.query.find("lang") != std::string_view::npos || request.accept_language.size() > 128)
    return language_of_viewer(languages_, request).tag();
  const std::string key(request.accept_language);
  const auto known = chosen_.find(key);
  if (known != chosen_.end()) return known->second->tag();
  if (chosen_.size() >= kMost) chosen_.clear();
  const Language& language = language_of_viewer(languages_, request);
  chosen_.emplace(key, &language);
  return language.tag();
}

// Only the public page of a media has links to positions.
std::string_view WatchPage::query_used(const http::Request& request) const {
  if (kind_ == Kind::MediaPage && second_in(request.query) != 0) return request.query;
  const auto id = kind_ == Kind::PlaylistFrame ? std::nullopt : id_of(request);
  return id ? keys_.part_of(request.query, id->value()) : "";
}

// Frames are embedded in other sites' pages, and play files from the embed host,
// the asset base and the hosts that their media names. Only hls.js needs blobs.
// The media page contains the player's frame and must not be framed itself. The policy of a frame
// for every site omits frame-ancestors: even `*` does not match files, data: URLs, pages
// of applications and sandboxed pages.
void WatchPage::add_policy(http::Response& response, const std::string& sources,
                           const std::string& ancestors, const std::string& style) const {
  const std::string host = text::csp_source(site_.embed_host);
  std::string policy =
      "default-src 'none'; base-uri 'none'; form-action " +
      std::string(kind_ == Kind::MediaPage ? "'self'" : "'none'") + "; style-src " + host +
      (style.empty() ? ""
                     : " 'sha256-" + base::base64_encode_unpadded(base::sha256(style)) + "='") +
      "; script-src " + host + "; img-src * data:; ";
  if (!is_frame()) {
    policy += "frame-src " + host + "; frame-ancestors 'none'";
    if (!sources.empty()) policy += "; connect-src " + sources;
  } else {
    const std::string assets = text::csp_source(site_.asset_base);
    const std::string hosts =
        host + (assets == host ? "" : " " + assets) + (sources.empty() ? "" : " " + sources);
    policy += "media-src " + hosts + " blob:; connect-src " + hosts;
    if (!ancestors.empty()) policy += "; " + ancestors;
  }
  response.with(kPolicy, std::move(policy));
}

// Cross-origin isolated pages only embed frames that are as strict as themselves.
// Not require-corp: posters and files may be on hosts of others, which do not
// send Cross-Origin-Resource-Policy.
void WatchPage::add_common_headers(http::Response& response) const {
  const auto is_policy = [](const http::Header& header) { return header.name == kPolicy; };
  if (std::ranges::none_of(response.headers, is_policy)) add_policy(response, "");
  if (is_frame()) {
    response.with("Cross-Origin-Embedder-Policy", "credentialless")
        .with("Cross-Origin-Resource-Policy", "cross-origin");
  }
  response.with("X-Content-Type-Options", "nosniff")
      .with("Referrer-Policy", "strict-origin-when-cross-origin");
}

// Links to a subpage lead to the media page: /medias/<id>/manage.
std::optional<media::HashedId> WatchPage::id_of(const http::Request& request) {
  const std::string_view rest = request.rest();
  return media::HashedId::parse(rest.substr(0, rest.find('/')));
}

loop::Task<http::Response> WatchPage::answer_get(const http::Request& request,
                                                 media::Reads& reads) {
  embed::Subjects::Found found{base::Refusal{embed::NotEmbeddable::NotFound}};
  const embed::Opener opener{keys_, embed::watch_of(request.query).token};
  if (const auto id = id_of(request))
    found = co_await subjects_.find(media_kind(), *id, media::Detail::All, reads, &opener);
  auto& [subject, from_cache] = found;
  if (!subject) {
    http::Response page = co_await refused(subject.error(), request, reads);
    if (from_cache) page.cache = http::CacheUse::Redis;
    co_return page;
  }
  media::SiteRule rule;
  if (kind_ != Kind::ShortUrl || subject->is_unlisted) {
    rule = co_await embed::site_rule(rules_, *subject, reads);
  }
  const bool is_restricted = is_frame() && (!rule.is_everywhere() || subject->has_own_rules);
  http::Response response;
  if (from_cache) response.cache = http::CacheUse::Redis;
  response.about = subject->id.value();
  const bool is_private = subject->link.has_value();
  // Its page has the frame.
  if (is_private && kind_ == Kind::MediaFrame) response.opened_link = subject->link->number();
  std::optional<embed::Span> span;
  if (kind_ != Kind::PlaylistFrame && embed::is_guarded(*subject, rule)) {
    span = embed::span_of(*subject, keys_);
    embed::guard(*subject, keys_, *span);
    // Previews of its page would keep an address that ends.
    if (!is_frame()) subject->mp4.clear();
  } else if (is_restricted) {
    // The facts have the files that may be shown.
    subject->mp4.clear();
    subject->has_manifest = false;
  }
  std::string facts;
  if (is_restricted || (is_private && is_frame())) {
    response.varies_by_site = is_restricted;
    // The frame itself is the same in all languages; the page for a refused site varies.
    response.varies_by_language = true;
    // Without a site, browsers decide.
    bool is_refused = !request.site.empty() && !may_show(rule, site_, request.site);
    if (!is_refused) {
      const embed::Asker asker{request.site, &rule};
      embed::PlaylistFacts collected = co_await facts_of(*subject, asker, reads);
      if (collected.span) span = collected.span;
      facts = std::move(collected.json);
      is_refused = collected.is_empty;
    }
    if (is_refused) {
      co_return co_await refuse_site(request, subject->account, is_private, reads);
    }
  } else if (!rule.is_everywhere() && kind_ == Kind::MediaPage && subject->is_unlisted &&
             (!is_private || !subject->link->domain.empty())) {
    const Language& language = language_of_viewer(languages_, request);
    const std::string owner = co_await name_of(subject->account, reads);
    http::Response elsewhere =
        viewer_problem(shown_in(), site_, 403, language.translate(kNoPage.title),
                       language.translate(kNoPage.text, {{"owner", owner}}), language);
    http::vary_by_language(elsewhere);
    if (is_private) co_return std::move(http::never_stored(elsewhere));
    co_return elsewhere.with("Cache-Control", negative_cache_control_);
  }
  if (!facts.empty()) {
    response.fresh_for = keys_.fresh_for(span);
  } else if (span) {
    response.fresh_for = span->fresh_for(keys_.now());
  }
  if (is_private) {
    http::never_stored(response);
  } else if (is_restricted) {
    http::vary_by_site(response);
  } else {
    response.with("Cache-Control", cache_control_);
  }
  if (kind_ == Kind::ShortUrl) {
    // To the same host: a media page is on every host that has short URLs.
    response.status = 302;
    co_return response.with(
        "Location",
        embed::Site::with_watch(base::paths::kMediaPage.with(response.about), subject->watch));
  }
  response.content_type = kHtml;
  std::optional<Transcript> transcript;
  if (texts_) {
    transcript = co_await find_transcript(*subject, reads);
  }
  const long position = kind_ == Kind::MediaPage ? second_in(request.query) : 0;
  const Language& language = language_of_viewer(languages_, request);
  media::Owner owner;
  if (kind_ == Kind::MediaPage) {
    const std::optional<media::Owner> account = co_await rules_.owner_of(subject->account, reads);
    owner =
        account ? *account : media::Owner{.name = site_.provider_name, .logo = "", .colour = ""};
    http::vary_by_language(response).with("Content-Language", language.tag());
  }
  response.body = render(*subject, transcript, position, facts, owner, language);
  std::string sources = subject->sources;
  if (kind_ == Kind::MediaPage) {
    const auto* const file = transcript ? nullptr : captions_to_read(subject->captions, false);
    sources = file != nullptr ? text::csp_source(site_.captions(*file)) : "";
  }
  add_policy(response, sources, embed::frame_ancestors(rule, site_),
             owner.colour.empty() ? "" : brand_css(owner.colour));
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

loop::Task<std::string> WatchPage::name_of(std::optional<media::AccountId> account,
                                           media::Reads& reads) {
  std::optional<media::Owner> owner;
  if (account) {
    owner = co_await rules_.owner_of(*account, reads);
  }
  co_return isolated(owner ? owner->name : site_.provider_name);
}

loop::Task<http::Response> WatchPage::refused(embed::NotEmbeddable why,
                                              const http::Request& request, media::Reads& reads) {
  std::optional<media::Media> media;
  std::optional<media::AccountId> account;
  const auto id = id_of(request);
  if (id && kind_ == Kind::PlaylistFrame) {
    const auto playlist = co_await catalog_.find_playlist(*id, reads);
    if (playlist) account = playlist->account;
  } else if (id) {
    media = co_await catalog_.find_media(*id, media::Detail::Embed, reads);
    if (media) account = media->account;
  }
  const std::string owner = co_await name_of(account, reads);
  const bool is_closed = embed::needs_link(why) || why == embed::NotEmbeddable::OnlyPrivate;
  const int status = is_closed ? 403 : why == embed::NotEmbeddable::NotFound ? 404 : 501;
  const Words& words = words_of(why, media);
  const Language& language = language_of_viewer(languages_, request);
  http::Response page =
      viewer_problem(shown_in(), site_, status, language.translate(words.title),
                     language.translate(words.text, {{"owner", owner}}), language);
  http::vary_by_language(page);
  if (!is_closed) co_return page.with("Cache-Control", negative_cache_control_);
  page.refused_for = endpoints::refusal_for(why);
  co_return std::move(http::never_stored(page));
}

loop::Task<http::Response> WatchPage::refuse_site(const http::Request& request,
                                                  media::AccountId account, bool is_private,
                                                  media::Reads& reads) {
  const std::string owner = co_await name_of(account, reads);
  // Viewers know a site by its host; the scheme is part of an application's name.
  const std::size_t host = request.site.starts_with("http") ? request.site.find("//") + 2 : 0;
  const std::string site =
      request.site.empty() ? std::string() : std::string(request.site.substr(host));
  const Words& words = request.site.empty() ? kUnknownSite : kOtherSite;
  const Language& language = language_of_viewer(languages_, request);
  http::Response page =
      viewer_problem(shown_in(), site_, 403, language.translate(words.title),
                     language.translate(words.text, {{"owner", owner}, {"site", site}}), language);
  if (is_private) {
    page.varies_by_site = true;
    http::never_stored(page);
  } else {
    http::vary_by_site(page);
  }
  http::vary_by_language(page);
  page.refused_for = http::WatchRefusal::Site;
  co_return page;
}

loop::Task<embed::PlaylistFacts> WatchPage::facts_of(const embed::Embeddable& subject,
                                                     embed::Asker asker, media::Reads& reads) {
  embed::PlaylistFacts facts;
  if (kind_ == Kind::MediaFrame) {
    append_facts(facts.json, subject, site_, keys_);
    facts.is_empty = false;
    co_return facts;
  }
  const auto playlist = co_await catalog_.find_playlist(subject.id, reads);
  if (!playlist) co_return facts;
  const auto medias = co_await catalog_.find_medias(playlist->media_ids, media::Detail::All, reads);
  facts = co_await embed::playlist_facts(*playlist, medias, rules_, keys_, site_, asker, reads);
  co_return facts;
}

loop::Task<std::optional<WatchPage::Transcript>> WatchPage::find_transcript(
    embed::Embeddable subject, media::Reads& reads) {
  const media::Captions* const shown = captions_to_read(subject.captions, true);
  if (shown == nullptr) co_return std::nullopt;
  std::string version(shown->version());
  std::optional<std::string> text =
      co_await texts_->all->find(subject.id, std::move(version), reads);
  if (!text || text->size() > kMaxTranscriptBytes) co_return std::nullopt;
  const std::size_t bytes = text->size();
  std::function<std::string()> make = [link = times_link(subject), webvtt = *std::move(text)] {
    return transcript_html(link, webvtt);
  };
  std::shared_ptr<loop::HeavyWork::Ticket> no_ticket;
  std::string html = co_await texts_->heavy->run_if_heavy<std::string>(bytes, std::move(no_ticket),
                                                                       std::move(make));
  co_return Transcript{shown->language, std::move(html)};
}

std::string WatchPage::render(const embed::Embeddable& subject,
                              const std::optional<Transcript>& transcript, long position,
                              const std::string& facts, const media::Owner& owner,
                              const Language& language) const {
  const std::string& id = subject.id.value();
  const bool playlist = kind_ == Kind::PlaylistFrame;
  const std::string page =
      playlist ? embed::iframe_url(subject, site_) : site_.media_page(id, subject.watch);
  const std::string player =
      embed::Site::with_watch(embed::iframe_url(subject, site_), subject.watch);
  const media::Dimensions size = embed::size_in_ratio(subject);
  const std::string title = subject.title.empty() ? "Video" : subject.title;
  embed::EmbedRequest tags;
  tags.kind = subject.kind;
  tags.id = subject.id;
  tags.type = embed::EmbedType::OpenGraphTags;
  const std::string poster = embed::thumbnail_url(subject, size, site_);
  const std::string description = clipped(plain_text(subject.description), kMaxShownText);

  const media::Dimensions ratio = subject.native.value_or(media::Dimensions{16, 9});

  const auto fill = [&](Values& target) {
    target.set("TITLE", title)
        .set("OPEN_GRAPH", Html(embed::build_embed_code(tags, subject, size, site_)))
        .set("PLAYER", player)
        .set("PAGE", page)
        .set("EMBED_HOST", site_.embed_host)
        .set("ID", id)
        .set("WIDTH", size.width)
        .set("HEIGHT", size.height)
        .set("RATIO_WIDTH", ratio.width)
        .set("RATIO_HEIGHT", ratio.height);
    if (!poster.empty()) target.show("HAS_POSTER").set("POSTER", poster);
    if (!description.empty()) target.show("HAS_DESCRIPTION").set("DESCRIPTION", description);
  };
  const auto fill_head = [&](Values& head) {
    fill(head);
    head.set("OEMBED_JSON", discovery(site_, page, "json"))
        .set("OEMBED_XML", discovery(site_, page, "xml"));
    if (subject.mp4.empty()) return;
    const std::string url = site_.absolute(subject.mp4);
    Values file = head.show_with("HAS_FILE");
    file.set("URL", url);
    if (url.starts_with("https://")) file.show("SECURE");
    if (subject.mp4_size) {
      file.show_with("HAS_SIZE")
          .set("WIDTH", subject.mp4_size->width)
          .set("HEIGHT", subject.mp4_size->height);
    }
  };
  if (kind_ == Kind::MediaPage) {
    const media::Dimensions stage = stage_size(subject);
    embed::EmbedRequest plain;
    plain.kind = subject.kind;
    plain.id = subject.id;
    if (position != 0) plain.options.add(kPosition, std::to_string(position));
    PageFrame frame(site_, PageFrame::Shape::Settings, title, "media.tpl", language,
                    PageFrame::Server::Embed, &owner);
    frame.titled_alone().with_script("/assets/copy.js");
    Values head = frame.head("media_head.tpl");
    head.set("PAGE", page);
    if (!owner.colour.empty())
      head.set("STYLE", Html("<style>" + brand_css(owner.colour) + "</style>"));
    if (subject.is_unlisted) {
      frame.unlisted();
    } else {
      head.show_with("LISTED").set("JSON_LD", json_ld(subject, title, description, poster, site_));
    }
    Values discovery = head.include("DISCOVERY", "head.tpl");
    fill_head(discovery);
    Values& values = frame.body();
    fill(values);
    values.set("STAGE_WIDTH", stage.width).set("STAGE_HEIGHT", stage.height);
    const auto from_start = [&](const std::string& url) {
      if (position == 0) return url;
      return url + (url.find('?') == std::string::npos ? "?time=" : "&time=") +
             std::to_string(position);
    };
    values.set("PLAYER", from_start(player));
    const std::string times = times_link(subject);
    // A viewer with a link is not asked to share it.
    if (!subject.link) {
      const std::string code = embed::build_page_code(plain, subject, site_);
      values.show_with("SHARE")
          .set("LINK", from_start(page))
          .set("START", duration_text(static_cast<double>(position)))
          .set("CODE", code)
          .set("ROWS", rows_of(code))
          .set("CODES", site_.url(base::paths::kEmbedCodes) + "?url=" + text::percent_encode(page));
    }
    show_chapters(values, times, subject.chapters);
    const auto* const file = captions_to_read(subject.captions, false);
    if (transcript || file != nullptr) {
      Values shown = values.show_with("TRANSCRIPT");
      shown.set("LANGUAGE", transcript ? transcript->language : file->language);
      if (transcript) {
        shown.set("WORDS", Html(transcript->html));
      } else {
        shown.show_with("FILE").set("URL", site_.captions(*file, subject.pass));
      }
    }
    if (transcript || file != nullptr || !subject.chapters.empty())
      frame.with_script("/assets/film.js");
    if (subject.duration)
      values.show("HAS_DURATION").set("DURATION", duration_text(*subject.duration));
    return frame.html();
  }
  Values values;
  fill(values);
  Values head = values.include("HEAD", "head.tpl");
  fill_head(head);
  Values element = values.show_with(playlist ? "PLAYLIST" : "MEDIA");
  if (!facts.empty()) element.show_with("WITH_FACTS").set("FACTS", facts);
  if (subject.is_unlisted) values.show("UNLISTED");
  if (subject.has_manifest)
    values.show_with("MANIFEST")
        .set("URL", site_.manifest(subject.first_video.value(), subject.pass));
  if (!subject.mp4.empty()) values.show_with("MP4").set("URL", site_.absolute(subject.mp4));
  return values.expand("frame.tpl");
}

}  // namespace svc::pages
