// ProjectsPage: Account → Settings → Projects. pages-W57.
//
//   /settings/accounts/<account>/projects               the projects; POST: create one
//   …/projects/<id>                                     its name and description; POST: change them
//   …/projects/<id>/delete                              asks, and deletes it if it is empty
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/response.h"
#include "loop/task.h"
#include "media/account.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class ProjectsPage : public Library {
 public:
  static constexpr std::size_t kPerPage = 50;

  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Named {
    Place place;
    std::string path;                       // the project's
    std::string_view action;                // "": the project
    std::optional<media::Project> project;  // nullopt: the list
  };
  loop::Task<base::Result<Named, http::Response>> named_in(const SettingsContext& context);
  loop::Task<http::Response> list(const SettingsContext& context, const Named& named,
                                  DescriptionForm entered);
  http::Response one(const SettingsContext& context, const Named& named,
                     const DescriptionForm& entered) const;
  // `medias`: of the project.
  http::Response ask_delete(const SettingsContext& context, const Named& named, std::int64_t medias,
                            int status) const;
  loop::Task<http::Response> create(const SettingsContext& context, const Named& named,
                                    const text::Form& form);
  loop::Task<http::Response> edit(const SettingsContext& context, const Named& named,
                                  const text::Form& form);
  loop::Task<http::Response> remove(const SettingsContext& context, const Named& named);
};

}  // namespace svc::pages
