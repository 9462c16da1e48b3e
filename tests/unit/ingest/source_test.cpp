#include "ingest/source.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

using media::Dimensions;

std::string video(const std::string& more = "") {
  return R"({"index":0,"codec_type":"video","codec_name":"h264","width":1920,"height":1080,)"
         R"("r_frame_rate":"25/1","avg_frame_rate":"25/1","disposition":{"default":1})" +
         (more.empty() ? "" : "," + more) + "}";
}

const std::string kSound =
    R"({"index":1,"codec_type":"audio","codec_name":"aac","channels":2,"duration":"4.000000"})";

std::string probed(const std::string& streams,
                   const std::string& format = "mov,mp4,m4a,3gp,3g2,mj2",
                   const std::string& duration = "12.5") {
  return R"({"streams":[)" + streams + R"(],"format":{"format_name":")" + format +
         R"(","duration":")" + duration + R"(","probe_score":100}})";
}

Source read(const std::string& json) {
  const auto source = read_source(json, Limits{});
  EXPECT_TRUE(source) << source.error();
  return source ? *source : Source{};
}

TEST(Source, FindsVideoSoundAndDuration) {
  const Source source = read(probed(video() + "," + kSound));
  ASSERT_TRUE(source.video);
  EXPECT_EQ(source.video->size, (Dimensions{1920, 1080}));
  EXPECT_EQ(source.video->rate, (Fraction{25, 1}));
  EXPECT_EQ(source.audio, 1);
  EXPECT_EQ(source.claimed, 12.5);
}

TEST(Source, HonoursRotationAndTheAspectRatioOfSamples) {
  struct Case {
    std::string_view name;
    std::string more;
    Dimensions size;
  };
  const auto turned = [](const std::string& degrees) {
    return R"("side_data_list":[{"side_data_type":"Display Matrix","rotation":)" + degrees + "}]";
  };
  for (const Case& c : {
           Case{"a quarter", turned("-90"), {1080, 1920}},
           Case{"three quarters", turned("270"), {1080, 1920}},
           Case{"half", turned("180"), {1920, 1080}},
           Case{"some degrees", turned("7"), {1920, 1080}},
           Case{"wide samples", R"("sample_aspect_ratio":"4:3")", {2560, 1080}},
           Case{"wide samples, turned",
                R"("sample_aspect_ratio":"4:3",)" + turned("90"),
                {1080, 2560}},
           Case{"no ratio", R"("sample_aspect_ratio":"0:1")", {1920, 1080}},
           Case{"no list", R"("side_data_list":7)", {1920, 1080}},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(probed(video(c.more))).video->size, c.size);
  }
}

TEST(Source, OperationsU24AssumesTheColoursThatAFileDoesNotName) {
  struct Case {
    std::string_view name;
    std::string tags;
    int height, primaries, matrix;  // ITU-T H.273
  };
  for (const Case& c : {
           Case{"HD", "", 720, 1, 1},
           Case{"SD", "", 719, 1, 6},
           Case{"HDR", R"("color_transfer":"smpte2084")", 576, 9, 9},
           Case{"SD with its names", R"("color_space":"bt470bg","color_primaries":"bt470bg")", 1080,
                1, 5},
           Case{"HD's matrix in SD", R"("color_space":"bt709")", 480, 1, 1},
           Case{"Display P3", R"("color_space":"bt709","color_primaries":"smpte432")", 480, 12, 1},
           Case{"BT.2020 in SDR", R"("color_space":"bt2020nc","color_primaries":"bt2020")", 1080, 9,
                9},
           Case{"HDR with its names",
                R"("color_transfer":"arib-std-b67","color_space":"bt709",)"
                R"("color_primaries":"smpte432")",
                1080, 12, 1},
           Case{"a name without a meaning", R"("color_space":"reserved")", 1080, 1, 1},
       }) {
    SCOPED_TRACE(c.name);
    std::string stream = video(c.tags);
    stream.replace(stream.find("1080"), 4, std::to_string(c.height));
    const VideoStream found = *read(probed(stream)).video;
    EXPECT_EQ(found.primaries, c.primaries);
    EXPECT_EQ(found.matrix, c.matrix);
  }
}

TEST(Source, ChoosesAConstantRateFromTenToSixty) {
  struct Case {
    std::string base, average;
    Fraction rate;
  };
  for (const Case& c : {
           Case{"30000/1001", "30000/1001", {30000, 1001}},
           Case{"60/1", "60/1", {60, 1}},
           Case{"120/1", "120/1", {60, 1}},
           Case{"1000000000/1", "1000000000/1", {60, 1}},
           Case{"1000/1", "24/1", {30, 1}},
           Case{"90000/1", "48/1", {60, 1}},
           Case{"0/0", "0/0", {30, 1}},
           Case{"0/0", "24/1", {24, 1}},
           Case{"-5/1", "nan", {30, 1}},
           Case{"1/1", "1/1", {10, 1}},
           Case{"4/1", "4/1", {12, 1}},
           Case{"1/9223372036854775807", "1/9223372036854775807", {30, 1}},
           Case{"9223372036854775807/1", "1/1", {30, 1}},
           Case{"27000001/1080000", "27000001/1080000", {25, 1}},
       }) {
    SCOPED_TRACE(c.base + ", " + c.average);
    const std::string json =
        probed(R"({"index":0,"codec_type":"video","codec_name":"h264","width":16,"height":16,)"
               R"("r_frame_rate":")" +
               c.base + R"(","avg_frame_rate":")" + c.average + R"("})");
    EXPECT_EQ(read(json).video->rate, c.rate);
  }
}

TEST(Source, TakesTheAverageOfInterlacedFields) {
  const std::string json =
      probed(R"({"index":0,"codec_type":"video","codec_name":"h264","width":16,"height":16,)"
             R"("field_order":"tt","r_frame_rate":"50/1","avg_frame_rate":"25/1"})");
  EXPECT_EQ(read(json).video->rate, (Fraction{25, 1}));
  EXPECT_TRUE(read(json).video->interlaced);
}

TEST(Source, CountsSenselessDurationsAsUnknown) {
  for (const std::string duration : {"-5", "nan", "inf", "N/A", "", "0", "1e300", "5x"}) {
    SCOPED_TRACE(duration);
    EXPECT_EQ(read(probed(video(), "matroska,webm", duration)).claimed, std::nullopt);
  }
  EXPECT_EQ(read(probed(video(R"("tags":{"DURATION":"01:01:02.500000000"})"))).claimed, 3662.5);
  EXPECT_EQ(read(probed(video(R"("tags":{"DURATION":"1:x:2"})"))).claimed, 12.5);
}

TEST(Source, TakesTheLongerOfVideoAndSound) {
  EXPECT_EQ(read(probed(video(R"("duration":"2.5")") + "," + kSound)).claimed, 4);
  EXPECT_EQ(read(probed(video(R"("duration":"4.5")") + "," + kSound)).claimed, 4.5);
}

TEST(Source, ClaimsNoDurationOfFormatsThatHaveNone) {
  EXPECT_EQ(read(probed(video(R"("duration":"66")"), "mpegts")).claimed, std::nullopt);
}

TEST(Source, KeepsACoverApartFromVideo) {
  const std::string cover =
      R"({"index":0,"codec_type":"video","codec_name":"mjpeg","width":64,"height":64)";
  const Source marked = read(probed(cover + R"(,"disposition":{"attached_pic":1}},)" + kSound));
  EXPECT_FALSE(marked.video);
  EXPECT_EQ(marked.audio_ending, "m4a");
  EXPECT_EQ(marked.claimed, 4);
  EXPECT_FALSE(read(probed(cover + "}," + kSound, "ogg")).video);
  EXPECT_TRUE(read(probed(cover + "}," + kSound, "avi")).video);
}

TEST(Source, PrefersStreamsMarkedAsDefault) {
  const std::string other =
      R"({"index":5,"codec_type":"audio","codec_name":"aac","channels":2,"disposition":{"default":1}})";
  EXPECT_EQ(read(probed(video() + "," + kSound + "," + other)).audio, 5);
}

TEST(Source, PrefersStreamsThatCanBeDecoded) {
  const std::string first =
      R"({"index":0,"codec_type":"video","codec_name":"cinepak","width":16,"height":16,"disposition":{"default":1}})";
  const std::string second =
      R"({"index":1,"codec_type":"video","codec_name":"h264","width":16,"height":16})";
  EXPECT_EQ(read(probed(first + "," + second)).video->index, 1);
}

TEST(Source, FindsSubtitlesThatAreText) {
  const Source source = read(probed(
      video() +
      R"(,{"index":2,"codec_type":"subtitle","codec_name":"subrip","tags":{"language":"ger","title":"A"}})"
      R"(,{"index":3,"codec_type":"subtitle","codec_name":"hdmv_pgs_subtitle"})"
      R"(,{"index":4,"codec_type":"subtitle","codec_name":"mov_text"})"));
  ASSERT_EQ(source.texts.size(), 2U);
  EXPECT_EQ(source.texts[0].index, 2);
  EXPECT_EQ(source.texts[0].language, "ger");
  EXPECT_EQ(source.texts[0].title, "A");
  EXPECT_EQ(source.texts[1].index, 4);
}

TEST(Source, IgnoresSoundThatCannotBeDecodedBesideVideo) {
  EXPECT_FALSE(read(probed(video() +
                           R"(,{"index":1,"codec_type":"audio","codec_name":"qdm2","channels":2})"))
                   .audio);
}

TEST(Source, RefusesWithASentence) {
  struct Case {
    std::string_view name;
    std::string json;
    std::string_view reason;
  };
  const std::string none = "The file is not a video, a sound, an image or a PDF.";
  std::string many = video();
  for (int i = 0; i < 10'000; ++i) many += "," + video();
  const auto sized = [](const std::string& width, const std::string& height) {
    return R"({"index":0,"codec_type":"video","codec_name":"h264","width":)" + width +
           R"(,"height":)" + height + "}";
  };
  const std::string large = "The picture is larger than 8192 × 8192 pixels.";
  const std::string no_size = "The video has no picture size. The file is incomplete or damaged.";
  for (const Case& c : {
           Case{"no JSON", "", none},
           Case{"an empty object", "{}", none},
           Case{"other types", R"({"streams":{},"format":[]})", none},
           Case{"a guess of ffprobe",
                R"({"streams":[],"format":{"format_name":"mp3","probe_score":25}})", none},
           Case{"no streams", probed(""), "The file has neither pictures nor sound."},
           Case{"streams of other types", probed(R"(7,{"index":0,"codec_type":"data"})"),
                "The file has neither pictures nor sound."},
           Case{"10 001 streams", probed(many), "The file has more than 100 streams."},
           Case{"too large", probed(sized("100000", "100000")), large},
           Case{"too wide", probed(sized("8193", "16")), large},
           Case{"too wide by its samples", probed(video(R"("sample_aspect_ratio":"100000:1")")),
                large},
           Case{"too large before its narrow samples",
                probed(R"({"index":0,"codec_type":"video","codec_name":"h264","width":100000,)"
                       R"("height":16,"sample_aspect_ratio":"1:1000"})"),
                large},
           Case{"no size", probed(sized("0", "1080")), no_size},
           Case{"a negative size", probed(sized("-1920", "-1080")), no_size},
           Case{"another codec",
                probed(R"({"index":0,"codec_type":"video","codec_name":"cinepak"})"),
                "The codec of the video (cinepak) is not supported."},
           Case{"no codec", probed(R"({"index":0,"codec_type":"video"})"),
                "The codec of the video is not known here."},
           Case{"sound in a format for video", probed(kSound, "avi"), "The file has no pictures."},
       }) {
    SCOPED_TRACE(c.name);
    const auto source = read_source(c.json, Limits{});
    EXPECT_FALSE(source);
    if (!source) {
      EXPECT_EQ(source.error(), c.reason);
    }
  }
}

}  // namespace
}  // namespace svc::ingest
