#include "ingest/source.h"

#include <gtest/gtest.h>

#include <sstream>
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

// Such as "video 0 1920x1080 25/1, sound 1, 12.5 s".
std::string text_of(const Source& source) {
  std::ostringstream text;
  if (source.video)
    text << "video " << source.video->index << ' ' << source.video->size.width << 'x'
         << source.video->size.height << ' ' << source.video->rate.numerator << '/'
         << source.video->rate.denominator << (source.video->interlaced ? " interlaced, " : ", ");
  if (source.audio) text << "sound " << *source.audio << ", ";
  if (!source.audio_ending.empty()) text << source.audio_ending << ", ";
  if (source.claimed) text << *source.claimed << " s";
  return text.str();
}

TEST(Source, HasTheStreamsThatCanBePlayedAndTheDuration) {
  const std::string small = R"("width":16,"height":16)";
  const std::string cover = R"({"index":0,"codec_type":"video","codec_name":"mjpeg",)" + small;
  const auto sound = [](const std::string& more) {
    return R"({"index":5,"codec_type":"audio","channels":2,)" + more + "}";
  };
  struct Case {
    std::string_view name;
    std::string json;
    std::string_view found;
  };
  for (const Case& c : {
           Case{"a film", probed(video() + "," + kSound),
                "video 0 1920x1080 25/1, sound 1, 12.5 s"},
           Case{"the longer of both", probed(video(R"("duration":"2.5")") + "," + kSound),
                "video 0 1920x1080 25/1, sound 1, 4 s"},
           Case{"the longer of both, the pictures",
                probed(video(R"("duration":"4.5")") + "," + kSound),
                "video 0 1920x1080 25/1, sound 1, 4.5 s"},
           Case{"a format without durations", probed(video(R"("duration":"66")"), "mpegts"),
                "video 0 1920x1080 25/1, "},
           Case{"a cover", probed(cover + R"(,"disposition":{"attached_pic":1}},)" + kSound),
                "sound 1, m4a, 4 s"},
           Case{"a cover of Ogg", probed(cover + "}," + kSound, "ogg"), "sound 1, ogg, 4 s"},
           Case{"Motion JPEG", probed(cover + "}," + kSound, "avi"),
                "video 0 16x16 30/1, sound 1, 12.5 s"},
           Case{"marked as default",
                probed(video() + "," + kSound + "," +
                       sound(R"("codec_name":"aac","disposition":{"default":1})")),
                "video 0 1920x1080 25/1, sound 5, 12.5 s"},
           Case{"sound that cannot be decoded",
                probed(video() + "," + sound(R"("codec_name":"qdm2")")),
                "video 0 1920x1080 25/1, 12.5 s"},
           Case{"marked as default, but not decodable",
                probed(R"({"index":0,"codec_type":"video","codec_name":"cinepak",)" + small +
                       R"(,"disposition":{"default":1}},)" +
                       R"({"index":1,"codec_type":"video","codec_name":"h264",)" + small + "}"),
                "video 1 16x16 30/1, 12.5 s"},
           Case{"interlaced fields",
                probed(R"({"index":0,"codec_type":"video","codec_name":"h264",)" + small +
                       R"(,"field_order":"tt","r_frame_rate":"50/1","avg_frame_rate":"25/1"})"),
                "video 0 16x16 25/1 interlaced, 12.5 s"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(text_of(read(c.json)), c.found);
  }
}

TEST(Source, ChoosesTheSoundOfTheProgrammeThatIsMadeForAll) {
  const auto sound = [](int index, const std::string& flags) {
    return R"(,{"index":)" + std::to_string(index) +
           R"(,"codec_type":"audio","codec_name":"aac","channels":2,"disposition":{)" + flags +
           "}}";
  };
  const auto with_programmes = [](std::string json, const std::string& programmes) {
    return json.replace(0, 1, R"({"programs":)" + programmes + ",");
  };
  const std::string two = R"([{"streams":[{"index":1}]},{"streams":[{"index":0},{"index":2}]}])";
  const std::string marked = R"("default":1)";
  struct Case {
    std::string_view name;
    std::string json;
    std::optional<int> index;
  };
  for (const Case& c : {
           Case{"the default", probed(video() + sound(1, "") + sound(2, marked)), 2},
           Case{"a comment is the default",
                probed(video() + sound(1, R"("default":1,"comment":1)") + sound(2, "")), 2},
           Case{"only comments", probed(video() + sound(1, R"("comment":1)")), 1},
           Case{"descriptions",
                probed(video() + sound(1, R"("descriptions":1)") + sound(2, "") + sound(3, "")), 2},
           Case{"the programme before the default",
                with_programmes(probed(video() + sound(1, marked) + sound(2, "")), two), 2},
           Case{"the programme before comments",
                with_programmes(probed(video() + sound(1, "") + sound(2, R"("comment":1)")), two),
                2},
           Case{"only another programme's", with_programmes(probed(video() + sound(1, "")), two),
                std::nullopt},
           Case{"of no programme", with_programmes(probed(video() + sound(5, "")), two), 5},
           Case{"hostile programmes",
                with_programmes(probed(video() + sound(1, "")), R"([7,{"streams":[8,{}]},{}])"), 1},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(c.json).audio, c.index);
  }
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

TEST(Source, AssumesTheColoursThatAFileDoesNotName) {
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

TEST(Source, CountsSenselessDurationsAsUnknown) {
  for (const std::string duration : {"-5", "nan", "inf", "N/A", "", "0", "1e300", "5x"}) {
    SCOPED_TRACE(duration);
    EXPECT_EQ(read(probed(video(), "matroska,webm", duration)).claimed, std::nullopt);
  }
  EXPECT_EQ(read(probed(video(R"("tags":{"DURATION":"01:01:02.500000000"})"))).claimed, 3662.5);
  EXPECT_EQ(read(probed(video(R"("tags":{"DURATION":"1:x:2"})"))).claimed, 12.5);
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
           Case{"SAMPLE-AES",
                probed(
                    R"({"index":0,"codec_type":"video","codec_name":"h264","codec_tag":"0x00db"})",
                    "mpegts"),
                "The file is encrypted. Upload a copy without copy protection."},
           Case{"Dolby Vision only", probed(video(R"("side_data_list":[{"dv_profile":5}])")),
                "The video has the colours of Dolby Vision only (profile 5). Upload a copy in "
                "HDR10, HLG or SDR."},
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
