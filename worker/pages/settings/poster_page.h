// PosterPage: Account → Settings → Media → one media → Poster: an image of the account, a picture
// of the video, or the video's own. pages-W63.
//
//   /settings/accounts/<account>/media/<id>/poster
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/response.h"
#include "library/media_service.h"
#include "loop/task.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class PosterPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Entered {
    std::string image{};     // chosen
    std::string image_id{};  // typed; takes precedence
    std::string moment{};    // chosen
    std::string time{};      // typed; takes precedence
    std::string edition{};
    std::vector<FieldProblem> problems{};
    bool was_overtaken = false;
    int status = 200;
  };
  // The poster that a form asks for, or its problem.
  using Wanted = base::Result<library::NewPoster, FieldProblem>;
  loop::Task<Wanted> image_in(const Entered& entered, const library::Actor& actor);
  static Wanted moment_in(const Entered& entered, const media::Media& media);

  loop::Task<http::Response> form(const SettingsContext& context, const Subject& subject,
                                  Entered entered);
  void show_images(Values& body, const std::vector<media::Media>& images,
                   const std::string& chosen) const;
  void show_video(Values& body, const Subject& subject, const Entered& entered) const;
  loop::Task<http::Response> set(const SettingsContext& context, const Subject& subject,
                                 Entered entered, const library::NewPoster& poster);
};

}  // namespace svc::pages
