// Services: the services of a library (library/), as svcctl uses them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ctl/command.h"
#include "library/media_service.h"
#include "library/project_service.h"
#include "media/allowed_domains.h"
#include "media/upload_form.h"
#include "stores/audit.h"
#include "stores/catalog.h"
#include "stores/catalog_index.h"
#include "stores/catalog_registry.h"
#include "stores/people.h"
#include "stores/project_registry.h"
#include "stores/uploads.h"
#include "text/ascii.h"

namespace svc::ctl {

struct Services {
  // The context outlives it.
  explicit Services(Context& context)
      : catalog(context.store.redis),
        records(context.store.redis),
        project_records(context.store.redis),
        listings(context.store.redis),
        uploads(context.store.redis),
        people(context.store.redis),
        audit(context.store.redis),
        medias(catalog, records, uploads, people, audit, context.clock),
        projects(catalog, records, project_records, listings, audit, context.entropy,
                 context.clock) {}

  // The operator, for a change in that account.
  library::Actor actor(media::AccountId account) const { return {.account = account, .by = who}; }

  const std::string who = who_is_this();
  stores::Catalog catalog;
  stores::CatalogRegistry records;
  stores::ProjectRegistry project_records;
  stores::CatalogIndex listings;
  stores::Uploads uploads;
  stores::People people;
  stores::Audit audit;
  library::MediaService medias;
  library::ProjectService projects;
};

// The flags of texts that users of the API can set too.
inline Flag name_flag(std::string_view help) {
  return {.name = "--name", .takes = Takes::text("TEXT"), .help = help};
}
inline Flag description_flag(std::string_view help) {
  return {.name = "--description", .takes = Takes::text("TEXT"), .help = help};
}
inline Flag visibility_flag() {
  return {.name = "--visibility",
          .takes = Takes::choice("WORD", media::visibility_words()),
          .help = "who may watch the media: all, who knows its id, or who has a link"};
}

// The values of --allowed-domains beside a list.
inline constexpr std::string_view kAllowedDomainsFlag = "--allowed-domains";
inline constexpr std::string_view kAnyDomain = "any";
inline constexpr std::string_view kInheritedDomains = "inherit";
inline media::AllowedDomains domains_given(const std::string& list) {
  media::AllowedDomains texts = media::domain_texts(list);
  if (texts.empty()) texts.emplace_back();  // refused, unlike "any"
  return texts;
}
inline std::string domain_words(const media::AllowedDomains& domains) {
  std::string words;
  for (const std::string& domain : domains) words.append(words.empty() ? "" : ",").append(domain);
  return words.empty() ? std::string(kAnyDomain) : words;
}
inline std::string domain_words(const std::optional<media::AllowedDomains>& domains) {
  return domains ? domain_words(*domains) : std::string(kInheritedDomains);
}

// Reads both flags as the API reads the fields. The error is for the operator.
template <class Edit>
base::Result<Edit, std::string> read_edit(const Arguments& arguments) {
  Edit edit;
  if (arguments.has("--name")) edit.name = std::string(text::trimmed(arguments.value("--name")));
  if (arguments.has("--description")) edit.description = arguments.value("--description");
  const std::string wrong_name = edit.name ? media::why_not_given_name(*edit.name) : "";
  if (!wrong_name.empty()) return Refusal{"--name " + wrong_name};
  const std::string wrong =
      edit.description ? media::why_not_given_description(*edit.description) : "";
  if (!wrong.empty()) return Refusal{"--description " + wrong};
  return edit;
}

}  // namespace svc::ctl
