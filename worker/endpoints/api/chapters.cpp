#include "endpoints/api/chapters.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "captions/cue.h"
#include "captions/file.h"
#include "captions/times.h"
#include "captions/webvtt.h"
#include "http/api_error.h"
#include "oauth/operation.h"
#include "text/ascii.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kChaptersFile = "chapters_file";
constexpr std::string_view kChaptersRecord = "Chapters";
constexpr std::int64_t kLastChapter = 1000;  // ms, if the end of the media is unknown

// Each chapter ends where the next one begins.
std::string webvtt_of(const media::Media& media) {
  std::vector<captions::Cue> cues;
  for (const media::Chapter& chapter : media.chapters) {
    captions::Cue& cue = cues.emplace_back();
    cue.begin = chapter.at;
    captions::TextBuilder text(cue.parts);
    text.add(chapter.title);
    text.finish();
  }
  const std::int64_t end = std::llround(media.duration.value_or(0) * 1000);
  for (std::size_t i = 0; i < cues.size(); ++i) {
    cues[i].end =
        i + 1 < cues.size() ? cues[i + 1].begin : std::max(end, cues[i].begin + kLastChapter);
  }
  return captions::to_webvtt(cues);
}

std::string chapters_json(const media::Media& media) {
  std::string json;
  text::json::ObjectWriter(json).string("text", webvtt_of(media)).end();
  return json;
}

http::Response chapters_response(const media::Media& media) {
  return http::in_json(chapters_json(media), media.id.value());
}

std::string any_chapters(const std::string& /*text*/) { return ""; }

// Returns the chapters of the file, or refuses the field.
std::vector<media::Chapter> read_chapters(BodyFields& body,
                                          const std::vector<media::Chapter>& before) {
  const text::Multipart::File* const file = body.file(kChaptersFile);
  const std::string text = file != nullptr ? "" : body.required_text(kChaptersFile, any_chapters);
  if (body.refused(kChaptersFile)) return {};
  const auto cues =
      captions::read_file(file != nullptr ? body.bytes_of(*file) : std::string_view(text));
  std::vector<media::Chapter> chapters;
  if (!cues) {
    body.refuse(kChaptersFile, cues.error());
    return chapters;
  }
  for (const captions::Cue& cue : *cues) {
    std::string title = captions::to_plain_text({cue});
    std::ranges::replace(title, '\n', ' ');
    title = std::string(text::trimmed(title));
    if (const std::string why = media::why_not_given_chapter_title(title); !why.empty()) {
      body.refuse(kChaptersFile,
                  "has a title, at " + captions::time_text(cue.begin, '.') + ", that " + why);
      break;
    }
    if (!chapters.empty() && chapters.back().at >= cue.begin) {
      body.refuse(kChaptersFile, "must have one chapter at a time");
      break;
    }
    chapters.push_back({cue.begin, std::move(title)});
  }
  if (chapters.size() > media::kMaxChapters) {
    body.refuse(kChaptersFile,
                "must have at most " + std::to_string(media::kMaxChapters) + " chapters");
  }
  if (const std::string why = media::why_not_titles(chapters, before); !why.empty())
    body.refuse(kChaptersFile, why);
  return chapters;
}

}  // namespace

Described Chapters::describe() {
  ApiOperation get{.method = "GET", .id = "getChapters", .summary = "Read the chapters of a media"};
  get.needs = &oauth::kReadCatalog;
  get.has_tag = true;
  get.response = json_response(200, "The chapters.", a_record(kChaptersRecord));
  get.refusals = {{404, std::string(kNoMedia)}};
  ApiOperation put = get;
  put.method = "PUT";
  put.id = "replaceChapters";
  put.summary = "Replace the chapters of a media";
  put.about = "The player shows their titles in its bar and in a menu.";
  put.needs = &oauth::kEdit;
  put.takes_condition = true;
  put.body = {{{std::string(kChaptersFile), a_file(),
                "WebVTT or SRT whose cues are the chapters, at most " +
                    std::to_string(media::kMaxChapters) +
                    ": a file of a form, or a text. A chapter lasts until the next one begins.",
                true, R"("chapters.vtt")"}},
              in_kib(kMaxRecordBody)};
  ApiOperation remove{
      .method = "DELETE", .id = "deleteChapters", .summary = "Delete the chapters of a media"};
  remove.needs = &oauth::kEdit;
  remove.takes_condition = true;
  remove.response = {204, "It has none."};
  remove.refusals = get.refusals;
  return {{get, put, remove},
          {{std::string(kChaptersRecord),
            "Chapters of a media.",
            {{"text", text_schema(), "As WebVTT; empty if the media has none."}}}}};
}

loop::Task<http::Response> Chapters::answer_own(const http::Request& request,
                                                const oauth::Issued& issued, media::Media& media) {
  if (request.is_get_or_head()) co_return tagged(chapters_response(media), request);
  const library::Condition condition = [&](const media::Media& each) {
    return http::may_change(conditions_of(request), chapters_json(each));
  };
  // Before the body is read (api-N1); again when it is written.
  if (!condition(media)) co_return overtaken();
  std::vector<media::Chapter> chapters;
  const bool removes = request.method == "DELETE";
  if (!removes) {
    auto body = BodyFields::read(request);
    if (!body) co_return body.error();
    chapters = read_chapters(*body, media.chapters);
    if (const auto refused = body->refused()) co_return *refused;
  }
  const auto set =
      co_await service_.set_chapters(media.id, chapters, condition, actor_of(request, issued));
  if (!set) co_return refusal_of(set.error(), "media");
  if (removes) co_return no_content(media.id.value());
  co_return tagged(chapters_response(*set), request);
}

}  // namespace svc::endpoints
