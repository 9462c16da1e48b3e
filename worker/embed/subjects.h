// Subjects: finds the media or playlist to embed, by kind and id.
//
// The subject of a playlist depends on the records of all its media. It is
// cached in `renderings` as one short text, so that a request reads one key
// instead of up to a thousand, whatever size or options it asks for.
#pragma once

#include "base/result.h"
#include "embed/embeddable.h"
#include "embed/renderings.h"
#include "media/catalog.h"
#include "text/json.h"

namespace svc::embed {

class Subjects {
 public:
  // Both outlive it. nullptr: nothing is cached.
  explicit Subjects(media::Catalog& catalog, Renderings* renderings = nullptr)
      : catalog_(catalog), renderings_(renderings) {}

  struct Found {
    base::Result<Embeddable, NotEmbeddable> subject;
    bool from_cache = false;  // from `renderings`
  };

  // Adds the keys that the subject depends on to `reads`. If it caches the
  // subject, loads all of it whatever `detail` is. `opener`: as in find_embeddable(). Throws
  // base::Unavailable if the catalog does not reply.
  loop::Task<Found> find(MediaKind kind, const media::HashedId& id, media::Detail detail,
                         media::Reads& reads, const Opener* opener = nullptr);

 private:
  bool keeps(MediaKind kind) const {
    return kind == MediaKind::Playlist && renderings_ != nullptr && renderings_->usable(kind);
  }

  media::Catalog& catalog_;
  Renderings* const renderings_;
  text::json::Document document_;  // scratch space; not used across a co_await
};

}  // namespace svc::embed
