// ChaptersPage: Account → Settings → Media → one media → Chapters. pages-W58.
//
//   /settings/accounts/<account>/media/<id>/chapters     the form with all chapters; POST: save, or
//                                                        with the field `more` only show more rows
#include <algorithm>

#include "pages/settings/library.h"

namespace svc::pages {
namespace {

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

std::string chapters_edition(const media::Media& media) {
  std::string all;
  for (const std::string& line : chapter_lines(media.chapters)) all += line + '\n';
  return edition_of(all);
}

// A row of the form, as it was typed.
struct Row {
  std::string time{};
  std::string title{};
  bool is_deleted = false;

  bool is_empty() const { return time.empty() && title.empty(); }
};

std::vector<Row> rows_in(const Entered& entered, const std::vector<media::Chapter>& saved) {
  std::vector<Row> rows;
  if (entered.sent() == nullptr) {
    for (const media::Chapter& chapter : saved)
      rows.push_back({.time = position_text(chapter.at), .title = chapter.title});
    return rows;
  }
  for (std::size_t number = 1; number <= 2 * media::kMaxChapters; ++number) {
    const std::string time = field_of(kTimeOf, number);
    const std::string title = field_of(kTitleOf, number);
    if (!entered.has(time) || !entered.has(title)) break;
    rows.push_back({.time = entered.text(time),
                    .title = entered.text(title),
                    .is_deleted = entered.has(field_of(kDeleteOf, number))});
  }
  return rows;
}

// Returns the chapters of the rows in their order, and adds the problems of each row.
std::vector<media::Chapter> read_rows(Entered& entered) {
  struct Found {
    media::Chapter chapter;
    std::string time_problem;
    std::string title_problem;
  };
  const std::vector<Row> rows = rows_in(entered, {});
  std::vector<Found> all(rows.size());
  std::vector<Found*> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    Found& one = all[i];
    if (row.is_deleted || row.is_empty()) continue;
    const std::optional<std::int64_t> at = position_in(row.time);
    if (!at) one.time_problem = "The time must be minutes and seconds, such as 1:02 or 1:02.5.";
    const std::string why = media::why_not_given_chapter_title(row.title);
    one.title_problem = row.title.empty() ? "Enter a title, or delete the chapter."
                        : why.empty()     ? ""
                                          : "The title " + why + ".";
    one.chapter = {at.value_or(-1), row.title};
    found.push_back(&one);
  }
  std::ranges::stable_sort(found, {}, [](const Found* each) { return each->chapter.at; });
  std::vector<media::Chapter> chapters;
  for (Found* one : found) {
    if (!chapters.empty() && chapters.back().at == one->chapter.at && one->time_problem.empty())
      one->time_problem = "Another chapter begins at this time.";
    if (chapters.size() == media::kMaxChapters) {
      one->time_problem =
          "A video has at most " + std::to_string(media::kMaxChapters) + " chapters. Delete some.";
    }
    chapters.push_back(one->chapter);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto refuse = [&](std::string_view name, const std::string& problem) {
      if (!problem.empty()) entered.refuse(field_of(name, i + 1), problem);
    };
    refuse(kTimeOf, all[i].time_problem);
    refuse(kTitleOf, all[i].title_problem);
  }
  return chapters;
}

class ChaptersPage : public MediaPages {
  using MediaPages::MediaPages;

  loop::Task<http::Response> page(const OfMedia& subject) override {
    return form(subject, &ChaptersPage::show, &ChaptersPage::apply);
  }

  loop::Task<http::Response> show(const OfMedia& subject, const Entered& entered) {
    const media::Media& media = subject.media;
    SettingsPage page(parts_, subject, entered, title_with("Chapters", media), "chapters.tpl");
    page.with_script(kPositionScript, Requests::No).with_players();
    Values& body = page.body();
    show_player(body, media);
    show_way_back(body, subject);
    body.set("EDITION", entered.edition(chapters_edition(media)));
    if (media.duration) body.show_with("LONG").set("DURATION", duration_text(*media.duration));
    if (entered.is_overtaken() && media.chapters.empty()) body.show("NOTHING");
    if (entered.is_overtaken()) {
      for (const std::string& line : chapter_lines(media.chapters))
        body.show_with("SAVED").set("LINE", line);
    }
    std::vector<Row> rows = rows_in(entered, media.chapters);
    const std::size_t spare = entered.has("more")         ? kMoreRows
                              : entered.sent() == nullptr ? kSpareRows
                                                          : 0;
    rows.resize(std::min(rows.size() + spare, std::max(rows.size(), media::kMaxChapters)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      Values shown = body.show_with("ROW");
      shown.set("NUMBER", static_cast<long>(i + 1)).set("TIME", row.time).set("TITLE", row.title);
      if (!row.is_empty()) {
        Values deletable = shown.show_with("DELETABLE");
        if (row.is_deleted) deletable.show("DELETED");
      }
      for (const FieldProblem& problem : entered.problems()) {
        const bool is_time = problem.field == field_of(kTimeOf, i + 1);
        if (!is_time && problem.field != field_of(kTitleOf, i + 1)) continue;
        shown.show(is_time ? "TIME_WRONG" : "TITLE_WRONG");
        shown.show_with(is_time ? "TIME_PROBLEM" : "TITLE_PROBLEM").set("PROBLEM", problem.text);
      }
    }
    if (rows.size() < media::kMaxChapters) body.show("MORE");
    co_return page.answer();
  }

  loop::Task<Applied> apply(const OfMedia& subject, Entered& entered) {
    if (entered.has("more")) co_return entered.refused();
    const std::vector<media::Chapter> wanted = read_rows(entered);
    if (entered.has_problems()) co_return entered.refused();
    // Sent twice, or another user had the same idea.
    const std::string path(subject.request.path);
    if (wanted == subject.media.chapters) co_return done(subject, path, "saved");
    const library::Condition condition = entered.unless_changed(chapters_edition);
    const auto set =
        co_await library_.medias.set_chapters(subject.media.id, wanted, condition, subject.actor);
    if (!set) co_return entered.overtaken();
    co_return done(subject, path, "saved");
  }
};

}  // namespace

OwnedPage chapters_page(const SettingsParts& parts) {
  return std::make_unique<ChaptersPage>(parts);
}

}  // namespace svc::pages
