#include "pages/settings/chapters_page.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "http/refusal.h"
#include "pages/formatting.h"
#include "pages/page_response.h"

namespace svc::pages {
namespace {

constexpr std::string_view kChaptersAction = "chapters";
constexpr std::string_view kTimeOf = "time-";
constexpr std::string_view kTitleOf = "title-";
constexpr std::string_view kDeleteOf = "delete-";
constexpr std::size_t kSpareRows = 3;
constexpr std::size_t kMoreRows = 10;

std::string field_of(std::string_view name, std::size_t number) {
  return std::string(name) + std::to_string(number);
}

// Each chapter as in the list of the player: "1:02 Title".
std::vector<std::string> chapter_lines(const std::vector<media::Chapter>& chapters) {
  std::vector<std::string> lines;
  for (const media::Chapter& chapter : chapters)
    lines.push_back(position_text(chapter.at) + " " + chapter.title);
  return lines;
}

std::string chapters_edition(const std::vector<media::Chapter>& chapters) {
  std::string all;
  for (const std::string& line : chapter_lines(chapters)) all += line + '\n';
  return pages::edition_of(all);
}

}  // namespace

std::vector<ChaptersPage::Row> ChaptersPage::rows_of(const std::vector<media::Chapter>& chapters) {
  std::vector<Row> rows;
  for (const media::Chapter& chapter : chapters)
    rows.push_back({.time = position_text(chapter.at), .title = chapter.title});
  return rows;
}

std::vector<ChaptersPage::Row> ChaptersPage::rows_in(const text::Form& form) {
  std::vector<Row> rows;
  while (rows.size() < 2 * media::kMaxChapters) {
    const std::size_t number = rows.size() + 1;
    const auto time = form.find(field_of(kTimeOf, number));
    const auto title = form.find(field_of(kTitleOf, number));
    if (!time || !title) break;
    rows.push_back({.time = tidy(*time),
                    .title = tidy(*title),
                    .is_deleted = form.find(field_of(kDeleteOf, number)).has_value()});
  }
  return rows;
}

std::vector<media::Chapter> ChaptersPage::read_rows(Entered& entered) {
  std::vector<std::pair<media::Chapter, Row*>> found;
  for (Row& row : entered.rows) {
    if (row.is_deleted || (row.time.empty() && row.title.empty())) continue;
    const std::optional<std::int64_t> at = position_in(row.time);
    if (!at) row.time_problem = "The time must be minutes and seconds, such as 1:02 or 1:02.5.";
    if (row.title.empty()) {
      row.title_problem = "Enter a title, or delete the chapter.";
    } else if (const std::string why = media::why_not_given_chapter_title(row.title);
               !why.empty()) {
      row.title_problem = "The title " + why + ".";
    }
    found.push_back({{at.value_or(-1), row.title}, &row});
  }
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first.at; });
  std::vector<media::Chapter> chapters;
  for (auto& [chapter, row] : found) {
    if (!chapters.empty() && chapters.back().at == chapter.at && row->time_problem.empty())
      row->time_problem = "Another chapter begins at this time.";
    if (chapters.size() == media::kMaxChapters) {
      row->time_problem =
          "A video has at most " + std::to_string(media::kMaxChapters) + " chapters. Delete some.";
    }
    chapters.push_back(std::move(chapter));
  }
  entered.has_problems = std::ranges::any_of(entered.rows, [](const Row& row) {
    return !row.time_problem.empty() || !row.title_problem.empty();
  });
  return chapters;
}

loop::Task<http::Response> ChaptersPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  const std::vector<media::Chapter>& chapters = subject->media.chapters;
  co_return form(context, *subject,
                 {.rows = rows_of(chapters), .edition = chapters_edition(chapters)}, kSpareRows);
}

loop::Task<http::Response> ChaptersPage::take(const SettingsContext& context,
                                              const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  const media::Media& media = subject->media;
  Entered entered{.rows = rows_in(form), .edition = std::string(form.find("edition").value_or(""))};
  if (form.find("more")) co_return this->form(context, *subject, entered, kMoreRows);
  const std::vector<media::Chapter> wanted = read_rows(entered);
  if (entered.has_problems) {
    entered.status = kNotSavedStatus;
    co_return this->form(context, *subject, entered, 0);
  }
  const std::string path = subject->path + "/" + std::string(kChaptersAction);
  // Sent twice, or another user had the same idea.
  if (wanted == media.chapters) co_return done(context, path, "saved");
  const library::Condition condition = [&](const media::Media& each) {
    return chapters_edition(each.chapters) == entered.edition;
  };
  const library::Actor actor = actor_of(context, subject->place);
  auto setting = library_.medias.set_chapters(media.id, wanted, condition, actor);
  const base::Result<media::Media, library::Refusal> set = co_await setting;
  if (set) co_return done(context, path, "saved");
  media::Reads reads;  // responses are not cached
  auto reading = library_.catalog.find_media(media.id, media::Detail::All, reads);
  std::optional<media::Media> now = co_await reading;
  if (!now || set.error() == library::Refusal::NotFound)
    co_return nothing_here(context, "video", subject->place.medias, "Media of the account");
  Subject fresh = *subject;
  fresh.media = *std::move(now);
  entered.edition = chapters_edition(fresh.media.chapters);
  entered.was_overtaken = true;
  entered.status = kOvertakenStatus;
  co_return this->form(context, fresh, entered, 0);
}

http::Response ChaptersPage::form(const SettingsContext& context, const Subject& subject,
                                  const Entered& entered, std::size_t spare) const {
  const media::Media& media = subject.media;
  SettingsPage page(parts_, context,
                    title_with(entered.status == 200 ? "Chapters" : "Not saved: Chapters", media),
                    "chapters.tpl");
  page.with_script(kPositionScript, Requests::No).with_players();
  page.show_done();
  Values& body = page.body();
  page.set_form(body, subject.path + "/" + std::string(kChaptersAction));
  show_player(body, media);
  show_way_back(body, media, subject.path);
  body.set("EDITION", entered.edition);
  if (media.duration) body.show_with("LONG").set("DURATION", duration_text(*media.duration));
  if (entered.has_problems) body.show("HAS_PROBLEMS");
  if (entered.was_overtaken) {
    Values overtaken = body.show_with("OVERTAKEN");
    if (media.chapters.empty()) overtaken.show("NOTHING");
    for (const std::string& line : chapter_lines(media.chapters))
      overtaken.show_with("SAVED").set("LINE", line);
  }
  std::vector<Row> rows = entered.rows;
  rows.resize(std::min(rows.size() + spare, std::max(rows.size(), media::kMaxChapters)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const auto number = static_cast<long>(i + 1);
    Values shown = body.show_with("ROW");
    shown.set("NUMBER", number).set("TIME", row.time).set("TITLE", row.title);
    if (!row.time.empty() || !row.title.empty()) {
      Values deletable = shown.show_with("DELETABLE");
      if (row.is_deleted) deletable.show("DELETED");
    }
    const auto problem = [&](std::string_view name, const char* wrong, const char* section,
                             const std::string& text) {
      if (text.empty()) return;
      shown.show(wrong);
      shown.show_with(section).set("PROBLEM", text);
      body.show_with("SUMMARY").set("FIELD", field_of(name, i + 1)).set("PROBLEM", text);
    };
    problem(kTimeOf, "TIME_WRONG", "TIME_PROBLEM", row.time_problem);
    problem(kTitleOf, "TITLE_WRONG", "TITLE_PROBLEM", row.title_problem);
  }
  if (rows.size() < media::kMaxChapters) body.show("MORE");
  http::Response response = page.answer(entered.status);
  response.about = media.id.value();
  return response;
}

}  // namespace svc::pages
