#include "endpoints/api/captions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/api_paths.h"
#include "base/unreadable.h"
#include "captions/file.h"
#include "captions/language.h"
#include "captions/subrip.h"
#include "captions/webvtt.h"
#include "endpoints/body_fields.h"
#include "endpoints/list_query.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "library/caption_list.h"
#include "media/caption_texts.h"
#include "oauth/operation.h"
#include "text/accept.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

constexpr std::size_t kMediasPerList = 200;
constexpr std::string_view kFileField = "caption_file";
constexpr std::string_view kLanguageField = "language";
constexpr std::string_view kCaptionsWord = "captions";
constexpr std::string_view kOfMedia = "media_id";
constexpr ListForm kCaptionsPages{.is_sorted = false};
constexpr std::string_view kCaptionsRecord = "Captions";
constexpr std::string_view kListedCaptions = "ListedCaptions";
constexpr std::string_view kNoRoomForCaptions =
    "The account's captions take as many bytes as are allowed.";

enum class CaptionFormat : std::uint8_t { Json, SubRip, WebVtt, Text };

struct FormatRow {
  CaptionFormat format;
  std::string_view suffix;    // the path's
  std::string_view type;      // the response's
  std::string_view accepted;  // in Accept
};
// The router removes `.json`, and then asks for JSON.
constexpr std::array<FormatRow, 4> kCaptionFormats{
    {{CaptionFormat::Json, "", http::kJson, "application/json"},
     {CaptionFormat::SubRip, ".srt", "text/plain; charset=utf-8", "application/x-subrip"},
     {CaptionFormat::WebVtt, ".vtt", "text/vtt; charset=utf-8", "text/vtt"},
     {CaptionFormat::Text, ".txt", "text/plain; charset=utf-8", "text/plain"}}};

// The most wanted format, with JSON for a range of types.
CaptionFormat accepted_format(std::string_view accept) {
  for (const text::Accepted& accepted : text::accepted_ranges(accept)) {
    const std::string type = text::to_lower(accepted.range);
    if (type == "*/*" || type == "application/*") break;
    const auto* row = std::ranges::find(kCaptionFormats, type, &FormatRow::accepted);
    if (row != kCaptionFormats.end()) return row->format;
  }
  return CaptionFormat::Json;
}

const FormatRow& row_of(CaptionFormat format) {
  return kCaptionFormats.at(static_cast<std::size_t>(format));
}

struct Asked {
  captions::Language language;
  CaptionFormat format;
  bool is_named;  // the path names the format, so Accept does not count
};

std::optional<Asked> asked_by(const http::Request& request) {
  std::string_view name = request.part("language");
  const auto* row = kCaptionFormats.data();
  for (const FormatRow& each : kCaptionFormats) {
    if (!each.suffix.empty() && name.ends_with(each.suffix)) row = &each;
  }
  name.remove_suffix(row->suffix.size());
  const auto language = captions::Language::parse(name);
  if (!language) return std::nullopt;
  const bool is_named = !row->suffix.empty();
  return Asked{*language, is_named ? row->format : accepted_format(request.accept), is_named};
}

// `webvtt`: nullopt if there is only an address.
void append_captions_json(std::string& out, const media::HashedId& media, bool has_media,
                          const media::Captions& captions,
                          const std::optional<std::string>& webvtt) {
  const captions::Language language = library::language_of(captions);
  text::json::ObjectWriter json(out);
  json.integer("id", media::number_of(media.value() + " " + captions.label));
  if (has_media) json.string(kOfMedia, media.value());
  json.string("language", language.code())
      .string("english_name", language.english_name())
      .string("native_name", language.native_name())
      .boolean("is_draft", false);
  if (webvtt) {
    json.string("text", captions::to_subrip(captions::read_webvtt(*webvtt)));
  } else {
    json.null("text");
  }
  json.end();
}

// As append_captions_json().
std::vector<DescribedField> describe_fields(bool has_media) {
  std::vector<DescribedField> fields{described_number()};
  if (has_media) fields.push_back({std::string(kOfMedia), media_id_schema(), "Of their media."});
  fields.push_back({std::string(kLanguageField), text_schema(),
                    "The code of ISO 639-2/T, or the tag of BCP 47 if the language has none."});
  fields.push_back({"english_name", text_schema(), "Of the language."});
  fields.push_back({"native_name", text_schema(), "Of the language, in it."});
  fields.push_back({"is_draft", only(false), "There are no drafts."});
  fields.push_back({"text", or_null(text_schema()), "As SRT; null if we have only their address."});
  return fields;
}

DescribedField describe_file() {
  return {std::string(kFileField), a_file(),
          "SRT or WebVTT of at most " + std::to_string(captions::kMaxFileBytes >> 20) +
              " MiB, in UTF-8, or in UTF-16 or UTF-32 with a byte order mark: a file of a form, or "
              "a text.",
          true, R"("captions.srt")"};
}

// All formats but JSON need a text.
std::string body_in(CaptionFormat format, const media::HashedId& media,
                    const media::Captions& captions, const std::optional<std::string>& webvtt) {
  std::string json;
  switch (format) {
    case CaptionFormat::Json: append_captions_json(json, media, false, captions, webvtt); break;
    case CaptionFormat::SubRip: return captions::to_subrip(captions::read_webvtt(*webvtt));
    case CaptionFormat::WebVtt: return *webvtt;
    case CaptionFormat::Text: return captions::to_plain_text(captions::read_webvtt(*webvtt));
  }
  return json;
}

// The bytes of text that work on these captions has to read.
std::size_t text_bytes(const media::Captions& captions) {
  return media::CaptionTexts::bytes_of_version(captions.version());
}

// The captions in each format, whose tags conditions may have.
std::vector<std::string> bodies_of(const media::HashedId& media, const media::Captions& captions,
                                   const std::optional<std::string>& webvtt) {
  std::vector<std::string> bodies;
  for (const FormatRow& row : kCaptionFormats) {
    if (webvtt || row.format == CaptionFormat::Json)
      bodies.push_back(body_in(row.format, media, captions, webvtt));
  }
  return bodies;
}

std::string why_not_captions_language(const std::string& text) {
  const auto language = captions::Language::registered(text);
  return language ? "" : "must be " + captions::Language::allowed_instead_of(language.error());
}

using Ticket = std::shared_ptr<loop::HeavyWork::Ticket>;
using ReadFile = base::Result<std::string, std::string>;

// Returns the file as WebVTT, or refuses the field. The refusal is a 413.
loop::Task<base::Result<std::string, http::Response>> read_captions(BodyFields& body,
                                                                    loop::HeavyWork& heavy,
                                                                    Ticket ticket) {
  const text::Multipart::File* const file = body.file(kFileField);
  const std::string text = file != nullptr ? "" : body.required_text(kFileField, any_text);
  const std::string_view bytes = file != nullptr ? body.bytes_of(*file) : text;
  if (bytes.size() > captions::kMaxFileBytes)
    co_return base::Refusal{http::api_error(
        413,
        "caption_file is larger than " + std::to_string(captions::kMaxFileBytes >> 20) + " MiB")};
  if (body.refused(kFileField)) co_return std::string();
  std::function<ReadFile()> read = [copy = std::string(bytes)] {
    return captions::read_file_as_webvtt(copy);
  };
  ReadFile webvtt =
      co_await heavy.run_if_heavy<ReadFile>(bytes.size(), std::move(ticket), std::move(read));
  if (webvtt) co_return *std::move(webvtt);
  body.refuse(kFileField, webvtt.error());
  co_return std::string();
}

// body_in(), in a thread if the text is long.
loop::Task<std::string> make_body(CaptionFormat format, media::HashedId media,
                                  media::Captions captions, std::optional<std::string> webvtt,
                                  loop::HeavyWork& heavy, Ticket ticket) {
  const std::size_t bytes = webvtt ? webvtt->size() : 0;
  std::function<std::string()> make = [format, media = std::move(media),
                                       captions = std::move(captions), webvtt = std::move(webvtt)] {
    return body_in(format, media, captions, webvtt);
  };
  co_return co_await heavy.run_if_heavy<std::string>(bytes, std::move(ticket), std::move(make));
}

http::Response captions_refusal(library::CaptionRefusal refusal,
                                const captions::Language& language) {
  switch (refusal) {
    case library::CaptionRefusal::NoMedia:
      return http::api_error(404, "no such media in this account");
    case library::CaptionRefusal::NoCaptions:
      return http::api_error(404, "the media has no captions in " + http::shown(language.code()));
    case library::CaptionRefusal::Overtaken: break;
    case library::CaptionRefusal::Exist:
      return http::api_error(409, "the media has captions in " + http::shown(language.code()) +
                                      " already: PUT replaces them");
    case library::CaptionRefusal::TooMany:
      return http::api_invalid_fields(
          {{std::string(kLanguageField), "would be that of more than " +
                                             std::to_string(media::kMaxCaptions) +
                                             " captions of the media"}});
    case library::CaptionRefusal::NoRoom:
      return http::api_error(507,
                             "the account's captions take as many bytes as are allowed: delete "
                             "some, or ask the operator of this service");
  }
  return http::api_error(412, "the captions have changed: read them again, and send their ETag");
}

loop::Task<http::Response> captions_response(media::HashedId id, media::Captions captions,
                                             std::string webvtt, loop::HeavyWork& heavy,
                                             Ticket ticket) {
  http::Response response = http::in_json("", id.value());
  std::optional<std::string> text = std::move(webvtt);
  response.body = co_await make_body(CaptionFormat::Json, std::move(id), std::move(captions),
                                     std::move(text), heavy, std::move(ticket));
  co_return response;
}

}  // namespace

Described CaptionsList::describe() {
  ApiOperation get{.method = "GET", .id = "listCaptions", .summary = "List captions"};
  get.about =
      "In the order in which their media were created. Pages reach the captions of the first " +
      std::to_string(kMostMedias) + " media, and have at most " + std::to_string(kMostBytes >> 20) +
      " MiB. An account reads few long ones at a time.";
  get.needs = &oauth::kReadCatalog;
  get.is_list = true;
  get.query = describe_list(kCaptionsPages);
  get.query.push_back(
      {std::string(kOfMedia), text_schema(), "Only captions of the media with this id.", false});
  get.response = json_response(200, "A page of captions.", array_of(a_record(kListedCaptions)));
  return {
      {get},
      {{std::string(kListedCaptions), "Captions in a list of all media.", describe_fields(true)},
       {std::string(kCaptionsRecord), "Captions of a media in a language.",
        describe_fields(false)}}};
}

Described MediaCaptions::describe() {
  ApiOperation get{
      .method = "GET", .id = "listCaptionsOfMedia", .summary = "List the captions of a media"};
  get.needs = &oauth::kReadCatalog;
  get.is_list = true;
  get.query = describe_list(kCaptionsPages);
  get.response = json_response(200, "A page of captions.", array_of(a_record(kCaptionsRecord)));
  get.refusals = {{404, std::string(kNoMedia)}};
  ApiOperation post{.method = "POST", .id = "addCaptions", .summary = "Add captions in a language"};
  post.needs = &oauth::kEdit;
  post.is_repeatable = true;
  post.body = {{{std::string(kLanguageField), text_schema(),
                 "A code of ISO 639 or a tag of BCP 47, such as `en` or `pt-BR`.", true, R"("en")"},
                describe_file()},
               in_kib(kMaxCaptionsBody)};
  post.response = json_response(201, "The captions.", a_record(kCaptionsRecord));
  post.refusals = {{404, std::string(kNoMedia)},
                   {409,
                    "The media has captions in that language: PUT replaces them. Or a request "
                    "with this Idempotency-Key has not ended."},
                   {507, std::string(kNoRoomForCaptions)}};
  return {{get, post}};
}

Described Captions::describe() {
  constexpr std::string_view kNoCaptions =
      "There is no such media in the account, or it has no captions in that language.";
  ApiOperation get{.method = "GET", .id = "getCaptions", .summary = "Read captions"};
  get.about =
      "Their format is that of the path's suffix, or by `Accept`. JSON if we have only their "
      "address, or nothing else is asked for.";
  get.needs = &oauth::kReadCatalog;
  get.has_tag = true;
  get.response = json_response(200, "The captions.", a_record(kCaptionsRecord));
  for (const FormatRow& row : kCaptionFormats) {
    if (row.format == CaptionFormat::Json) continue;
    const std::string type(row.type.substr(0, row.type.find(';')));
    for (const std::string& each : {type, std::string(row.accepted)}) {
      if (std::ranges::find(get.response.types, each, &std::pair<std::string, Schema>::first) ==
          get.response.types.end())
        get.response.types.emplace_back(each, text_schema());
    }
  }
  get.refusals = {{404, std::string(kNoCaptions)}};
  ApiOperation put{.method = "PUT", .id = "replaceCaptions", .summary = "Replace captions"};
  put.needs = &oauth::kEdit;
  put.has_tag = true;
  put.takes_condition = true;
  put.body = {{describe_file()}, in_kib(kMaxCaptionsBody)};
  put.response = json_response(200, "The captions.", a_record(kCaptionsRecord));
  put.refusals = {{404, std::string(kNoCaptions)}, {507, std::string(kNoRoomForCaptions)}};
  ApiOperation remove{.method = "DELETE", .id = "deleteCaptions", .summary = "Delete captions"};
  remove.needs = &oauth::kEdit;
  remove.takes_condition = true;
  remove.response = {204, "They are deleted."};
  remove.refusals = {{404, std::string(kNoCaptions)}};
  return {{get, put, remove}};
}

loop::Task<http::Response> CaptionsList::answer(const http::Request& request) {
  const auto issued = co_await admit(request, oauth::kReadCatalog.any_of());
  if (!issued) co_return issued.error();
  const text::Form form = text::Form::parse(request.query);
  std::optional<media::HashedId> of;
  bool is_filtered = false;
  for (const auto& [name, value] : form.fields()) {
    if (name != kOfMedia) continue;
    const auto id = media::HashedId::parse(value);
    if (is_filtered && id != of) co_return http::api_error(400, "media_id is given twice");
    is_filtered = true;
    of = id;
  }
  std::optional<media::Media> media;
  try {
    media::Reads reads;  // responses are not cached
    if (of) media = co_await catalog_.find_media(*of, media::Detail::All, reads);
  } catch (const base::Unreadable&) {
    // A list leaves it out (api-N12).
  }
  const auto query = read_list_query(form, kCaptionsPages, issued->account);
  if (!query) co_return http::api_error(400, query.error());
  Found found;
  if (media && media->account == issued->account) {
    found = page_of(*media, *query);
  } else if (!is_filtered) {
    auto page = co_await find(issued->account, query->order.offset, query->order.count);
    if (!page) co_return http::api_error(400, page.error());
    found = std::move(*page);
  }
  co_return co_await show(request, *query, issued->account, found, true);
}

loop::Task<http::Response> CaptionsList::list_of(const http::Request& request,
                                                 const media::Media& media) {
  const auto query =
      read_list_query(text::Form::parse(request.query), kCaptionsPages, media.account);
  if (!query) co_return http::api_error(400, query.error());
  Found found = page_of(media, *query);
  co_return co_await show(request, *query, media.account, found, false);
}

CaptionsList::Found CaptionsList::page_of(const media::Media& media, const ListQuery& query) {
  Found found;
  for (std::size_t i = query.order.offset; i < media.captions.size(); ++i)
    found.push_back({media.id, media.captions[i]});
  return found;
}

// A page is looked for among the media in the order of their creation.
loop::Task<base::Result<CaptionsList::Found, std::string>> CaptionsList::find(
    media::AccountId account, std::size_t first, std::size_t count) {
  Found found;
  media::MediaQuery query;
  query.order = {media::SortBy::Created, true, 0, kMediasPerList};
  std::size_t seen = 0;
  for (std::size_t medias = 0; medias < kMostMedias; medias += kMediasPerList) {
    const std::vector<media::Media> listed = co_await listings_.medias(account, query);
    for (const media::Media& media : listed) {
      for (const media::Captions& captions : media.captions) {
        if (seen++ < first) continue;
        found.push_back({media.id, captions});
        if (found.size() == count) co_return found;
      }
    }
    if (listed.size() < kMediasPerList) co_return found;
    query.from = listings_.place_of(listed.back());
  }
  co_return base::Refusal{"this page is not among the captions of the first " +
                          std::to_string(kMostMedias) + " media: give media_id"};
}

http::Response CaptionsList::too_long_page() {
  return http::api_error(400, "the page has more than " + std::to_string(kMostBytes >> 20) +
                                  " MiB: per_page must be less");
}

loop::Task<http::Response> CaptionsList::show(const http::Request& request, const ListQuery& query,
                                              media::AccountId account, Found& found,
                                              bool has_media) {
  const bool has_more = found.size() > query.per_page;
  if (has_more) found.resize(query.per_page);
  // The versions tell the bytes before any text is read.
  std::size_t bytes = 0;
  for (const Each& each : found) bytes += text_bytes(each.captions);
  if (bytes > kMostBytes) co_return too_long_page();
  Ticket ticket;
  if (bytes > loop::HeavyWork::kLong) {
    ticket = heavy().admit(account.value());
    if (!ticket) co_return too_much_at_once();
  }
  http::Response response = http::in_json("");
  text::json::ArrayWriter array(response.body);
  for (const Each& each : found) {
    std::optional<std::string> webvtt = co_await service_.text(each.media, each.captions);
    const std::size_t length = webvtt ? webvtt->size() : 0;
    std::function<std::string()> make = [each, has_media, text = std::move(webvtt)] {
      std::string json;
      append_captions_json(json, each.media, has_media, each.captions, text);
      return json;
    };
    const std::string json =
        co_await heavy().run_if_heavy<std::string>(length, ticket, std::move(make));
    if (response.body.size() + json.size() > kMostBytes) co_return too_long_page();
    array.next() += json;
    co_await pieces().add(json.size());
  }
  array.end();
  add_links(response, site_, request, query, has_more);
  co_return response;
}

loop::Task<http::Response> MediaCaptions::answer_own(const http::Request& request,
                                                     const oauth::Issued& issued,
                                                     media::Media& media) {
  if (request.is_get_or_head()) co_return co_await list_.list_of(request, media);
  Ticket ticket;
  if (request.body.size() > loop::HeavyWork::kLong) {
    ticket = heavy().admit(issued.account.value());
    if (!ticket) co_return too_much_at_once();
  }
  auto body = co_await BodyFields::read_long(request, kMaxCaptionsBody, heavy(), ticket);
  if (!body) co_return body.error();
  loop::Task<http::Response> answering = add(request, issued, media.id, *body, std::move(ticket));
  co_return co_await repeated_.answer(request, issued, *body, std::move(answering));
}

loop::Task<http::Response> MediaCaptions::add(const http::Request& request,
                                              const oauth::Issued& issued,
                                              const media::HashedId& id, BodyFields& body,
                                              Ticket ticket) {
  const std::string name = body.required_text(kLanguageField, why_not_captions_language);
  const auto webvtt = co_await read_captions(body, heavy(), ticket);
  if (!webvtt) co_return webvtt.error();
  if (const auto refused = body.refused()) co_return *refused;
  const captions::Language language = *captions::Language::parse(name);
  const auto added = co_await service_.add(id, language, *webvtt, actor_of(request, issued));
  if (!added) co_return captions_refusal(added.error(), language);
  http::Response response =
      co_await captions_response(id, *added, *webvtt, heavy(), std::move(ticket));
  response.status = 201;
  response.with("Location",
                site_.url(base::paths::kCaptions, id.value(), std::string_view(language.tag())));
  co_return response;
}

loop::Task<http::Response> Captions::answer_own(const http::Request& request,
                                                const oauth::Issued& issued, media::Media& media) {
  const auto asked = asked_by(request);
  if (!asked) co_return no_such(kCaptionsWord);
  const media::Captions* const found = library::find_captions(media.captions, asked->language);
  if (found == nullptr)
    co_return captions_refusal(library::CaptionRefusal::NoCaptions, asked->language);
  if (!request.is_get_or_head()) co_return co_await change(request, issued, media.id, *found);
  Ticket ticket;
  if (text_bytes(*found) > loop::HeavyWork::kLong) {
    ticket = heavy().admit(issued.account.value());
    if (!ticket) co_return too_much_at_once();
  }
  std::optional<std::string> webvtt = co_await service_.text(media.id, *found);
  if (!webvtt && asked->format != CaptionFormat::Json && asked->is_named)
    co_return http::api_error(404, "the file of these captions is not here: read them as JSON");
  const CaptionFormat format = webvtt ? asked->format : CaptionFormat::Json;
  const FormatRow& row = row_of(format);
  http::Response response;
  response.about = media.id.value();
  const bool is_subrip = format == CaptionFormat::SubRip && !asked->is_named;
  response.content_type = is_subrip ? row.accepted : row.type;
  response.body =
      co_await make_body(format, media.id, *found, std::move(webvtt), heavy(), std::move(ticket));
  response.with("X-Content-Type-Options", "nosniff");
  if (!asked->is_named) response.with("Vary", "Accept");
  co_return tagged(std::move(response), request);
}

loop::Task<http::Response> Captions::change(const http::Request& request,
                                            const oauth::Issued& issued, const media::HashedId& id,
                                            const media::Captions& present) {
  const captions::Language language = library::language_of(present);
  library::CaptionCondition condition;
  Ticket ticket;
  const http::Conditions conditions = conditions_of(request);
  if (std::max(request.body.size(), conditions.any() ? text_bytes(present) : 0) >
      loop::HeavyWork::kLong) {
    ticket = heavy().admit(issued.account.value());
    if (!ticket) co_return too_much_at_once();
  }
  if (conditions.any()) {
    std::optional<std::string> webvtt = co_await service_.text(id, present);
    const std::size_t bytes = webvtt ? webvtt->size() : 0;
    std::function<bool()> compare = [if_match = std::string(request.if_match),
                                     if_none_match = std::string(request.if_none_match), id,
                                     present, text = std::move(webvtt)] {
      return http::may_change({if_match, if_none_match}, bodies_of(id, present, text));
    };
    const bool is_met = co_await heavy().run_if_heavy<bool>(bytes, ticket, std::move(compare));
    if (!is_met) co_return captions_refusal(library::CaptionRefusal::Overtaken, language);
    // A text that is replaced has another address.
    condition = [expected = present](const media::Captions& stored) { return stored == expected; };
  }
  const library::Actor actor = actor_of(request, issued);
  if (request.method == "DELETE") {
    const auto refused = co_await service_.remove(id, language, condition, actor);
    if (refused) co_return captions_refusal(*refused, language);
    co_return no_content(id.value());
  }
  auto body = co_await BodyFields::read_long(request, kMaxCaptionsBody, heavy(), ticket);
  if (!body) co_return body.error();
  const auto webvtt = co_await read_captions(*body, heavy(), ticket);
  if (!webvtt) co_return webvtt.error();
  if (const auto refused = body->refused()) co_return *refused;
  const auto replaced = co_await service_.replace(id, language, *webvtt, condition, actor);
  if (!replaced) co_return captions_refusal(replaced.error(), language);
  http::Response response =
      co_await captions_response(id, *replaced, *webvtt, heavy(), std::move(ticket));
  co_return tagged(std::move(response), request);
}

}  // namespace svc::endpoints
