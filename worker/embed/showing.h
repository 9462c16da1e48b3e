// Showing: whether the page around a film may show it (oembed-W1 to oembed-W4).
#pragma once

#include <string>
#include <string_view>

#include "embed/embeddable.h"
#include "embed/site.h"
#include "loop/task.h"
#include "media/reads.h"
#include "media/site_rules.h"

namespace svc::embed {

// Returns the rule of the media's own list, otherwise that of its account. For a playlist: the rule
// of its account. Throws base::Unavailable.
loop::Task<media::SiteRule> site_rule(media::SiteRules& rules, media::AccountId account,
                                      std::optional<media::AllowedDomains> own,
                                      media::Reads& reads);

// The same for a film that was opened: the domain of its link comes first.
loop::Task<media::SiteRule> site_rule(media::SiteRules& rules, const Embeddable& subject,
                                      media::Reads& reads);

// Whether nginx guards the film's files: they need a signature, its manifest and captions a pass.
bool is_guarded(const Embeddable& subject, const media::SiteRule& rule);

// Whether `origin` is one of this installation's, whose pages show every film.
bool is_own(const Site& site, std::string_view origin);

// Whether a page of `origin` may show the film. "": the page does not say where it is.
bool may_show(const media::SiteRule& rule, const Site& site, std::string_view origin);

// The directive by which browsers refuse the frame in pages of other sites; "" if every page may
// have it. `*` instead would exclude files and sandboxed pages.
std::string frame_ancestors(const media::SiteRule& rule, const Site& site);

}  // namespace svc::embed
