// player_form: the form for options of the player, on the page of embed codes and on that of a
// media's own options (api-Z1). player_options.tpl is its template.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "media/customizations.h"
#include "pages/template.h"
#include "text/form.h"

namespace svc::pages {

// Which options the form has: all, or those that can be saved for a media.
enum class PlayerForm : std::uint8_t { Code, Media };

struct WrongOption {
  std::string_view parameter;
  std::string text;
};

// The choices of a form: the oEmbed parameters, without empty and unknown ones, and the refused
// values.
struct PlayerOptionsChosen {
  std::string query;
  std::vector<WrongOption> wrong;

  void add(std::string_view name, std::string_view value);
};

// The value of a parameter; empty if it is only spaces and control characters.
std::string_view value_in(const text::Form& form, std::string_view parameter);

// Adds the options of the form to `chosen`.
void read_player_form(PlayerForm kind, const text::Form& form, PlayerOptionsChosen& chosen);

// Fills in the values of the form, including the refused ones.
void fill_player_form(Values& values, PlayerForm kind, const text::Form& form,
                      const PlayerOptionsChosen& chosen);

// The form as it shows the options of a media, and the changes that another form makes to them. A
// box means one value of its option: another value stays unless the box is checked.
text::Form form_of(const media::Customizations& options);
media::Customizations with_choices(media::Customizations options,
                                   const PlayerOptionsChosen& chosen);

}  // namespace svc::pages
