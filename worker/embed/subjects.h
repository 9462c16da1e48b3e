// Subjects: what is to be embedded, by its kind and id.
//
// A playlist's is made from the records of all its media. It is kept in `renderings` as one small
// text, so that a request reads one key in place of a thousand, whatever size or options it asks
// for.
#pragma once

#include "base/result.h"
#include "embed/embeddable.h"
#include "embed/renderings.h"
#include "media/catalog.h"
#include "text/json.h"

namespace svc::embed {

class Subjects {
 public:
  // Both outlive it. nullptr: nothing is kept.
  explicit Subjects(media::Catalog& catalog, Renderings* renderings = nullptr)
      : catalog_(catalog), renderings_(renderings) {}

  struct Found {
    base::Result<Embeddable, NotEmbeddable> subject;
    bool from_cache = false;  // it comes from `renderings`
  };

  // Notes in `reads` what it is made from. Throws base::Unavailable when the catalog cannot say.
  loop::Task<Found> find(MediaKind kind, const media::HashedId& id, media::Detail detail,
                         media::Reads& reads);

 private:
  bool keeps(MediaKind kind) const {
    return kind == MediaKind::Playlist && renderings_ != nullptr && renderings_->usable(kind);
  }

  media::Catalog& catalog_;
  Renderings* const renderings_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

}  // namespace svc::embed
