// ChaptersPage: Account → Settings → Media → one media → Chapters. pages-W58.
//
//   /settings/accounts/<account>/media/<id>/chapters     the form with all chapters; POST: save, or
//                                                        with the field `more` only show more rows
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "http/response.h"
#include "loop/task.h"
#include "media/media.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class ChaptersPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // A row of the form, as it was typed.
  struct Row {
    std::string time{};
    std::string title{};
    bool is_deleted = false;
    std::string time_problem{};
    std::string title_problem{};
  };
  struct Entered {
    std::vector<Row> rows{};
    std::string edition{};
    bool has_problems = false;
    bool was_overtaken = false;
    int status = 200;
  };
  static std::vector<Row> rows_of(const std::vector<media::Chapter>& chapters);
  static std::vector<Row> rows_in(const text::Form& form);
  // Returns the chapters of the rows in their order, and notes the problems of each row.
  static std::vector<media::Chapter> read_rows(Entered& entered);
  http::Response form(const SettingsContext& context, const Subject& subject,
                      const Entered& entered, std::size_t spare) const;
};

}  // namespace svc::pages
