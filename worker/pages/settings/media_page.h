// MediaPage: Account → Settings → Media → one media. pages-W13, pages-W34, pages-W54.
//
//   /settings/accounts/<account>/media/<id>          the media; POST: delete it, unless it is ready
//   /settings/accounts/<account>/media/<id>.json     its state for the script of the pages
//   …/<id>/edit                                      its name and description
//   …/<id>/move                                      POST only: its project
//   …/<id>/delete                                    asks, and deletes it
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/media.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class MediaPage : public Library {
 public:
  using Library::Library;

  std::optional<http::Response> unavailable(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // A file that is to replace that of the media, or why the last one did not.
  struct NewFile {
    std::optional<media::HashedId> upload{};
    std::string words{};  // a sentence
  };
  loop::Task<std::optional<NewFile>> find_new_file(const media::HashedId& media);
  // The contents of the form for name and description.
  loop::Task<http::Response> view(const SettingsContext& context, const Subject& subject);
  // The page of its embed codes; of a private media, by a link that lasts as long as the preview.
  std::string codes_url(const media::Media& media) const;
  // Who may watch the media, and where.
  void show_viewers(Values& body, const Subject& subject) const;
  loop::Task<http::Response> state(const Subject& subject);
  http::Response form(const SettingsContext& context, const Subject& subject,
                      const DescriptionForm& entered) const;
  loop::Task<http::Response> edit(const SettingsContext& context, const Subject& subject,
                                  const text::Form& form);
  loop::Task<http::Response> move(const SettingsContext& context, const Subject& subject,
                                  const text::Form& form);
  http::Response ask_delete(const SettingsContext& context, const Subject& subject) const;
  loop::Task<http::Response> remove(const SettingsContext& context, const Subject& subject);
  loop::Task<http::Response> remove_pending(const SettingsContext& context, const Subject& subject);
};

}  // namespace svc::pages
