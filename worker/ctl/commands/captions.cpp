#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "captions/file.h"
#include "captions/language.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/confirm.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "library/caption_list.h"
#include "library/caption_service.h"
#include "media/reads.h"

namespace svc::ctl {
namespace {

base::Result<std::string, std::string> read_captions_file(const std::string& path) {
  const auto refused = [&] { return base::Refusal{printable(path) + ": " + std::strerror(errno)}; };
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return refused();
  std::string bytes;
  std::array<char, 64 * 1024> piece{};
  // captions::read_file() refuses a longer file.
  for (ssize_t length = 1; length != 0 && bytes.size() <= captions::kMaxFileBytes;) {
    length = read(file.get(), piece.data(), piece.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return refused();
    bytes.append(piece.data(), static_cast<std::size_t>(length));
  }
  return bytes;
}

Refusal caption_refusal(library::CaptionRefusal why, const media::HashedId& id,
                        const captions::Language& language) {
  switch (why) {
    case library::CaptionRefusal::NoMedia: break;
    case library::CaptionRefusal::NoCaptions:
      return Refusal{"media " + id.value() + " has no captions in " + language.tag()};
    case library::CaptionRefusal::Exist:
      return Refusal{"media " + id.value() + " has captions in " + language.tag() +
                     "; --replace replaces them"};
    case library::CaptionRefusal::TooMany:
      return Refusal{"media " + id.value() + " has " + std::to_string(media::kMaxCaptions) +
                     " captions, the most allowed"};
    case library::CaptionRefusal::Overtaken:
    case library::CaptionRefusal::NoRoom:
      return Refusal{std::string("the captions have just been changed")};
  }
  return Refusal{"there is no media " + id.value()};
}

std::string not_a_language(const std::string& text, const std::string& refusal) {
  return printable(text) + " is not " + captions::Language::allowed_instead_of(refusal);
}

std::optional<media::Media> media_of(const Context& context, const media::HashedId& id) {
  stores::Catalog catalog(context.store.redis);
  media::Reads reads;
  return context.store.run(catalog.find_media(id, media::Detail::All, reads));
}

Outcome add_captions(const Arguments& arguments, Context& context) {
  const auto id = media::HashedId::parse(arguments.operand(0));
  if (!id) return Refusal{printable(arguments.operand(0)) + " is not a hashed id"};
  const std::string& name = arguments.value("--language");
  const auto language = captions::Language::registered(name);
  if (!language) return Refusal{not_a_language(name, language.error())};
  const auto bytes = read_captions_file(arguments.operand(1));
  if (!bytes) return Refusal{bytes.error()};
  const auto cues = captions::read_file(*bytes);
  if (!cues) return Refusal{printable(arguments.operand(1)) + ": " + cues.error()};
  const auto webvtt = captions::read_file_as_webvtt(*bytes);
  if (!webvtt) return Refusal{printable(arguments.operand(1)) + ": " + webvtt.error()};
  const auto media = media_of(context, *id);
  if (!media) return Refusal{"there is no media " + id->value()};
  Services services(context);
  const library::Actor actor = services.actor(media->account);
  const library::CaptionCondition any;
  const bool replaces =
      arguments.has("--replace") && library::find_captions(media->captions, *language) != nullptr;
  const auto stored =
      context.store.run(replaces ? services.captions.replace(*id, *language, *webvtt, any, actor)
                                 : services.captions.add(*id, *language, *webvtt, actor));
  if (!stored) return caption_refusal(stored.error(), *id, *language);
  Report report;
  report.text("hashed_id", id->value())
      .text("language", stored->language)
      .text("label", stored->label)
      .integer("cues", static_cast<std::int64_t>(cues->size()))
      .print(std::cout, arguments.json());
  return kDone;
}

Outcome delete_captions(const Arguments& arguments, Context& context) {
  const auto id = media::HashedId::parse(arguments.operand(0));
  if (!id) return Refusal{printable(arguments.operand(0)) + " is not a hashed id"};
  const auto language = captions::Language::parse(arguments.operand(1));
  if (!language) return Refusal{not_a_language(arguments.operand(1), "")};
  const auto media = media_of(context, *id);
  if (!media) return Refusal{"there is no media " + id->value()};
  const media::Captions* const found = library::find_captions(media->captions, *language);
  if (found == nullptr) return caption_refusal(library::CaptionRefusal::NoCaptions, *id, *language);
  Report report;
  report.text("hashed_id", id->value())
      .text("name", media->name)
      .text("language", found->language)
      .text("label", found->label);
  const Ending ending{.typed = id->value(), .to_do = "delete them", .done = "deleted"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    Services services(context);
    const library::Actor actor = services.actor(media->account);
    const library::CaptionCondition any;
    return !context.store.run(services.captions.remove(*id, *language, any, actor));
  });
}

}  // namespace

const Group& captions_commands() {
  static const Operand kMedia{.takes = Takes::text("HASHED_ID"), .help = "the media's hashed id"};
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "captions",
      .subjects = "Captions",
      .commands = {
          {.name = "captions add",
           .summary = "Add captions to a media, or replace them",
           .syntax = {.operands = {kMedia,
                                   {.takes = Takes::file(),
                                    .help = "SRT or WebVTT, in UTF-8, or in UTF-16 or UTF-32 with "
                                            "a byte order mark"}},
                      .flags = {{.name = "--language",
                                 .takes = Takes::text("CODE"),
                                 .help = "a code of ISO 639 or a tag of BCP 47: de, deu, pt-BR",
                                 .required = true},
                                {.name = "--replace",
                                 .help = "replace captions in that language, if there are some"}},
                      .json = kJsonObject},
           .details = {"Players offer them by the native name of the language from their next "
                       "start on. The limit caption-bytes-per-account does not apply."},
           .run = add_captions},
          {.name = "captions delete",
           .summary = "Delete the captions of a media in a language",
           .syntax = {.operands = {kMedia,
                                   {.takes = Takes::text("LANGUAGE"),
                                    .help = "a code of ISO 639 or a tag of BCP 47"}},
                      .flags = {yes_flag()},
                      .json = kJsonObject},
           .details = {"An import adds those again that its file has."},
           .run = delete_captions}}};
  return kGroup;
}

}  // namespace svc::ctl
