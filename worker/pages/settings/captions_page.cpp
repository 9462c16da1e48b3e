// CaptionsPage: Account → Settings → Media → one media → Captions. pages-W55.
//
//   /settings/accounts/<account>/media/<id>/captions      the captions; POST: add some
//   …/captions/<language>                                 POST: replace them
//   …/captions/<language>.vtt, .srt                       their text
//   …/captions/<language>/delete                          asks, and deletes them
#include <algorithm>
#include <functional>
#include <memory>

#include "base/unavailable.h"
#include "captions/file.h"
#include "captions/subrip.h"
#include "captions/webvtt.h"
#include "endpoints/body_fields.h"
#include "library/caption_list.h"
#include "pages/settings/library.h"
#include "text/ascii.h"

namespace svc::pages {
namespace {

constexpr std::string_view kFile = "caption_file";
constexpr std::string_view kLanguage = "language";
constexpr std::string_view kVtt = ".vtt";
constexpr std::string_view kSrt = ".srt";
constexpr long kMostMegabytes = static_cast<long>(captions::kMaxFileBytes >> 20);

// A text that is replaced has another address.
std::string captions_edition(const media::Captions& captions) {
  return edition_of(captions.url + '\n' + captions.label);
}

// Captions of an import may have a language that is not a tag.
std::string words_of(const captions::Language& language) {
  return language.english_name() + " (" + language.tag() + ")";
}

struct OfCaptions : OfMedia {
  std::string list{};                            // path of the list
  std::optional<captions::Language> language{};  // nullopt: the list
  std::string captions_path{};
  std::string_view format{};  // "", ".vtt" or ".srt"
  bool deletes = false;

  // Returns the captions of the language, or nullptr.
  const media::Captions* captions() const {
    return library::find_captions(media.captions, *language);
  }
};

class CaptionsPage : public PagesOf<WithLibrary, OfCaptions> {
  using PagesOf::PagesOf;

  loop::Task<base::Result<OfCaptions, Refused>> find(const SettingsContext& context) override {
    base::Result<OfMedia, Refused> subject = co_await subject_of(context);
    if (!subject) co_return base::Refusal{subject.error()};
    OfCaptions of{*std::move(subject)};
    of.list = of.path + "/captions";
    std::string_view name = of.request.part("language");
    if (name.empty()) co_return of;
    const std::string_view action = of.after(of.list + "/" + std::string(name));
    of.deletes = !action.empty();
    for (const std::string_view each : {kVtt, kSrt}) {
      if (!of.deletes && name.ends_with(each)) of.format = each;
    }
    name.remove_suffix(of.format.size());
    of.language = captions::Language::parse(name);
    const bool is_named = of.language && (!of.deletes || action == kDeleteAction);
    if (context.sent != nullptr && (!is_named || !of.format.empty()))
      co_return instead(only_by_form(context));
    // If captions that are to be deleted do not exist any more, the goal is reached.
    const bool is_there =
        is_named && ((context.sent != nullptr && of.deletes) || of.captions() != nullptr);
    if (!is_there) co_return instead(nothing_here(context, "captions", of.list, "All captions"));
    of.captions_path = of.list + "/" + of.language->tag();
    co_return of;
  }

  loop::Task<http::Response> page(const OfCaptions& of) override {
    if (!of.language) return form(of, &CaptionsPage::show_all, &CaptionsPage::apply);
    if (of.deletes) return of.sent != nullptr ? remove(of) : ask_delete(of);
    if (!of.format.empty()) return download(of);
    return form(of, &CaptionsPage::show, &CaptionsPage::apply);
  }

  const std::string& language_of_browser(const SettingsContext& context) const {
    return parts_.languages.choose(context.request).tag();
  }

  loop::Task<http::Response> show_all(const OfCaptions& of, const Entered& entered) {
    SettingsPage page(parts_, of, entered, title_with("Captions", of.media), "captions.tpl");
    Values& body = page.body();
    show_way_back(body, of);
    body.set("LANGUAGE", entered.text(kLanguage)).set("MOST", kMostMegabytes);
    for (const std::string& title : captions::Language::offered(language_of_browser(of)))
      body.show_with("OFFERED").set("TITLE", title);
    body.show(of.media.captions.empty() ? "EMPTY" : "FULL");
    for (const media::Captions& captions : of.media.captions) {
      const captions::Language language = library::language_of(captions);
      Values one = body.show_with("CAPTIONS");
      one.set("LABEL", captions.label)
          .set("LANGUAGE", words_of(language))
          .set("PATH", of.list + "/" + language.tag());
      if (captions.by_default) one.show("DEFAULT");
      if (captions.version().empty()) {
        one.show_with("MADE").set("FILE", parts_.site.captions(captions));
      } else {
        one.show("SET");
      }
    }
    co_return page.answer();
  }

  loop::Task<http::Response> show(const OfCaptions& of, const Entered& entered) {
    const std::string title = title_with("Replace captions", of.media);
    SettingsPage page(parts_, of, entered, title, "captions_one.tpl");
    show_way_back(page.body(), of);
    page.body()
        .set("LANGUAGE", words_of(*of.language))
        .set("LIST", of.list)
        .set("PATH", of.captions_path)
        .set("EDITION", entered.edition(captions_edition(*of.captions())))
        .set("MOST", kMostMegabytes);
    co_return page.answer();
  }

  loop::Task<http::Response> ask_delete(const OfCaptions& of) {
    SettingsPage page(parts_, of, Entered(), title_with("Delete captions", of.media),
                      "captions_delete.tpl");
    show_way_back(page.body(), of);
    page.body().set("LANGUAGE", words_of(*of.language)).set("LIST", of.list);
    co_return page.answer();
  }

  loop::Task<http::Response> download(const OfCaptions& of) {
    std::shared_ptr<loop::HeavyWork::Ticket> ticket;
    const std::string_view version = of.captions()->version();
    if (media::CaptionTexts::bytes_of_version(version) > loop::HeavyWork::kLong) {
      ticket = parts_.heavy.admit(of.account.id.value());
      if (!ticket) throw base::Unavailable("other long captions of the account are being read");
    }
    const std::optional<std::string> webvtt =
        co_await library_.captions.text(of.media.id, *of.captions());
    // An import names a file of another host, or a playlist.
    if (!webvtt) co_return go_to(of, parts_.site.captions(*of.captions()));
    http::Response response = page_response(200, "", of.visitor);
    const bool is_srt = of.format == kSrt;
    response.content_type =
        is_srt ? "application/x-subrip; charset=utf-8" : "text/vtt; charset=utf-8";
    const std::size_t bytes = webvtt->size();
    std::function<std::string()> make = [is_srt, text = *webvtt] {
      return is_srt ? captions::to_subrip(captions::read_webvtt(text)) : text;
    };
    response.body =
        co_await parts_.heavy.run_if_heavy<std::string>(bytes, std::move(ticket), std::move(make));
    response.with("Content-Disposition", "attachment; filename=\"" + of.media.id.value() + "-" +
                                             of.language->tag() + std::string(of.format) + "\"");
    co_return response;
  }

  // Reads the file in a thread if it is long: an account has few of these at a time. nullopt: it
  // is refused.
  loop::Task<std::optional<std::string>> read_file(const OfCaptions& of, Entered& entered) {
    using ReadFile = base::Result<std::string, std::string>;
    const auto body = endpoints::BodyFields::read(of.request, endpoints::kMaxCaptionsBody);
    const text::Multipart::File* const file = body ? body->file(kFile) : nullptr;
    const std::string_view bytes = file != nullptr ? body->bytes_of(*file) : std::string_view();
    std::shared_ptr<loop::HeavyWork::Ticket> ticket;
    if (bytes.size() > loop::HeavyWork::kLong) ticket = parts_.heavy.admit(of.account.id.value());
    if (bytes.empty()) {
      entered.refuse(kFile, "Choose a file of captions.");
    } else if (bytes.size() > captions::kMaxFileBytes) {
      entered.refuse(kFile, "The file is larger than " + std::to_string(kMostMegabytes) + " MB.");
    } else if (bytes.size() > loop::HeavyWork::kLong && !ticket) {
      entered.refuse(kFile, "Other long captions of the account are being read. Send it again.");
    } else {
      std::function<ReadFile()> read = [copy = std::string(bytes)] {
        return captions::read_file_as_webvtt(copy);
      };
      const ReadFile webvtt = co_await parts_.heavy.run_if_heavy<ReadFile>(
          bytes.size(), std::move(ticket), std::move(read));
      if (webvtt) co_return *webvtt;
      std::string sentence = webvtt.error() + ".";
      sentence.front() = text::to_upper(sentence.front());
      entered.refuse(kFile, sentence);
    }
    co_return std::nullopt;
  }

  // Whether the media has captions of that language with that text now: the form was sent twice.
  loop::Task<bool> has_already(const OfCaptions& of, const captions::Language& language,
                               const std::string& webvtt) {
    media::Reads reads;  // responses are not cached
    const auto media = co_await library_.catalog.find_media(of.media.id, media::Detail::All, reads);
    const media::Captions* const stored =
        media ? library::find_captions(media->captions, language) : nullptr;
    if (stored == nullptr) co_return false;
    const std::optional<std::string> text = co_await library_.captions.text(of.media.id, *stored);
    co_return text == webvtt;
  }

  // Adds captions, or replaces those of the path.
  loop::Task<library::CaptionService::Stored> store(const OfCaptions& of,
                                                    const captions::Language& language,
                                                    const std::string& webvtt,
                                                    const library::CaptionCondition& condition) {
    if (of.language)
      return library_.captions.replace(of.media.id, language, webvtt, condition, of.actor);
    return library_.captions.add(of.media.id, language, webvtt, of.actor);
  }

  loop::Task<Applied> apply(const OfCaptions& of, Entered& entered) {
    auto language = captions::Language::written(entered.text(kLanguage), language_of_browser(of));
    if (of.language) language = *of.language;
    if (!language) {
      entered.refuse(kLanguage, "The language must be one of the list, or " +
                                    captions::Language::allowed_instead_of(language.error()) + ".");
    }
    const auto webvtt = co_await read_file(of, entered);
    if (entered.has_problems()) co_return entered.refused();
    const library::CaptionCondition condition = entered.unless_changed(captions_edition);
    const auto stored = co_await store(of, *language, *webvtt, condition);
    if (stored) co_return done(of, of.list, "saved");
    switch (stored.error()) {
      case library::CaptionRefusal::NoMedia:
      case library::CaptionRefusal::NoCaptions: co_return entered.overtaken();
      case library::CaptionRefusal::TooMany:
        co_return entered.refuse(kLanguage, "There are " + std::to_string(media::kMaxCaptions) +
                                                " captions, and more are not possible. Delete "
                                                "some.");
      case library::CaptionRefusal::NoRoom:
        co_return entered.refuse(kFile,
                                 "The captions of this account take as many bytes as are allowed. "
                                 "Delete some, or ask the operator of this service.");
      case library::CaptionRefusal::Exist:
      case library::CaptionRefusal::Overtaken: break;
    }
    const bool is_twice = co_await has_already(of, *language, *webvtt);
    if (is_twice) co_return done(of, of.list, "saved");
    if (of.language) co_return entered.overtaken();
    co_return entered.refuse(kLanguage,
                             "There are captions in this language already. To replace them, "
                             "choose them in the list.");
  }

  loop::Task<http::Response> remove(const OfCaptions& of) {
    const library::CaptionCondition any;
    co_await library_.captions.remove(of.media.id, *of.language, any, of.actor);
    co_return done(of, of.list, "deleted");
  }
};

}  // namespace

OwnedPage captions_page(const SettingsParts& parts) {
  captions::Language::offered();  // rather now than in a request
  return std::make_unique<CaptionsPage>(parts);
}

}  // namespace svc::pages
