#include "pages/settings/captions_page.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/unavailable.h"
#include "captions/file.h"
#include "captions/subrip.h"
#include "captions/webvtt.h"
#include "endpoints/body_fields.h"
#include "endpoints/captions.h"
#include "http/refusal.h"
#include "library/caption_list.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/ascii.h"

namespace svc::pages {
namespace {

constexpr std::string_view kCaptionsAction = "captions";
constexpr std::string_view kFile = "caption_file";
constexpr std::string_view kLanguage = "language";
constexpr std::string_view kVtt = ".vtt";
constexpr std::string_view kSrt = ".srt";

// A text that is replaced has another address.
std::string edition_of(const media::Captions& captions) {
  return pages::edition_of(captions.url + '\n' + captions.label);
}

struct Sent {
  std::string webvtt{};
  std::optional<FieldProblem> problem{};
};

using ReadFile = base::Result<std::string, std::string>;

// Reads it in a thread if it is long: an account has few of these at a time.
loop::Task<Sent> read_file_of(const http::Request& request, media::AccountId account,
                              loop::HeavyWork& heavy) {
  const auto body = endpoints::BodyFields::read(request, endpoints::kMaxCaptionsBody);
  const text::Multipart::File* const file = body ? body->file(kFile) : nullptr;
  const std::string_view bytes = file != nullptr ? body->bytes_of(*file) : std::string_view();
  const auto refuse = [](const std::string& text) {
    return Sent{.problem = FieldProblem{kFile, text}};
  };
  if (bytes.empty()) co_return refuse("Choose a file of captions.");
  if (bytes.size() > captions::kMaxFileBytes) {
    co_return refuse("The file is larger than " + std::to_string(captions::kMaxFileBytes >> 20) +
                     " MB.");
  }
  std::shared_ptr<loop::HeavyWork::Ticket> ticket;
  if (bytes.size() > loop::HeavyWork::kLong) {
    ticket = heavy.admit(account.value());
    if (!ticket)
      co_return refuse("Other long captions of the account are being read. Send it again.");
  }
  std::function<ReadFile()> read = [copy = std::string(bytes)] {
    return captions::read_file_as_webvtt(copy);
  };
  loop::Task<ReadFile> reading =
      heavy.run_if_heavy<ReadFile>(bytes.size(), std::move(ticket), std::move(read));
  const ReadFile webvtt = co_await reading;
  if (!webvtt) {
    std::string sentence = webvtt.error() + ".";
    sentence.front() = text::to_upper(sentence.front());
    co_return refuse(sentence);
  }
  co_return Sent{.webvtt = *webvtt};
}

FieldProblem problem_of(library::CaptionRefusal refusal) {
  switch (refusal) {
    case library::CaptionRefusal::Exist:
      return {kLanguage,
              "The media has captions in this language already. To replace them, choose them in "
              "the list."};
    case library::CaptionRefusal::TooMany:
      return {kLanguage, "The media has " + std::to_string(media::kMaxCaptions) +
                             " captions, and more are not possible. Delete some."};
    case library::CaptionRefusal::NoRoom:
      return {kFile,
              "The captions of this account take as many bytes as are allowed. Delete some, or ask "
              "the operator of this service."};
    case library::CaptionRefusal::NoMedia:
    case library::CaptionRefusal::NoCaptions:
    case library::CaptionRefusal::Overtaken: break;
  }
  return {kFile, "These captions have been deleted."};
}

// Captions of an import may have a language that is not a tag.
std::string words_of(const captions::Language& language) {
  return language.english_name() + " (" + language.tag() + ")";
}

}  // namespace

std::optional<CaptionsPage::Named> CaptionsPage::named_in(const Subject& subject) {
  std::string_view rest = subject.action;
  rest.remove_prefix(std::min(kCaptionsAction.size() + 1, rest.size()));
  std::string_view name = rest.substr(0, rest.find('/'));
  const std::string_view after = rest.substr(name.size());
  if (!after.empty() && after.substr(1) != kDeleteAction) return std::nullopt;
  std::string_view format;
  for (const std::string_view each : {kVtt, kSrt}) {
    if (after.empty() && name.ends_with(each)) format = each;
  }
  name.remove_suffix(format.size());
  const auto language = captions::Language::parse(name);
  if (!language) return std::nullopt;
  return Named{.path = subject.path + "/captions/" + language->tag(),
               .captions = library::find_captions(subject.media.captions, *language),
               .language = *language,
               .format = format,
               .deletes = !after.empty()};
}

loop::Task<http::Response> CaptionsPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  const std::string all = subject->path + "/captions";
  if (subject->action == kCaptionsAction) co_return list(context, *subject, {});
  const std::optional<Named> named = named_in(*subject);
  if (!named || named->captions == nullptr)
    co_return nothing_here(context, "captions", all, "Captions of the media");
  if (named->deletes) co_return ask_delete(context, *subject, *named);
  if (named->format.empty())
    co_return one(context, *subject, *named, {.edition = edition_of(*named->captions)});
  auto downloading = download(context, *subject, *named);
  co_return co_await downloading;
}

loop::Task<http::Response> CaptionsPage::take(const SettingsContext& context,
                                              const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (subject->action == kCaptionsAction) {
    auto adding = add(context, *subject, form);
    co_return co_await adding;
  }
  const std::optional<Named> named = named_in(*subject);
  if (!named || !named->format.empty()) co_return only_by_form(context);
  auto changing =
      named->deletes ? remove(context, *subject, *named) : replace(context, *subject, *named, form);
  co_return co_await changing;
}

const std::string& CaptionsPage::language_of_browser(const SettingsContext& context) const {
  return languages_.choose(context.request).tag();
}

http::Response CaptionsPage::list(const SettingsContext& context, const Subject& subject,
                                  const Entered& entered) const {
  const std::string_view what = entered.status == 200 ? "Captions" : "Not saved: Captions";
  SettingsPage page(parts_, context, title_with(what, subject.media), "captions.tpl");
  page.show_done();
  Values& body = page.body();
  page.set_form(body, subject.path + "/captions");
  show_way_back(body, subject.media, subject.path);
  body.set("LANGUAGE", entered.language)
      .set("MOST", static_cast<long>(captions::kMaxFileBytes >> 20));
  for (const std::string& title : captions::Language::offered(language_of_browser(context)))
    body.show_with("OFFERED").set("TITLE", title);
  show_problems(body, entered.problems);
  body.show(subject.media.captions.empty() ? "EMPTY" : "FULL");
  for (const media::Captions& captions : subject.media.captions) {
    const captions::Language language = library::language_of(captions);
    Values one = body.show_with("CAPTIONS");
    one.set("LABEL", captions.label)
        .set("LANGUAGE", words_of(language))
        .set("PATH", subject.path + "/captions/" + language.tag());
    if (captions.by_default) one.show("DEFAULT");
    if (captions.version().empty()) {
      one.show_with("MADE").set("FILE", parts_.site.captions(captions));
    } else {
      one.show("SET");
    }
  }
  return page.answer(entered.status);
}

http::Response CaptionsPage::one(const SettingsContext& context, const Subject& subject,
                                 const Named& named, const Entered& entered) const {
  const std::string_view what = entered.status == 200 ? "Replace captions" : "Not saved: Captions";
  SettingsPage page(parts_, context, title_with(what, subject.media), "captions_one.tpl");
  Values& body = page.body();
  page.set_form(body, named.path);
  show_way_back(body, subject.media, subject.path);
  body.set("LANGUAGE", words_of(named.language))
      .set("LIST", subject.path + "/captions")
      .set("PATH", named.path)
      .set("EDITION", entered.edition)
      .set("MOST", static_cast<long>(captions::kMaxFileBytes >> 20));
  show_problems(body, entered.problems);
  if (entered.was_overtaken) body.show("OVERTAKEN");
  return page.answer(entered.status);
}

http::Response CaptionsPage::ask_delete(const SettingsContext& context, const Subject& subject,
                                        const Named& named) const {
  SettingsPage page(parts_, context, title_with("Delete captions", subject.media),
                    "captions_delete.tpl");
  Values& body = page.body();
  page.set_form(body, named.path + "/" + std::string(kDeleteAction));
  show_way_back(body, subject.media, subject.path);
  body.set("LANGUAGE", words_of(named.language)).set("LIST", subject.path + "/captions");
  return page.answer();
}

loop::Task<http::Response> CaptionsPage::download(const SettingsContext& context,
                                                  const Subject& subject, const Named& named) {
  std::shared_ptr<loop::HeavyWork::Ticket> ticket;
  const std::string_view version = named.captions->version();
  if (media::CaptionTexts::bytes_of_version(version) > loop::HeavyWork::kLong) {
    ticket = heavy_.admit(subject.place.account.id.value());
    if (!ticket) throw base::Unavailable("other long captions of the account are being read");
  }
  auto reading = library_.captions.text(subject.media.id, *named.captions);
  const std::optional<std::string> webvtt = co_await reading;
  // An import names a file of another host, or a playlist.
  if (!webvtt) co_return see_other(parts_.site.captions(*named.captions), context.visitor);
  http::Response response = page_response(200, "", context.visitor);
  response.about = subject.media.id.value();
  const bool is_srt = named.format == kSrt;
  response.content_type =
      is_srt ? "application/x-subrip; charset=utf-8" : "text/vtt; charset=utf-8";
  const std::size_t bytes = webvtt->size();
  std::function<std::string()> make = [is_srt, text = *webvtt] {
    return is_srt ? captions::to_subrip(captions::read_webvtt(text)) : text;
  };
  loop::Task<std::string> making =
      heavy_.run_if_heavy<std::string>(bytes, std::move(ticket), std::move(make));
  response.body = co_await making;
  response.with("Content-Disposition", "attachment; filename=\"" + subject.media.id.value() + "-" +
                                           named.language.tag() + std::string(named.format) + "\"");
  co_return response;
}

loop::Task<bool> CaptionsPage::has_already(const Subject& subject,
                                           const captions::Language& language,
                                           const std::string& webvtt) {
  media::Reads reads;  // responses are not cached
  auto finding = library_.catalog.find_media(subject.media.id, media::Detail::All, reads);
  const std::optional<media::Media> media = co_await finding;
  const media::Captions* const stored =
      media ? library::find_captions(media->captions, language) : nullptr;
  if (stored == nullptr) co_return false;
  auto reading = library_.captions.text(subject.media.id, *stored);
  const std::optional<std::string> text = co_await reading;
  co_return text == webvtt;
}

loop::Task<http::Response> CaptionsPage::add(const SettingsContext& context, const Subject& subject,
                                             const text::Form& form) {
  Entered entered{.language = tidy(form.find(kLanguage).value_or(""))};
  const auto language = captions::Language::written(entered.language, language_of_browser(context));
  if (!language) {
    entered.problems.push_back(
        {kLanguage, "The language must be one of the list, or " +
                        captions::Language::allowed_instead_of(language.error()) + "."});
  }
  loop::Task<Sent> reading = read_file_of(context.request, subject.place.account.id, heavy_);
  const Sent sent = co_await reading;
  if (sent.problem) entered.problems.push_back(*sent.problem);
  if (entered.problems.empty()) {
    const library::Actor actor = actor_of(context, subject.place);
    auto adding = library_.captions.add(subject.media.id, *language, sent.webvtt, actor);
    const library::CaptionService::Stored added = co_await adding;
    if (added) co_return done(context, subject.path + "/captions", "saved");
    if (added.error() == library::CaptionRefusal::NoMedia)
      co_return nothing_here(context, "media", subject.place.medias, "Media of the account");
    if (added.error() == library::CaptionRefusal::Exist) {
      auto comparing = has_already(subject, *language, sent.webvtt);
      const bool is_twice = co_await comparing;
      if (is_twice) co_return done(context, subject.path + "/captions", "saved");
    }
    entered.problems.push_back(problem_of(added.error()));
  }
  entered.status = kNotSavedStatus;
  co_return list(context, subject, entered);
}

loop::Task<http::Response> CaptionsPage::replace(const SettingsContext& context,
                                                 const Subject& subject, const Named& named,
                                                 const text::Form& form) {
  const std::string all = subject.path + "/captions";
  if (named.captions == nullptr)
    co_return nothing_here(context, "captions", all, "Captions of the media");
  Entered entered{.edition = std::string(form.find("edition").value_or(""))};
  entered.status = kNotSavedStatus;
  loop::Task<Sent> reading = read_file_of(context.request, subject.place.account.id, heavy_);
  const Sent sent = co_await reading;
  if (sent.problem) {
    entered.problems.push_back(*sent.problem);
    co_return one(context, subject, named, entered);
  }
  const library::CaptionCondition condition = [&](const media::Captions& stored) {
    return edition_of(stored) == entered.edition;
  };
  const library::Actor actor = actor_of(context, subject.place);
  auto replacing =
      library_.captions.replace(subject.media.id, named.language, sent.webvtt, condition, actor);
  const library::CaptionService::Stored replaced = co_await replacing;
  if (replaced) co_return done(context, all, "saved");
  switch (replaced.error()) {
    case library::CaptionRefusal::NoMedia:
    case library::CaptionRefusal::NoCaptions:
      co_return nothing_here(context, "captions", all, "Captions of the media");
    case library::CaptionRefusal::Overtaken: {
      auto comparing = has_already(subject, named.language, sent.webvtt);
      const bool is_twice = co_await comparing;
      if (is_twice) co_return done(context, all, "saved");
      entered.edition = edition_of(*named.captions);
      entered.was_overtaken = true;
      entered.status = kOvertakenStatus;
      break;
    }
    case library::CaptionRefusal::Exist:
    case library::CaptionRefusal::TooMany:
    case library::CaptionRefusal::NoRoom: entered.problems.push_back(problem_of(replaced.error()));
  }
  co_return one(context, subject, named, entered);
}

loop::Task<http::Response> CaptionsPage::remove(const SettingsContext& context,
                                                const Subject& subject, const Named& named) {
  const library::Actor actor = actor_of(context, subject.place);
  const library::CaptionCondition any;
  auto removing = library_.captions.remove(subject.media.id, named.language, any, actor);
  co_await removing;
  // If they do not exist any more, the goal is reached.
  co_return done(context, subject.path + "/captions", "deleted");
}

}  // namespace svc::pages
