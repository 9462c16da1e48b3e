#include "ingest/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

// The word after an option.
std::string after(const Words& words, std::string_view option, std::size_t from = 0) {
  const auto found =
      std::find(words.begin() + static_cast<std::ptrdiff_t>(from), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

Source source() {
  Source made;
  made.video = VideoStream{3, {1280, 720}, {30000, 1001}, false, Transfer::Sdr};
  made.audio = 1;
  return made;
}

const Timeline kTwelveSeconds{.pictures = 300, .last_picture = 11.5, .end = 12, .holds = {}};

TEST(Commands, NameOnlyTheSlice) {
  EXPECT_EQ(slice_url("/a b:c,d", 10, 32), "subfile,,start,10,end,42,,:/a b:c,d");
}

TEST(Commands, AllowOnlyFilesAndListedFormatsForUploads) {
  const Limits limits;
  for (const Words& words :
       {probe_command(limits, "URL"), scan_command(limits, "URL", source()),
        shapes_command(limits, "URL", source()), vp9_key_frames_command(limits, "URL", source()),
        encode_command(limits, "URL", source(), {}, ladder(*source().video)),
        captions_command(limits, "URL", {{4, "ger", "-x"}})}) {
    const auto input = std::ranges::find(words, "URL");
    ASSERT_NE(input, words.end());
    EXPECT_EQ(*(input - 1), "-i");
    EXPECT_EQ(std::ranges::count(words, "URL"), 1);
    for (const std::string_view option :
         {"-protocol_whitelist", "-format_whitelist", "-codec_whitelist"}) {
      // Options in front of an input are options of that input.
      EXPECT_LT(std::ranges::find(words, option) - words.begin(), input - words.begin());
    }
    EXPECT_EQ(after(words, "-protocol_whitelist"), "file,subfile");
    EXPECT_EQ(after(words, "-format_whitelist"), kDemuxers);
    EXPECT_EQ(after(words, "-codec_whitelist"), kDecoders);
    EXPECT_EQ(joined(words).find("-x"), std::string::npos);  // a title is not an argument
  }
  for (const std::string_view name : {"hls", "concat", "image2", "lavfi", "dash", "sdp", "tty"})
    EXPECT_EQ(("," + std::string(kDemuxers) + ",").find("," + std::string(name) + ","),
              std::string::npos);
}

TEST(Commands, EncodeEachRungFromOneDecoder) {
  const Words words =
      encode_command(Limits{}, "URL", source(), kTwelveSeconds, ladder(*source().video));
  EXPECT_EQ(after(words, "-filter_complex"),
            "[0:3]tpad=stop=1:stop_mode=clone,fps=30000/1001:start_time=0,"
            "tpad=stop_mode=clone:stop_duration=1.500,trim=end=12.000,"
            "setparams=colorspace=unknown,scale=1280:720:flags=bicubic,"
            "zscale=pin=1:min=1:tin=bt709:p=bt709:t=bt709:m=bt709:r=tv,format=yuv420p,"
            "setsar=1,split=4"
            "[s0][s1][s2][s3];[s0]null[v0];[s1]scale=960:540:flags=bicubic,setsar=1[v1];"
            "[s2]scale=640:360:flags=bicubic,setsar=1[v2];"
            "[s3]scale=426:240:flags=bicubic,setsar=1[v3]");
  EXPECT_EQ(std::ranges::count(words, "-i"), 1);
  EXPECT_EQ(std::ranges::count(words, "0:1"), 4);
  EXPECT_EQ(after(words, "-enc_time_base:v"), "1001:30000");
  EXPECT_EQ(after(words, "-force_key_frames"), "expr:gte(t,n_forced*2)");
  EXPECT_EQ(after(words, "-maxrate"), "3200k");
  EXPECT_EQ(after(words, "-bufsize"), "6400k");
  EXPECT_EQ(words.back(), "240p/index.m3u8");
}

TEST(Commands, ConvertInterlacedAndHdrPictures) {
  Source other = source();
  other.video->interlaced = true;
  other.video->transfer = Transfer::Hlg;
  const std::string graph =
      after(encode_command(Limits{}, "URL", other, {}, ladder(*other.video)), "-filter_complex");
  EXPECT_TRUE(graph.starts_with("[0:3]bwdif="));
  EXPECT_NE(graph.find(":tin=arib-std-b67:"), std::string::npos);
}

TEST(Commands, MeasureWhetherAPictureShowsSomething) {
  const auto measured = [](const std::string& high, const std::string& entropy) {
    return "frame:0 pts:0\nlavfi.signalstats.YHIGH=" + high +
           "\nlavfi.entropy.normalized_entropy.normal.Y=" + entropy + "\n";
  };
  EXPECT_FALSE(is_dull(measured("180", "0.8")));
  EXPECT_TRUE(is_dull(measured("20", "0.8")));
  EXPECT_TRUE(is_dull(measured("235", "0.01")));
  EXPECT_FALSE(is_dull("")) << "not measured";
}

TEST(Commands, CropPostersToTheSizesOfOurOwnPages) {
  EXPECT_EQ(cropped_poster_file({640, 360}), "poster-640x360.jpg");
  // media::kPopoverThumbnail, and the default size of oEmbed (oembed-S1).
  EXPECT_EQ(cropped_posters({1280, 720}), (std::vector<media::Dimensions>{{640, 360}, {150, 100}}));
  EXPECT_EQ(cropped_posters({640, 360}).size(), 2U);
  const Storyboard board = storyboard(10, {1280, 720});
  const Words words = pictures_command(Limits{}, {1280, 720}, board);
  const std::string graph = after(words, "-filter_complex");
  EXPECT_NE(graph.find(",split=3[poster][whole0][whole1];"
                       "[whole0]scale=640:360:force_original_aspect_ratio=increase,"
                       "crop=640:360,setsar=1[crop0];"),
            std::string::npos)
      << graph;
  for (const char* file :
       {"poster.jpg", "poster-640x360.jpg", "poster-150x100.jpg", "storyboard.jpg"}) {
    EXPECT_EQ(std::ranges::count(words, file), 1) << file;
  }
}

TEST(Commands, NeverEnlargeAPoster) {
  EXPECT_EQ(cropped_posters({639, 720}), (std::vector<media::Dimensions>{{150, 100}}));
  EXPECT_EQ(cropped_posters({640, 99}), (std::vector<media::Dimensions>{}));
  const Words words = pictures_command(Limits{}, {140, 90}, storyboard(10, {140, 90}));
  EXPECT_NE(after(words, "-filter_complex").find(",split=1[poster];[1:v]"), std::string::npos);
  EXPECT_EQ(joined(words).find("poster-"), std::string::npos);
}

TEST(Commands, ReadTheLastWholeLineOfProgress) {
  EXPECT_EQ(progress_in("", 7), 7);
  EXPECT_EQ(progress_in("out_time_us=1500000\nprogress=continue\n", 7), 1.5);
  EXPECT_EQ(progress_in("out_time_us=1500000\nout_time_us=25", 7), 1.5);
  EXPECT_EQ(progress_in("out_time_us=1\nout_time_us=N/A\n", 7), 7);
  EXPECT_EQ(progress_in("out_time_us=-9223372036854775808\n", 7), 7);
}

}  // namespace
}  // namespace svc::ingest
