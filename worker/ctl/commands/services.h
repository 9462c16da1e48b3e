// Services: the services of a library (library/), as svcctl uses them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "ctl/command.h"
#include "embed/site.h"
#include "embed/watch_keys.h"
#include "library/library_parts.h"
#include "media/allowed_domains.h"
#include "media/upload_form.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/library_stores.h"
#include "text/ascii.h"
#include "text/word_list.h"

namespace svc::ctl {

// The stores and settings of the services. A base, because bases are made in their order.
struct ServiceStores {
  ServiceStores(Context& context, const base::KeyRing* ring)
      : watch(ring, context.clock),
        all_media(context.store.redis),
        stored{.store = context.store.redis} {
    pages.embed_host = context.embed_host;
  }

  embed::Site pages;
  const embed::WatchKeys watch;
  stores::Catalog all_media;
  stores::LibraryStores stored;
};

struct Services : private ServiceStores, library::LibraryParts {
  // The context and the ring outlive it. nullptr: without links.
  explicit Services(Context& context, const base::KeyRing* ring = nullptr)
      : ServiceStores(context, ring),
        LibraryParts{stored,
                     all_media,
                     pages,
                     watch,
                     context.entropy,
                     context.clock,
                     // Operators are not limited.
                     {.bytes = std::numeric_limits<std::int64_t>::max() / 2}} {}

  // The operator, for a change in that account.
  library::Actor actor(media::AccountId account) const { return {.account = account, .by = who}; }

  const std::string who = who_is_this();
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

// The values of --allowed-domains in addition to a list.
inline constexpr std::string_view kAllowedDomainsFlag = "--allowed-domains";
inline constexpr std::string_view kAnyDomain = "any";
inline constexpr std::string_view kInheritedDomains = "inherit";
inline media::AllowedDomains domains_given(const std::string& list) {
  media::AllowedDomains texts = media::domain_texts(list);
  if (texts.empty()) texts.emplace_back();  // refused, unlike "any"
  return texts;
}
inline std::string domain_words(const media::AllowedDomains& domains) {
  return domains.empty() ? std::string(kAnyDomain) : text::joined(domains, ",");
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
