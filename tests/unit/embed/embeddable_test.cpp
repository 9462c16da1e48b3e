#include "embed/embeddable.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"

namespace svc::embed {
namespace {

using media::Media;
using media::Status;

Media of(const std::string& type, Status status, const std::string& id = "abc") {
  Media media = fakes::example_video(id);
  media.type = type;
  media.status = status;
  return media;
}

TEST(Embeddable, IsOnlyAReadyVideo) {
  struct Case {
    std::string_view name;
    Media media;
    std::optional<NotEmbeddable> why_not;
  };
  for (const Case& c : {
           Case{"a ready video", of("Video", Status::Ready), std::nullopt},
           Case{"queued", of("Video", Status::Queued), NotEmbeddable::NoEmbedCode},
           Case{"processing", of("Video", Status::Processing), NotEmbeddable::NoEmbedCode},
           Case{"failed", of("Video", Status::Failed), NotEmbeddable::NotFound},
           Case{"audio", of("Audio", Status::Ready), NotEmbeddable::NoEmbedCode},
           Case{"a document", of("PdfDocument", Status::Ready), NotEmbeddable::NoEmbedCode},
           Case{"audio that failed", of("Audio", Status::Failed), NotEmbeddable::NotFound},
           Case{"a type in lower case", of("video", Status::Ready), NotEmbeddable::NoEmbedCode},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(why_not_embeddable(c.media), c.why_not);
  }
}

TEST(Embeddable, HasTheFieldsOfItsMedia) {
  const Embeddable subject = embeddable(fakes::example_video());
  EXPECT_EQ(subject.kind, MediaKind::Media);
  EXPECT_EQ(subject.id.value(), "l4unchf1lm");
  EXPECT_EQ(subject.title, "Launch film");
  EXPECT_EQ(subject.native, (media::Dimensions{1920, 1080}));
  EXPECT_EQ(subject.duration, 16.43);
  EXPECT_EQ(subject.poster, "/deliveries/l4unchf1lm/poster.jpg");
  EXPECT_EQ(subject.player_color, "54bbff");
  Media bare = fakes::example_video();
  bare.thumbnail.reset();
  EXPECT_EQ(embeddable(bare).poster, "");
}

TEST(Embeddable, HasTheSizePosterAndColourOfAPlaylistsFirstVideo) {
  Media first = fakes::example_video("first");
  first.native = media::Dimensions{640, 480};
  first.player_color = "abcdef";
  first.duration = 10.5;
  Media second = fakes::example_video("second");
  second.duration = 20.25;
  const auto subject = embeddable(fakes::example_playlist({}),
                                  {of("Audio", Status::Ready), of("Video", Status::Queued), first,
                                   of("Video", Status::Failed), second});
  ASSERT_TRUE(subject);
  EXPECT_EQ(subject->kind, MediaKind::Playlist);
  EXPECT_EQ(subject->id.value(), "pl4yl1st01");
  EXPECT_EQ(subject->title, "Launch week");
  EXPECT_EQ(subject->native, (media::Dimensions{640, 480}));
  EXPECT_EQ(subject->poster, "/deliveries/first/poster.jpg");
  EXPECT_EQ(subject->player_color, "abcdef");
  EXPECT_EQ(subject->duration, 30.75) << "the sum of what can be played";
}

TEST(Embeddable, PlaylistDurationIsUnknownIfThatOfItsVideosIs) {
  Media video = fakes::example_video();
  video.duration.reset();
  EXPECT_EQ(embeddable(fakes::example_playlist({}), {video})->duration, std::nullopt);
}

TEST(Embeddable, RefusesAPlaylistWithoutAVideo) {
  EXPECT_FALSE(embeddable(fakes::example_playlist({}), {}));
  EXPECT_FALSE(embeddable(fakes::example_playlist({}),
                          {of("Audio", Status::Ready), of("Video", Status::Processing)}));
}

}  // namespace
}  // namespace svc::embed
