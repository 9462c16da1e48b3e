#include "pages/player_form.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/number.h"
#include "embed/embed_request.h"
#include "embed/identifier_path.h"
#include "embed/player_options.h"
#include "text/ascii.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

// The fields of the form, each with its oEmbed parameter. nginx/player/README.md has the effect of
// each.
struct Field {
  enum class Kind { Side, Colour, Url, Time, Volume, Quality, Handle };
  Kind kind;
  std::string_view section;
  std::string_view parameter;
  std::string_view label;
  std::string_view example;
};
constexpr std::array<Field, 9> kFields{
    {{Field::Kind::Side, "SIZE", "width", "Width, in pixels", "640"},
     {Field::Kind::Side, "SIZE", "height", "Height, in pixels", "360"},
     {Field::Kind::Colour, "LOOK", "playerColor", "Player colour", "54bbff"},
     {Field::Kind::Url, "LOOK", "stillUrl", "Poster image", "https://site.example/poster.jpg"},
     {Field::Kind::Time, "PLAYBACK", "time", "Start at", "1m30s"},
     {Field::Kind::Volume, "PLAYBACK", "volume", "Volume, 0 to 1", "0.5"},
     {Field::Kind::Quality, "PLAYBACK", "qualityMin", "Lowest quality, in lines", "360"},
     {Field::Kind::Quality, "PLAYBACK", "qualityMax", "Highest quality, in lines", "1080"},
     {Field::Kind::Handle, "MORE", "handle", "Handle: its name for scripts (async)", "svcEmbed"}}};

struct Box {
  std::string_view section;
  std::string_view parameter;
  std::string_view value;  // if checked
  std::string_view label;
};
constexpr std::array<Box, 15> kBoxes{
    {{"SIZE", "videoFoam", "true", "Responsive: fills its container"},
     {"PLAY", "autoPlay", "true", "Autoplay"},
     {"PLAY", "muted", "true", "Muted"},
     {"PLAYBACK", "silentAutoPlay", "false", "No autoplay if the browser only allows it muted"},
     {"PLAYBACK", "resumable", "true", "Resume: starts where the viewer left"},
     {"MORE", "doNotTrack", "true", "Do not track: stores and counts nothing about the viewer"},
     {"MORE", "playlistLoop", "true", "Loop the playlist"},
     {"HIDE", "playButton", "false", "Large play button"},
     {"HIDE", "smallPlayButton", "false", "Small play button"},
     {"HIDE", "playbar", "false", "Play bar"},
     {"HIDE", "volumeControl", "false", "Volume"},
     {"HIDE", "settingsControl", "false", "Settings"},
     {"HIDE", "qualityControl", "false", "Quality"},
     {"HIDE", "playbackRateControl", "false", "Speed"},
     {"HIDE", "fullscreenButton", "false", "Full screen"}}};

struct ChoiceValue {
  std::string_view value;
  std::string_view name;
};
struct Choice {
  std::string_view parameter;
  std::string_view label;
  std::array<ChoiceValue, 3> values;  // the first, with an empty value, is the default
};
constexpr std::array<Choice, 3> kChoices{
    {{"endVideoBehavior",
      "At the end",
      {{{"", "Stops"}, {"loop", "Loops"}, {"reset", "Shows the poster"}}}},
     {"controlsVisibleOnLoad",
      "Controls show",
      {{{"", "When the viewer is near"},
        {"true", "Immediately"},
        {"false", "Only after the first play"}}}},
     {"preload",
      "Preload",
      {{{"", "Nothing"}, {"metadata", "Metadata"}, {"auto", "The beginning"}}}}}};

bool is_between(std::string_view text, int low, int high) {
  return !text.empty() && text::is_digit(text.front()) && base::parse_number(text, low, high);
}

// 90, 90s, 1m30s, 1h2m3s: numbers whose units come in this order; the last unit may be missing.
bool is_time(std::string_view text) {
  bool found = false;
  for (const char unit : {'h', 'm', 's'}) {
    std::size_t digits = 0;
    while (digits < text.size() && text::is_digit(text[digits])) ++digits;
    if (digits == 0 || digits > 6) continue;
    const bool at_end = unit == 's' && digits == text.size();
    if (!at_end && (digits == text.size() || text[digits] != unit)) continue;
    text.remove_prefix(at_end ? digits : digits + 1);
    found = true;
  }
  return found && text.empty();
}

bool is_volume(std::string_view text) {
  if (text == "1" || text == "1.0") return true;
  if (text.size() > 6 || !text.starts_with('0')) return false;
  if (text == "0") return true;
  return text.size() > 2 && text[1] == '.' &&
         std::all_of(text.begin() + 2, text.end(), [](char c) { return text::is_digit(c); });
}

bool is_colour(std::string_view text) {
  return text.size() == 6 && std::all_of(text.begin(), text.end(), [](char c) {
           return text::is_digit(c) || (text::to_lower(c) >= 'a' && text::to_lower(c) <= 'f');
         });
}

// Returns why the value cannot be used; empty if it can.
std::string_view problem_of(Field::Kind kind, std::string_view value) {
  constexpr std::size_t kMaxHandle = 64;
  constexpr std::size_t kMaxUrl = 2000;
  switch (kind) {
    case Field::Kind::Side:
      return base::parse_number(value, 1, embed::kMaxSide)
                 ? ""
                 : "must be a whole number of pixels from 1 to 10,000";
    case Field::Kind::Colour:
      return is_colour(value) ? "" : "must be six hexadecimal digits, such as 54bbff";
    case Field::Kind::Url:
      return value.size() <= kMaxUrl && text::parse_http_uri(value) &&
                     text::is_http_uri_or_path(value)
                 ? ""
                 : "must be the address of a picture that begins with https:// or http://";
    case Field::Kind::Time:
      return is_time(value) ? "" : "must be a time such as 90, 90s, 1m30s or 1h2m3s";
    case Field::Kind::Volume:
      return is_volume(value) ? "" : "must be a number from 0 to 1, such as 0.5";
    case Field::Kind::Quality:
      return is_between(value, 10, 9999) ? "" : "must be a whole number of lines from 10 to 9999";
    case Field::Kind::Handle:
      return embed::is_identifier_path(value, kMaxHandle) && embed::is_free_global(value)
                 ? ""
                 : "must be a free JavaScript name such as svcEmbed or app.player";
  }
  return "";
}

// A colour may have a #, as pickers write it.
std::string_view value_in(const text::Form& form, const Field& field) {
  std::string_view value = pages::value_in(form, field.parameter);
  if (field.kind == Field::Kind::Colour && value.starts_with('#')) value.remove_prefix(1);
  return value;
}

bool is_listed(const Choice& choice, std::string_view value) {
  return std::ranges::find(choice.values, value, &ChoiceValue::value) != choice.values.end();
}

// Codes of the page are responsive without videoFoam.
bool is_in(PlayerForm kind, std::string_view parameter) {
  if (kind == PlayerForm::Code) return parameter != "videoFoam";
  const embed::PlayerOption* const option = embed::find_player_option(parameter);
  return option != nullptr && option->is_customization();
}

std::string problem_of(PlayerForm kind, const Field& field, std::string_view value) {
  std::string problem(problem_of(field.kind, value));
  if (!problem.empty() || kind == PlayerForm::Code) return problem;
  const embed::PlayerOption& option = *embed::find_player_option(field.parameter);
  return embed::allows(option, std::string(value)) ? "" : embed::words_of(option);
}

}  // namespace

void PlayerOptionsChosen::add(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  query += (query.empty() ? "" : "&") + std::string(name) + "=" + text::percent_encode(value);
}

// The value of a parameter; empty if it is only spaces and control characters.
std::string_view value_in(const text::Form& form, std::string_view parameter) {
  const std::string_view value = form.find(parameter).value_or("");
  return text::trimmed(value).empty() ? std::string_view() : value;
}

void read_player_form(PlayerForm kind, const text::Form& form, PlayerOptionsChosen& chosen) {
  for (const Field& field : kFields) {
    if (!is_in(kind, field.parameter)) continue;
    const std::string_view value = value_in(form, field);
    if (value.empty()) continue;
    const std::string problem = problem_of(kind, field, value);
    if (!problem.empty()) {
      chosen.wrong.push_back({field.parameter, std::string(field.label) + ": " + problem + "."});
      continue;
    }
    chosen.add(field.parameter, value);
  }
  const auto least = base::parse_number(value_in(form, "qualityMin"), 10, 9999);
  const auto best = base::parse_number(value_in(form, "qualityMax"), 10, 9999);
  if (least && best && *least > *best)
    chosen.wrong.push_back(
        {"qualityMax", "Highest quality: must not be below the lowest quality."});
  for (const Box& box : kBoxes) {
    if (!is_in(kind, box.parameter)) continue;
    const std::string_view value = value_in(form, box.parameter);
    if (value.empty() || value == "true" || value == "false") {
      chosen.add(box.parameter, value);
    } else {
      chosen.wrong.push_back({box.parameter, std::string(box.label) + ": must be true or false."});
    }
  }
  for (const Choice& choice : kChoices) {
    if (!is_in(kind, choice.parameter)) continue;
    const std::string_view value = value_in(form, choice.parameter);
    if (is_listed(choice, value)) {
      chosen.add(choice.parameter, value);
    } else {
      chosen.wrong.push_back(
          {choice.parameter, std::string(choice.label) + ": must be one of its list."});
    }
  }
}

void fill_player_form(Values& values, PlayerForm kind, const text::Form& form,
                      const PlayerOptionsChosen& chosen) {
  if (kind == PlayerForm::Code) values.show("SIZE_HINT");
  for (const Field& field : kFields) {
    if (!is_in(kind, field.parameter)) continue;
    Values one = values.show_with(std::string(field.section) + "_FIELD");
    one.set("NAME", field.parameter)
        .set("LABEL", field.label)
        .set("VALUE", form.find(field.parameter).value_or(""))
        .set("EXAMPLE", field.example);
    if (field.kind == Field::Kind::Side || field.kind == Field::Kind::Quality) one.show("NUMBER");
    if (field.kind == Field::Kind::Colour) one.show("COLOUR");
    for (const WrongOption& wrong : chosen.wrong) {
      if (wrong.parameter != field.parameter) continue;
      one.show("WRONG");
      one.show_with("FIELD_PROBLEM").set("NAME", field.parameter).set("PROBLEM", wrong.text);
    }
  }
  for (const Box& box : kBoxes) {
    if (!is_in(kind, box.parameter)) continue;
    Values one = values.show_with(std::string(box.section) + "_BOX");
    one.set("NAME", box.parameter).set("VALUE", box.value).set("LABEL", box.label);
    if (form.find(box.parameter) == box.value) one.show("CHECKED");
  }
  for (const Choice& choice : kChoices) {
    if (!is_in(kind, choice.parameter)) continue;
    Values one = values.show_with("CHOICE");
    one.set("NAME", choice.parameter).set("LABEL", choice.label);
    for (const ChoiceValue& value : choice.values) {
      Values item = one.show_with("ITEM");
      item.set("VALUE", value.value).set("TEXT", value.name);
      if (form.find(choice.parameter).value_or("") == value.value) item.show("SELECTED");
    }
  }
  // Closed details would hide the chosen and refused values in them.
  for (const std::string_view section : {"PLAYBACK", "HIDE", "MORE"}) {
    const auto is_used = [&](const auto& one) {
      return one.section == section && !value_in(form, one.parameter).empty();
    };
    bool used = std::ranges::any_of(kFields, is_used) || std::ranges::any_of(kBoxes, is_used);
    for (const Choice& choice : kChoices)
      used |= section == "PLAYBACK" && !value_in(form, choice.parameter).empty();
    if (used) values.show(std::string(section) + "_OPEN");
  }
}

text::Form form_of(const media::Customizations& options) {
  std::vector<text::FormField> fields;
  for (const auto& [name, value] : options) fields.push_back({name, media::to_text(value)});
  return text::Form(std::move(fields));
}

media::Customizations with_choices(media::Customizations options,
                                   const PlayerOptionsChosen& chosen) {
  const text::Form form = text::Form::parse(chosen.query);
  const auto set = [&](std::string_view name, const media::OptionValue& value) {
    const auto stored = options.find(name);
    // The type that an application sent stays.
    if (stored != options.end() && media::to_text(stored->second) == media::to_text(value)) return;
    options.insert_or_assign(std::string(name), value);
  };
  for (const Field& field : kFields) {
    if (!is_in(PlayerForm::Media, field.parameter)) continue;
    const std::string_view value = value_in(form, field);
    if (value.empty()) {
      options.erase(std::string(field.parameter));
    } else {
      set(field.parameter, std::string(value));
    }
  }
  for (const Box& box : kBoxes) {
    if (!is_in(PlayerForm::Media, box.parameter)) continue;
    const auto stored = options.find(box.parameter);
    if (form.find(box.parameter) == box.value) {
      set(box.parameter, box.value == "true");
    } else if (stored != options.end() && media::to_text(stored->second) == box.value) {
      options.erase(stored);
    }
  }
  for (const Choice& choice : kChoices) {
    if (!is_in(PlayerForm::Media, choice.parameter)) continue;
    const std::string_view value = value_in(form, choice.parameter);
    const bool is_switch = value == "true" || value == "false";
    const auto stored = options.find(choice.parameter);
    if (!value.empty()) {
      is_switch ? set(choice.parameter, value == "true")
                : set(choice.parameter, std::string(value));
    } else if (stored != options.end() && is_listed(choice, media::to_text(stored->second))) {
      options.erase(stored);
    }
  }
  return options;
}

}  // namespace svc::pages
