#include "ingest/transcoder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fakes/temporary_directory.h"
#include "fakes/webvtt_reader.h"
#include "ingest/media_playlist.h"

namespace svc::ingest {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using namespace std::string_literals;
using media::Asset;
using media::AssetType;
using media::Dimensions;

const std::string kNoMedia = "The file is not a video, a sound, an image or a PDF.";
const std::string kText = "The file is text, not a video, a sound, an image or a PDF.";

bool go_on(double) { return true; }

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  std::size_t length = 0;
  while ((length = fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    text.append(buffer.data(), length);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

// Replaces the display matrix of a video's track by a turn of 90 degrees (ISO/IEC 14496-12, 8.3.2).
// ffmpeg 5 and 7 have no option in common that does this.
void turn_by_90_degrees(const std::string& mp4) {
  // clang-format off
  const std::string straight("\0\1\0\0" "\0\0\0\0" "\0\0\0\0"
                             "\0\0\0\0" "\0\1\0\0" "\0\0\0\0", 24);
  const std::string turned("\0\0\0\0" "\0\1\0\0" "\0\0\0\0"
                           "\377\377\0\0" "\0\0\0\0" "\0\0\0\0", 24);
  // clang-format on
  std::string content = content_of(mp4);
  content.replace(content.find(straight, content.find("tkhd")), straight.size(), turned);
  std::ofstream(mp4, std::ios::binary) << content;
}

// Returns true if this process has a child, whether running or exited.
bool has_child() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

class Transcoder : public testing::Test {
 protected:
  Transcoder() {
    fs::create_directory(folder_);
    limits_.preset = "ultrafast";
  }
  ~Transcoder() override { EXPECT_FALSE(has_child()); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string out(const std::string& name) const { return path("out/" + name); }

  // Makes a source with ffmpeg.
  std::string make(const std::string& name, const std::string& options) {
    const std::string command =
        "cd " + folder_ + " && ffmpeg -nostdin -v error -y " + options + " " + name + " 2>&1";
    EXPECT_EQ(output_of(command), "");
    return path(name);
  }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  base::Result<Product, Failure> transcoded(const std::string& file,
                                            const std::function<bool(double)>& report = go_on) {
    const auto descriptors = open_descriptors();
    auto result = transcode({file, 0, fs::file_size(file), "clip"}, path("out"), limits_, report);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_FALSE(has_child());
    return result;
  }

  Product product_of(const std::string& file) {
    auto result = transcoded(file);
    if (!result) {
      ADD_FAILURE() << result.error().reason << "\n" << result.error().detail;
      return {};
    }
    return *std::move(result);
  }

  // The reason of a final failure. The folder is empty after it.
  std::string refusal_of(const std::string& file) {
    const auto result = transcoded(file);
    if (result) return "accepted";
    EXPECT_TRUE(result.error().final) << result.error().detail;
    EXPECT_TRUE(fs::is_empty(path("out")));
    EXPECT_EQ(result.error().reason.find('/'), std::string::npos);
    return result.error().reason;
  }

  std::string probed(const std::string& name, const std::string& entries) const {
    // For playlists ffprobe prints everything twice: by programs first.
    const std::string all =
        output_of("ffprobe -v error -of csv=p=0 -show_entries " + entries + " " + out(name));
    const std::size_t end = all.find("\n\n");
    return end == std::string::npos ? all : all.substr(0, end + 1);
  }

  // Returns the colour in the middle of each half second: r, g, b, k for black, w for white, '?'.
  std::string seen(const std::string& name) const {
    const std::string pixels =
        output_of("ffmpeg -v error -i " + out(name) +
                  " -vf fps=20,scale=1:1:flags=area,format=rgb24 -f rawvideo -");
    std::string text;
    for (std::size_t i = 5 * 3; i + 2 < pixels.size(); i += 10 * 3) {
      const auto is_bright = [&](std::size_t part) {
        return static_cast<unsigned char>(pixels[i + part]) > 127 ? 1U : 0U;
      };
      text += "kbg?r??w"[is_bright(0) * 4 + is_bright(1) * 2 + is_bright(2)];
    }
    return text;
  }

  // Returns the sound in the middle of each half second: 4 for a tone of 440 Hz, 8 for 880 Hz,
  // '_' for silence, '?' for anything else.
  std::string heard(const std::string& name) const {
    const std::string bytes = output_of("ffmpeg -v error -i " + out(name) +
                                        " -map 0:a -ac 1 -ar 8000 -f s16le -c:a pcm_s16le -");
    std::vector<std::int16_t> samples(bytes.size() / 2);
    std::memcpy(samples.data(), bytes.data(), samples.size() * 2);
    constexpr std::size_t kHalf = 4000;
    constexpr std::size_t kMiddle = 2400;
    std::string text;
    for (std::size_t at = 800; at + kMiddle <= samples.size(); at += kHalf) {
      const std::size_t end = at + kMiddle;
      int loud = 0;
      int crossings = 0;
      for (std::size_t i = at + 1; i < end; ++i) {
        loud += std::abs(samples[i]) > 200 ? 1 : 0;
        crossings += (samples[i] < 0) != (samples[i - 1] < 0) ? 1 : 0;
      }
      constexpr double kPart = kMiddle;
      const double tone = crossings / 2.0 / (kPart / 8000);
      const bool is_tone = loud > kPart * 0.8;
      text += loud < kPart * 0.2                     ? '_'
              : is_tone && std::abs(tone - 440) < 22 ? '4'
              : is_tone && std::abs(tone - 880) < 44 ? '8'
                                                     : '?';
    }
    return text;
  }

  // Returns the colours along the middle of a picture, in 16 cells: r, g, b, k for black, w for
  // white,
  // '?'. `direction`: "16:9" along its width, "9:16" along its height.
  std::string across(const std::string& name, const std::string& seconds,
                     const std::string& cells = "16:9") const {
    const bool is_wide = cells == "16:9";
    const std::string pixels =
        output_of("ffmpeg -v error -i " + out(name) + " -ss " + seconds +
                  " -frames:v 1 -vf scale=" + cells + ":flags=area,format=rgb24 -f rawvideo -");
    if (pixels.size() != 432) return std::string(16, '-');
    std::string text;
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t pixel = 3 * (is_wide ? 4 * 16 + i : 9 * i + 4);
      unsigned bits = 0;
      for (std::size_t part = 0; part < 3; ++part)
        bits = 2 * bits + (static_cast<unsigned char>(pixels[pixel + part]) > 100 ? 1U : 0U);
      text += "kbg?r??w"[bits];
    }
    return text;
  }

  double frame_rate_of(const std::string& file) {
    const Product product = product_of(file);
    return product.assets.empty() ? 0 : product.assets.front().frame_rate.value_or(0);
  }

  // The mean brightness of the poster, of 255.
  double brightness_of_poster() const {
    return std::stod(
        output_of("ffprobe -v error -f lavfi -i movie=" + out("poster.jpg") +
                  ",signalstats -show_entries frame_tags=lavfi.signalstats.YAVG -of csv=p=0"));
  }

  // Presentation times of the key frames, of the whole rung.
  std::string key_frames(const std::string& playlist) const {
    return output_of(
        "ffprobe -v error -select_streams v -skip_frame nokey -show_entries "
        "frame=pts_time -of csv=p=0 " +
        out(playlist));
  }

  const fakes::TemporaryDirectory directory_;
  const std::string folder_ = directory_.path("uploads");
  Limits limits_;
};

const std::string kSound = "-f lavfi -i sine=frequency=440:sample_rate=44100 ";

std::string scene(const std::string& size, const std::string& rate, const std::string& seconds) {
  return "-f lavfi -i testsrc2=size=" + size + ":rate=" + rate + ":duration=" + seconds + " ";
}

const std::string kQuick = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p ";

// Pictures of one colour with a tone of 440 or 880 Hz, as two inputs of ffmpeg.
std::string plain(const std::string& colour, int tone, const std::string& seconds) {
  return "-f lavfi -i color=" + colour + ":size=160x88:rate=25:duration=" + seconds +
         " -f lavfi -i sine=frequency=" + std::to_string(tone) + ":duration=" + seconds + " ";
}

// Bitmap subtitles as on Blu-ray: two rectangles in the first two seconds.
std::string bitmap_subtitles() {
  const auto number = [](std::uint32_t value, int bytes) {
    std::string text;
    while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes));
    return text;
  };
  std::string text;
  const auto segment = [&](int type, double seconds, const std::string& body) {
    text += "PG" + number(static_cast<std::uint32_t>(seconds * 90000), 4) + number(0, 4) +
            number(type, 1) + number(static_cast<std::uint32_t>(body.size()), 2) + body;
  };
  const std::string window =
      number(0x0100, 2) + number(8, 2) + number(8, 2) + number(16, 2) + number(8, 2);
  std::string lines;
  for (int i = 0; i < 8; ++i) lines += number(0x0090, 2) + number(0x010000, 3);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const double at = 0.2 + 0.4 * i;
    const bool shown = i % 2 == 0;
    segment(0x16, at,
            number(160, 2) + number(90, 2) + number(0x10, 1) + number(i, 2) +
                number(shown ? 0x80 : 0, 1) + number(0, 2) + number(shown ? 1 : 0, 1) +
                (shown ? number(0, 4) + number(8, 2) + number(8, 2) : ""));
    segment(0x17, at, window);
    if (shown) {
      segment(0x14, at, number(0, 2) + number(0x01c88080, 4) + number(255, 1));
      segment(0x15, at,
              number(0, 3) + number(0xc0, 1) +
                  number(static_cast<std::uint32_t>(lines.size()) + 4, 3) + number(16, 2) +
                  number(8, 2) + lines);
    }
    segment(0x80, at, "");
  }
  return text;
}

TEST_F(Transcoder, OperationsU10LeavesOutStreamsThatAreNotNeeded) {
  write("bitmap.sup", bitmap_subtitles());
  write("font.ttf", "no font");
  const std::string film = plain("red", 440, "2");
  const std::string both = film + "-map 0 -map 1 ";
  const std::string bitmap = film + "-i bitmap.sup -map 0 -map 1 -map 2 ";
  const std::string codecs = kQuick + "-c:a aac ";
  struct Case {
    std::string name, options;
  };
  for (const Case& c : {
           Case{"tta.mkv", both + "-map 1 " + codecs + "-c:a:1 tta"},
           Case{"tta_first.mkv", both + "-map 1 " + codecs + "-c:a:0 tta -disposition:a:0 default"},
           Case{"cinepak_first.mkv", both + "-map 0 " + codecs + "-c:v:0 cinepak"},
           Case{"pgs.mkv", bitmap + codecs + "-c:s copy"},
           Case{"pgs.m2ts", bitmap + codecs + "-c:s copy -f mpegts -mpegts_m2ts_mode 1"},
           Case{"vobsub.mkv", bitmap + codecs + "-c:s dvdsub"},
           Case{"vobsub.mpg", bitmap + "-c:v mpeg2video -c:a mp2 -c:s dvdsub -f vob"},
           Case{"dvb.ts", bitmap + codecs + "-c:s dvbsub -f mpegts"},
           Case{"font.mkv", both + codecs + "-attach font.ttf -metadata:s:t mimetype=font/ttf"},
           Case{"timecode.mov", both + codecs + "-timecode 01:00:00:00"},
       }) {
    SCOPED_TRACE(c.name);
    const Product product = product_of(make(c.name, c.options));
    EXPECT_NEAR(product.duration.value_or(0), 2, 0.1);
    EXPECT_EQ(seen("video.mp4"), "rrrr");
    EXPECT_EQ(heard("video.mp4"), "4444");
  }

  const Product silent = product_of(make("silent.mkv", both + kQuick + "-c:a tta"));
  EXPECT_EQ(seen("video.mp4"), "rrrr");
  EXPECT_EQ(silent.assets.at(0).codecs.find(','), std::string::npos);

  make("cover.gif", film + "-frames:v 1 -map 0");
  const std::string cover = "-i cover.gif -map 1 -map 2 -c:v copy -disposition:v attached_pic";
  EXPECT_EQ(product_of(make("cover.mp3", film + cover)).type, "Audio");
}

TEST_F(Transcoder, OperationsU10MixesEveryNumberOfChannelsToStereo) {
  // A tone of 440 Hz in the last channel only.
  const auto film = [](int channels, const std::string& layout = "") {
    std::string tones;
    for (int i = 1; i < channels; ++i) tones += "0|";
    return "-f lavfi -i color=red:size=160x88:rate=25:duration=1 -f lavfi -i 'aevalsrc=" + tones +
           "sin(440*2*PI*t):s=48000:d=1" + (layout.empty() ? "" : ":c=" + layout) + "' ";
  };
  struct Case {
    std::string name, options;
  };
  for (const Case& c : {
           Case{"3.mov", film(3, "FL+FR+TFL") + "-c:a pcm_s16le"},
           Case{"8.mkv", film(8) + "-c:a pcm_s16le"},
           Case{"10.mov", film(10) + "-c:a pcm_s16le"},
           Case{"12.mkv", film(12) + "-c:a libopus -mapping_family 255"},
           Case{"16.mkv", film(16) + "-c:a pcm_s16le"},
       }) {
    SCOPED_TRACE(c.name);
    product_of(make(c.name, c.options + " " + kQuick));
    EXPECT_EQ(heard("video.mp4"), "44");
  }

  // RFC 8486: the tone comes from all sides. The mapping family is byte 18 of the header.
  std::string ambisonic =
      content_of(make("ambisonic.mkv",
                      "-f lavfi -i color=red:size=160x88:rate=25:duration=1 -f lavfi -i "
                      "'aevalsrc=sin(440*2*PI*t)|0|0|0:s=48000:d=1' -c:a libopus "
                      "-mapping_family 255 " +
                          kQuick));
  ambisonic.at(ambisonic.find("OpusHead") + 18) = 2;
  product_of(write("ambisonic.mkv", ambisonic));
  EXPECT_EQ(heard("video.mp4"), "44");
}

TEST_F(Transcoder, OperationsU10MakesAFilmWithoutSoundThatFfmpegRefuses) {
  // Its filters take at most 64 channels.
  write("raw", std::string(8000 * 70 * 2, '\1'));
  product_of(make("a.mkv",
                  "-f lavfi -i color=red:size=160x88:rate=25:duration=1 -f s16le -ar 8000 -ac 70 "
                  "-i raw -c:a copy " +
                      kQuick));
  EXPECT_EQ(seen("video.mp4"), "rr");
  EXPECT_EQ(probed("video.mp4", "stream=codec_type"), "video\n");
}

TEST_F(Transcoder, OperationsU10NamesTheCodecThatIsNotSupported) {
  struct Case {
    std::string name, options, reason;
  };
  const std::string film = plain("red", 440, "1") + "-strict -2 ";
  for (const Case& c : {
           Case{"a.avi", film + "-c:v cinepak",
                "The codec of the video (cinepak) is not supported."},
           Case{"b.mov", film + "-c:v jpeg2000",
                "The codec of the video (jpeg2000) is not supported."},
           Case{"c.mkv", film + "-c:v snow -c:a tta",
                "The codec of the video (snow) is not supported."},
           Case{"d.mka", film + "-map 1 -c:a tta",
                "The codec of the sound (tta) is not supported."},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(refusal_of(make(c.name, c.options)), c.reason);
  }
}

TEST_F(Transcoder, OperationsU11KeepsAllOfAFilmThatWasJoinedFromOthers) {
  const auto part = [&](const std::string& name, const std::string& colour, int tone, int begin) {
    return content_of(make(name, plain(colour, tone, "3") + kQuick + "-c:a aac -output_ts_offset " +
                                     std::to_string(begin) + " -f mpegts"));
  };
  const std::string red = part("red.ts", "red", 440, 0);
  const std::string late = part("late.ts", "blue", 880, 60);
  const std::string early = part("early.ts", "blue", 880, 0);
  struct Case {
    std::string_view name;
    std::string film, seen, heard;
  };
  for (const Case& c : {
           Case{"forward", red + late, "rrrrrrbbbbbb", "444444888888"},
           Case{"back", late + red, "bbbbbbrrrrrr", "888888444444"},
           Case{"the same time again", red + early, "rrrrrrbbbbbb", "444444888888"},
           Case{"back and forward", late + red + late, "bbbbbbrrrrrrbbbbbb", "888888444444888888"},
       }) {
    SCOPED_TRACE(c.name);
    const Product product = product_of(write("film.ts", c.film));
    EXPECT_NEAR(product.duration.value_or(0), static_cast<double>(c.seen.size()) / 2, 0.1);
    EXPECT_EQ(seen("video.mp4"), c.seen);
    EXPECT_EQ(heard("video.mp4").substr(0, c.heard.size()), c.heard);
  }
}

TEST_F(Transcoder, OperationsU11IgnoresDurationsThatAHeaderClaims) {
  const std::string film = plain("red", 440, "2") + kQuick + "-c:a aac ";
  product_of(make("late.mkv", film + "-output_ts_offset 60"));
  EXPECT_EQ(seen("video.mp4"), "rrrr");
  EXPECT_EQ(heard("video.mp4"), "4444");

  // The stale duration of one track, in the tags of ffmpeg's muxer.
  std::string stale = content_of(make("stale.mkv", film));
  const std::string tag = "00:00:02.0";
  stale.replace(stale.rfind(tag), tag.size(), "13:01:02.0");
  product_of(write("stale.mkv", stale));
  EXPECT_EQ(seen("video.mp4"), "rrrr");
  EXPECT_EQ(heard("video.mp4"), "4444");
}

TEST_F(Transcoder, OperationsU11ShowsTheLastPictureForItsDuration) {
  product_of(make("slow.mp4",
                  "-f lavfi -i color=red:size=160x88:rate=1:duration=1 "
                  "-f lavfi -i color=lime:size=160x88:rate=1:duration=1 "
                  "-f lavfi -i color=blue:size=160x88:rate=1:duration=1 "
                  "-filter_complex [0][1][2]concat=n=3 " +
                      kQuick));
  EXPECT_EQ(seen("video.mp4"), "rrggbb");

  for (const std::string sound : {"", "-c:a aac"}) {
    SCOPED_TRACE(sound);
    const std::string film = plain("red", 440, "1") + kQuick + sound;
    make("short.mp4", sound.empty() ? film + " -map 0" : film);
    const Product product = product_of(make("held.mp4",
                                            "-i short.mp4 -c copy -bsf:v "
                                            "\"setts=duration='if(eq(N,24),5/TB,DURATION)'\""));
    EXPECT_NEAR(product.duration.value_or(0), 5.96, 0.1);
    EXPECT_EQ(seen("video.mp4"), std::string(12, 'r'));
    if (!sound.empty()) {
      EXPECT_EQ(heard("video.mp4").substr(0, 2), "44");
    }
  }
}

TEST_F(Transcoder, OperationsU11HoldsAPictureByOneFramePerSecond) {
  // 25 frames per second, but the first picture for 60 s and the last for 120 s more.
  make("short.mp4", scene("160x88", "25", "1") + "-f lavfi -i sine=frequency=440:duration=90 " +
                        kQuick + "-c:a aac");
  const std::string file = make("held.mp4",
                                "-i short.mp4 -c copy -bsf:v \"setts=ts='if(N,TS+60/TB,TS)'"
                                ":duration='if(eq(N,24),120/TB,DURATION)'\"");
  const Product product = product_of(file);
  EXPECT_NEAR(product.duration.value_or(0), 181, 0.1);
  EXPECT_NEAR(std::stod(probed("video.mp4", "format=duration")), 181, 0.1);
  const std::string times =
      output_of("ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 " +
                out("video.mp4") + " | grep . | sort -g");
  std::istringstream lines(times);
  double before = 0;
  double longest = 0;
  int frames = 0;
  int moving = 0;
  for (double time = 0; lines >> time; before = time, ++frames) {
    longest = std::max(longest, time - before);
    moving += time >= 60 && time < 61 ? 1 : 0;
    lines.ignore(100, '\n');
  }
  EXPECT_LT(longest, 1.1);
  EXPECT_LT(frames, 600);
  EXPECT_GE(moving, 24);

  // Each segment has the sound of its time, and its duration.
  const auto playlist = read_media_playlist(content_of(out("240p/index.m3u8")));
  ASSERT_TRUE(playlist);
  EXPECT_NEAR(playlist->duration(), 181, 0.1);
  for (const std::size_t number : {5, 16, 20}) {
    write("out/one.mp4", content_of(out("240p/init.mp4")) +
                             content_of(out("240p/" + playlist->segments[number].uri)));
    EXPECT_EQ(heard("one.mp4").substr(1, 6), "444444") << number;
  }
}

TEST_F(Transcoder, OperationsU4MakesEveryFileOfAVideo) {
  const std::string file =
      make("a.mp4", scene("1280x720", "30000/1001", "9") + kSound + "-t 9 " + kQuick + "-c:a aac");
  std::vector<double> progress;
  const auto result = transcoded(file, [&](double part) {
    progress.push_back(part);
    return true;
  });
  ASSERT_TRUE(result) << result.error().reason << result.error().detail;
  const Product& product = *result;
  EXPECT_EQ(product.type, "Video");
  EXPECT_NEAR(product.duration.value(), 9, 0.1);
  EXPECT_EQ(product.native, (Dimensions{1280, 720}));
  EXPECT_EQ(product.original, "");
  EXPECT_TRUE(product.captions.empty());

  std::string assets;
  for (const Asset& asset : product.assets) {
    assets += asset.url + " " + std::to_string(asset.size->width) + "x" +
              std::to_string(asset.size->height) + "\n";
    EXPECT_EQ(asset.codecs.size(), std::string("avc1.640028,mp4a.40.2").size()) << asset.codecs;
    EXPECT_TRUE(asset.codecs.starts_with("avc1.") && asset.codecs.ends_with(",mp4a.40.2"));
    EXPECT_NEAR(asset.frame_rate.value(), 29.97, 0.001);
    EXPECT_GE(asset.bandwidth, asset.average_bandwidth.value());
    EXPECT_GT(asset.average_bandwidth.value(), 10000);
  }
  EXPECT_EQ(assets,
            "720p/index.m3u8 1280x720\n540p/index.m3u8 960x540\n360p/index.m3u8 640x360\n"
            "240p/index.m3u8 426x240\nvideo.mp4 1280x720\n");
  EXPECT_EQ(product.assets.back().type, AssetType::Mp4);

  // The same key frames everywhere, every two seconds, and segments of four.
  const std::string frames = key_frames("720p/index.m3u8");
  EXPECT_EQ(std::ranges::count(frames, '.'), 5) << frames;
  for (const char* name : {"540p", "360p", "240p"})
    EXPECT_EQ(key_frames(std::string(name) + "/index.m3u8"), frames) << name;
  const auto playlist = read_media_playlist(content_of(out("720p/index.m3u8")));
  ASSERT_TRUE(playlist);
  ASSERT_EQ(playlist->segments.size(), 3U);
  EXPECT_NEAR(playlist->segments[0].duration, 4, 0.05);
  EXPECT_NEAR(playlist->segments[1].duration, 4, 0.05);
  EXPECT_EQ(probed("720p/index.m3u8", "stream=codec_name,pix_fmt,channels"),
            "h264,yuv420p\naac,2\n");

  EXPECT_EQ(probed("poster.jpg", "stream=codec_name,width,height"), "mjpeg,1280,720\n");
  EXPECT_EQ(product.thumbnail.value().size, (Dimensions{1280, 720}));
  EXPECT_EQ(probed("poster-640x360.jpg", "stream=codec_name,width,height"), "mjpeg,640,360\n");
  EXPECT_EQ(probed("poster-150x100.jpg", "stream=codec_name,width,height"), "mjpeg,150,100\n");
  EXPECT_EQ(probed("storyboard.jpg", "stream=codec_name,width,height"), "mjpeg,800,90\n");
  EXPECT_TRUE(content_of(out("storyboard.vtt"))
                  .starts_with("WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n"
                               "storyboard.jpg#xywh=0,0,160,90\n"));
  // The index comes before the data.
  const std::string mp4 = content_of(out("video.mp4"));
  EXPECT_LT(mp4.find("moov"), mp4.find("mdat"));

  for (const auto& entry : fs::recursive_directory_iterator(path("out"))) {
    EXPECT_EQ(entry.status().permissions(), fs::perms(entry.is_directory() ? 0775 : 0644))
        << entry.path();
  }
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_EQ(progress.back(), 1);
}

// A page offers each tile as the picture of that time.
TEST_F(Transcoder, TilesOfTheStoryboardShowTheirTimes) {
  for (const std::string sound : {"", "-f lavfi -i sine=440:d=6"}) {
    SCOPED_TRACE(sound);
    const auto product = transcoded(
        make("colours.mp4",
             "-f lavfi -i color=red:s=320x180:r=25:d=2 -f lavfi -i color=lime:s=320x180:r=25:d=2 "
             "-f lavfi -i color=blue:s=320x180:r=25:d=2 " +
                 sound +
                 " -filter_complex '[0][1][2]concat=n=3' -c:v libx264 -preset ultrafast "
                 "-pix_fmt yuv420p"));
    ASSERT_TRUE(product);
    for (const std::size_t tile : {0U, 1U, 2U}) {
      const std::string pixel = output_of("ffmpeg -nostdin -v error -i " + out("storyboard.jpg") +
                                          " -vf crop=160:90:" + std::to_string(tile * 160) +
                                          ":0,scale=1:1 -f rawvideo -pix_fmt rgb24 -");
      ASSERT_EQ(pixel.size(), 3U);
      for (const std::size_t part : {0U, 1U, 2U})
        EXPECT_EQ(static_cast<unsigned char>(pixel[part]) > 128, part == tile) << tile;
    }
  }
}

TEST_F(Transcoder, ShowsPortraitsAsTheDisplayMatrixTurnsThem) {
  const std::string file = make("turned.mp4", scene("320x180", "25", "1") + kQuick);
  turn_by_90_degrees(file);
  const Product product = product_of(file);
  EXPECT_EQ(product.native, (Dimensions{180, 320}));
  ASSERT_FALSE(product.assets.empty());
  EXPECT_EQ(product.assets[0].size, (Dimensions{180, 320}));
  EXPECT_EQ(probed("240p/index.m3u8", "stream=width,height"), "180,320\n");
  EXPECT_EQ(probed("poster.jpg", "stream=width,height"), "180,320\n");
  // oembed-S8: never enlarged.
  EXPECT_EQ(probed("poster-150x100.jpg", "stream=width,height"), "150,100\n");
  EXPECT_FALSE(fs::exists(out("poster-640x360.jpg")));
}

TEST_F(Transcoder, CropsTheMiddleOfThePoster) {
  // Red, then green in the middle third, then blue.
  const std::string file =
      make("thirds.mp4",
           "-f lavfi -i color=red:s=300x100:d=1:r=25 -f lavfi -i color=lime:s=150x100:d=1:r=25 "
           "-f lavfi -i color=blue:s=300x100:d=1:r=25 -filter_complex [0][1][2]hstack=3 " +
               kQuick);
  product_of(file);
  EXPECT_EQ(probed("poster.jpg", "stream=width,height"), "750,100\n");
  // Chroma: U is 240 for blue and V is 240 for red; both are low for green only.
  for (const char* plane : {"UAVG", "VAVG"}) {
    const std::string average = output_of(
        "ffprobe -v error -f lavfi -i movie=" + out("poster-150x100.jpg") +
        ",signalstats -show_entries frame_tags=lavfi.signalstats." + plane + " -of csv=p=0");
    EXPECT_LT(std::stod(average), 70) << plane;
  }
}

TEST_F(Transcoder, MakesPicturesThatEveryPlayerShows) {
  struct Case {
    std::string file, options;
    Dimensions native;
    std::string shown;
  };
  const std::string quick = "-c:v libx264 -preset ultrafast ";
  for (const Case& c : {
           Case{"odd.mkv",
                scene("320x180", "25", "0.5") + "-vf scale=321:181,setsar=1 " + quick +
                    "-pix_fmt yuv444p",
                {321, 181},
                "320,180"},
           Case{"wide.mp4",
                scene("180x144", "25", "0.5") + "-vf setsar=2 " + kQuick,
                {360, 144},
                "360,144"},
           Case{"ten.mkv",
                scene("160x90", "25", "0.5") + quick + "-pix_fmt yuv420p10le",
                {160, 90},
                "160,90"},
           Case{"hdr.mkv",
                scene("160x90", "25", "0.5") +
                    "-vf format=yuv420p10le,setparams=color_trc=arib-std-b67:"
                    "color_primaries=bt2020:colorspace=bt2020nc " +
                    quick + "-color_trc arib-std-b67 -color_primaries bt2020 -colorspace bt2020nc",
                {160, 90},
                "160,90"},
           Case{"a.webm", scene("160x90", "25", "0.5") + "-c:v libvpx", {160, 90}, "160,90"},
           Case{"tiny.mkv", scene("2x2", "25", "0.04") + "-c:v ffv1", {2, 2}, "2,2"},
       }) {
    SCOPED_TRACE(c.file);
    const Product product = product_of(make(c.file, c.options));
    EXPECT_EQ(product.native, c.native);
    EXPECT_EQ(
        probed("240p/index.m3u8", "stream=width,height,sample_aspect_ratio,pix_fmt,color_transfer"),
        c.shown + ",1:1,yuv420p,bt709\n");
    EXPECT_EQ(probed("video.mp4", "stream=codec_name"), "h264\n") << "without sound";
    EXPECT_EQ(product.assets.at(0).codecs.find(','), std::string::npos);
    EXPECT_GT(product.duration.value_or(0), 0);
    EXPECT_TRUE(product.thumbnail);
  }
}

// Bars from left to right, which every picture of the film shows.
struct Colour {
  int red, green, blue;
};
constexpr std::array<Colour, 6> kBars{
    {{0, 200, 0}, {200, 0, 0}, {48, 48, 224}, {128, 128, 128}, {16, 16, 16}, {240, 200, 160}}};

// A source of ffmpeg: RGB without compression, 0.2 seconds.
std::string bars(int width, int height) {
  std::string inputs;
  std::string graph;
  for (std::size_t i = 0; i < kBars.size(); ++i) {
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "%02x%02x%02x", static_cast<unsigned>(kBars[i].red),
                  static_cast<unsigned>(kBars[i].green), static_cast<unsigned>(kBars[i].blue));
    inputs += "color=0x" + std::string(code.data()) +
              ":r=25:d=0.2:s=" + std::to_string(width / static_cast<int>(kBars.size())) + "x" +
              std::to_string(height) + ",format=gbrp[" + std::to_string(i) + "];";
    graph += "[" + std::to_string(i) + "]";
  }
  return "-f lavfi -i '" + inputs + graph + "hstack=6' ";
}

// The middles of the bars in the first picture of `file`, whose samples `conversion` makes RGB.
// The picture may be the middle of one with the ratio `shape`.
std::vector<Colour> bars_in(const std::string& file, const std::string& conversion, double shape) {
  const std::string raw =
      output_of("ffmpeg -nostdin -v error -i " + file + " -vf '" + conversion +
                ",format=gbrp,format=rgb24' -frames:v 1 -f image2pipe -c:v ppm -");
  int width = 0;
  int height = 0;
  if (std::sscanf(raw.c_str(), "P6\n%d %d\n255", &width, &height) != 2) return {};
  const auto pixels = std::string_view(raw).substr(
      raw.size() - static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  std::vector<Colour> found;
  for (std::size_t i = 0; i < kBars.size(); ++i) {
    const double from_middle = (static_cast<double>(i) + 0.5) / kBars.size() - 0.5;
    const int x =
        width / 2 + static_cast<int>(from_middle * std::max<double>(width, height * shape));
    const auto at = static_cast<std::size_t>((height / 2 * width + x) * 3);
    const auto value = [&](std::size_t channel) {
      return static_cast<int>(static_cast<unsigned char>(pixels[at + channel]));
    };
    found.push_back({value(0), value(1), value(2)});
  }
  return found;
}

template <class Colours>
int difference(const Colours& one, const Colours& other) {
  int most = one.size() == other.size() ? 0 : 256;
  for (std::size_t i = 0; most < 256 && i < one.size(); ++i)
    most =
        std::max({most, std::abs(one[i].red - other[i].red),
                  std::abs(one[i].green - other[i].green), std::abs(one[i].blue - other[i].blue)});
  return most;
}

// As a player reads a film by its tags; the conversion fails if a tag is missing.
constexpr const char* kByTags = "zscale=m=gbr:r=full";
// As a browser reads a JPEG without tags.
constexpr const char* kAsJfif = "zscale=min=bt470bg:m=gbr:r=full";

TEST_F(Transcoder, OperationsU24ShowsTheColoursOfTheSourceInEveryOutput) {
  constexpr int kTolerated = 3;  // of 255: the codecs' noise
  const auto yuv = [](const std::string& matrix, const std::string& tags) {
    return "-vf scale=out_color_matrix=" + matrix + ":out_range=tv,format=yuv420p," + tags +
           " -c:v libx264 -preset ultrafast -qp 4";
  };
  const std::string none = "setparams=colorspace=unknown";
  struct Case {
    std::string name, file;
    int width, height;
    std::string encoding;
  };
  for (const Case& c : {
           Case{"BT.601 of NTSC", "a.mp4", 636, 360,
                yuv("bt601",
                    "setparams=colorspace=smpte170m:color_primaries=smpte170m:"
                    "color_trc=smpte170m")},
           Case{"BT.601 of PAL, in HD", "a.mp4", 1278, 720,
                yuv("bt601",
                    "setparams=colorspace=bt470bg:color_primaries=bt470bg:"
                    "color_trc=bt709")},
           Case{"BT.709 in SD", "a.mp4", 636, 360,
                yuv("bt709", "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709")},
           Case{"SMPTE 240M", "a.mp4", 636, 360,
                yuv("smpte240m", "setparams=colorspace=smpte240m")},
           Case{"SD without tags", "a.mp4", 636, 360, yuv("bt601", none)},
           Case{"HD without tags", "a.mp4", 1278, 720, yuv("bt709", none)},
           Case{"full range", "a.mp4", 636, 360,
                "-vf scale=out_color_matrix=bt709:out_range=pc,format=yuvj420p,"
                "setparams=range=pc:colorspace=bt709 -c:v libx264 -preset ultrafast -qp 4"},
           Case{"MJPEG", "a.avi", 636, 360,
                "-vf scale=out_color_matrix=bt601:out_range=pc,format=yuvj420p -c:v mjpeg -q:v 1"},
           Case{"YCgCo", "a.mp4", 636, 360,
                "-vf zscale=m=ycgco:r=limited,format=yuv444p -c:v libx264 -preset ultrafast -qp 0"},
           Case{"BT.2020 in SDR", "a.mkv", 636, 360,
                // Not the approximation of gamma, which differs by processor.
                "-vf zscale=pin=709:tin=709:p=2020:t=709:m=2020_ncl:r=limited:agamma=0,"
                "format=yuv444p16le -c:v ffv1"},
           Case{"PNG", "a.mkv", 636, 360, "-pix_fmt rgb24 -c:v png"},
           Case{"raw RGB", "a.avi", 636, 360, "-pix_fmt bgr24 -c:v rawvideo"},
           Case{"QuickTime animation", "a.mov", 636, 360, "-pix_fmt rgb24 -c:v qtrle"},
           Case{"RGB in H.264", "a.mp4", 636, 360, "-c:v libx264rgb -preset ultrafast -qp 0"},
           Case{"RGB in FFV1", "a.mkv", 636, 360, "-pix_fmt gbrp -c:v ffv1"},
       }) {
    SCOPED_TRACE(c.name);
    const double shape = static_cast<double>(c.width) / c.height;
    const Product product = product_of(make(c.file, bars(c.width, c.height) + c.encoding));
    ASSERT_FALSE(product.assets.empty());
    std::vector<Colour> film;
    for (const Asset& asset : product.assets) {
      film = bars_in(out(asset.url), kByTags, shape);
      EXPECT_LE(difference(film, std::vector(kBars.begin(), kBars.end())), kTolerated) << asset.url;
    }
    for (const char* picture :
         {"poster.jpg", "poster-150x100.jpg", "poster-640x360.jpg", "storyboard.jpg"}) {
      if (!fs::exists(out(picture))) continue;
      EXPECT_LE(difference(bars_in(out(picture), kAsJfif, shape), film), kTolerated) << picture;
    }
  }
}

TEST_F(Transcoder, KeepsTheLastPictureUntilTheSoundEnds) {
  const Product product =
      product_of(make("long.mp4", scene("160x90", "25", "1") + "-f lavfi -i sine=duration=6 " +
                                      kQuick + "-c:a aac"));
  EXPECT_NEAR(product.duration.value_or(0), 6, 0.1);
  const auto playlist = read_media_playlist(content_of(out("240p/index.m3u8")));
  ASSERT_TRUE(playlist);
  EXPECT_EQ(playlist->segments.size(), 2U);
}

TEST_F(Transcoder, MakesAVariableFrameRateConstantAndAtMostSixty) {
  // 120 frames per second at first, then a frame every half second.
  const std::string file =
      make("vfr.mkv", scene("160x90", "120", "4") +
                          "-vf \"select='lt(t,1)+not(mod(n,60))'\" -vsync vfr " + kQuick);
  const Product product = product_of(file);
  EXPECT_EQ(product.assets.at(0).frame_rate.value(), 60);
  const std::string frames = output_of(
      "ffprobe -v error -count_packets -select_streams v -of csv=p=0 "
      "-show_entries stream=nb_read_packets " +
      out("video.mp4"));
  EXPECT_NEAR(std::stoi(frames), 60 * product.duration.value(), 2);
  EXPECT_NEAR(product.duration.value(), 3.75, 0.3);
}

TEST_F(Transcoder, OperationsU41ChoosesAPosterThatShowsSomething) {
  const auto film = [](const std::string& opening, const std::string& seconds) {
    return "-f lavfi -i " + opening + " " + scene("160x90", "25", seconds) +
           "-filter_complex [0][1]concat " + kQuick;
  };
  struct Case {
    std::string name, options;
  };
  for (const Case& c : {
           Case{"dark.mp4", film("color=black:s=160x90:d=1:r=25", "3")},
           Case{"long.mp4", film("color=black:s=160x90:d=16:r=25", "5")},
           Case{"short.mp4", film("color=black:s=160x90:d=1.4:r=25", "0.4")},
           Case{"title.mp4",
                film("color=black:s=160x90:d=16:r=25,drawbox=60:40:20:6:white:t=fill", "5")},
           Case{"white.mp4", film("color=white:s=160x90:d=16:r=25", "5")},
       }) {
    SCOPED_TRACE(c.name);
    product_of(make(c.name, c.options));
    EXPECT_GT(brightness_of_poster(), 60);
    EXPECT_LT(brightness_of_poster(), 200);
  }
  product_of(make("night.mp4", film("color=black:s=160x90:d=16:r=25", "0.04")));
  EXPECT_TRUE(fs::exists(out("poster.jpg"))) << "a dark film has a dark poster";
}

TEST_F(Transcoder, OperationsU11HasTheRateOfThePicturesIfSomeAreLost) {
  const std::string lost = "-vf \"select='mod(n,50)-7'\" -vsync vfr " + kQuick;
  for (const std::string rate : {"24", "25", "30000/1001", "50"}) {
    SCOPED_TRACE(rate);
    const double expected = rate == "30000/1001" ? 30000 / 1001.0 : std::stod(rate);
    EXPECT_DOUBLE_EQ(frame_rate_of(make("lost.mp4", scene("64x64", rate, "10") + lost)), expected);
    std::string mkv = content_of(make("whole.mkv", scene("64x64", rate, "10") + kQuick));
    const std::size_t duration = mkv.find("\x23\xe3\x83\x84");
    ASSERT_NE(duration, std::string::npos);
    mkv.replace(duration, 2, "\xec\x86");  // an element "Void" of the same length
    EXPECT_DOUBLE_EQ(frame_rate_of(write("without.mkv", mkv)), expected);
  }
}

TEST_F(Transcoder, OperationsU40LetterboxesPicturesWhoseShapeChanges) {
  const auto stream = [&](const std::string& name, const std::string& colour,
                          const std::string& size, const std::string& more) {
    return content_of(make(
        name, "-f lavfi -i color=" + colour + ":size=" + size + ":rate=25:duration=2 " + more));
  };
  const std::string h264 = kQuick + "-f h264";
  const std::string small = stream("a.h264", "red", "320x240", h264);
  const std::string wide = stream("b.h264", "lime", "640x360", h264);
  const std::string tall = stream("c.h264", "blue", "360x640", h264);
  write("all.h264", small + wide + tall);
  for (const std::string name : {"all.ts", "all.mp4", "all.mkv"}) {
    SCOPED_TRACE(name);
    const Product product = product_of(make(name, "-framerate 25 -i all.h264 -c copy"));
    EXPECT_EQ(product.native, (Dimensions{640, 360}));
    EXPECT_NEAR(product.duration.value_or(0), 6, 0.1);
    for (const std::string output : {"video.mp4", "360p/index.m3u8", "240p/index.m3u8"}) {
      EXPECT_EQ(across(output, "1"), "kkrrrrrrrrrrrrkk");
      EXPECT_EQ(across(output, "3"), "gggggggggggggggg");
      EXPECT_EQ(across(output, "5").substr(0, 5), "kkkkk");
      EXPECT_EQ(across(output, "5").substr(6, 4), "bbbb");
    }
  }

  // As a browser records a call.
  for (const std::string codec : {"libvpx", "libvpx-vp9"}) {
    SCOPED_TRACE(codec);
    const std::string fast = "-c:v " + codec + " -deadline realtime -cpu-used 8 -b:v 1M";
    stream("a.webm", "red", "320x240", fast);
    stream("b.webm", "lime", "640x360", fast);
    write("list", "file a.webm\nfile b.webm\n");
    const Product product = product_of(make("all.webm", "-f concat -i list -c copy"));
    EXPECT_EQ(product.native, (Dimensions{640, 360}));
    EXPECT_EQ(across("video.mp4", "1"), "kkrrrrrrrrrrrrkk");
    EXPECT_EQ(across("video.mp4", "3"), "gggggggggggggggg");
  }

  // A display matrix turns the canvas.
  make("turned.mp4", "-framerate 25 -i all.h264 -c copy");
  turn_by_90_degrees(path("turned.mp4"));
  EXPECT_EQ(product_of(path("turned.mp4")).native, (Dimensions{360, 640}));
  EXPECT_EQ(across("video.mp4", "1", "9:16"), "kkrrrrrrrrrrrrkk");
  EXPECT_EQ(across("video.mp4", "3", "9:16"), "gggggggggggggggg");

  // Television: the same size, other pixels; and another size, of fields.
  const std::string fields = "-c:v mpeg2video -b:v 2M -flags +ilme+ildct -f mpegts";
  write("ratio.ts", stream("d.ts", "red", "720x576", "-vf setsar=16/15 " + fields) +
                        stream("e.ts", "lime", "720x576", "-vf setsar=64/45 " + fields));
  EXPECT_EQ(product_of(path("ratio.ts")).native, (Dimensions{1024, 576}));
  EXPECT_EQ(across("video.mp4", "1"), "kkrrrrrrrrrrrrkk");
  EXPECT_EQ(across("video.mp4", "3"), "gggggggggggggggg");
  write("size.ts",
        stream("f.ts", "lime", "640x360", fields) + stream("g.ts", "red", "320x240", fields));
  EXPECT_EQ(product_of(path("size.ts")).native, (Dimensions{640, 360}));
  EXPECT_EQ(across("video.mp4", "1"), "gggggggggggggggg");
  EXPECT_EQ(across("video.mp4", "3"), "kkrrrrrrrrrrrrkk");
}

TEST_F(Transcoder, OperationsU10ChoosesTheSoundThatIsMadeForAll) {
  // The tone of 880 Hz comes first, and is the default where the format marks one.
  const std::string film =
      "-f lavfi -i color=red:size=160x88:rate=25:duration=2 -f lavfi -i "
      "sine=frequency=880:duration=2 -f lavfi -i sine=frequency=440:duration=2 ";
  const std::string codecs = kQuick + "-c:a aac ";
  const std::string both = film + "-map 0 -map 1 -map 2 " + codecs;
  struct Case {
    std::string name, options;
  };
  for (const Case& c : {
           Case{"comment.mkv", both + "-disposition:a:0 default+comment -disposition:a:1 0"},
           Case{"deaf.mkv", both + "-disposition:a:0 default+hearing_impaired -disposition:a:1 0"},
           Case{"blind.mkv", both + "-disposition:a:0 default+visual_impaired -disposition:a:1 0"},
           Case{"described.ts",
                both + "-metadata:s:a language=eng -disposition:a:0 visual_impaired"},
           Case{"programmes.ts",
                film + "-map 1 -map 0 -map 2 " + codecs +
                    "-program program_num=1:st=0 -program program_num=2:st=1:st=2"},
           Case{"alone.mkv", film + "-map 0 -map 2 " + codecs + "-disposition:a:0 comment"},
       }) {
    SCOPED_TRACE(c.name);
    product_of(make(c.name, c.options));
    EXPECT_EQ(heard("video.mp4"), "4444");
  }
}

TEST_F(Transcoder, OperationsU25ShowsEveryCharacterOfTheCaptions) {
  // What ffmpeg changes when it reads files of SubRip is put into the upload's bytes.
  const std::string shown = "A --> B <3 x < y\n\u00a0\nvector<int> AT&T &amp; co\nC:\\Nice";
  write("a.srt",
        "1\n00:00:00,200 --> 00:00:00,900\n"
        "A --> B <3 x < y\n#\nvector(int) <i>AT&T</i> &amp; co\nC:/Nice\n");
  write("a.ass",
        "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name\nStyle: Default\n\n"
        "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, "
        "Text\nDialogue: 0,0:00:00.20,0:00:00.90,Default,,0,0,0,,"
        "A --> B <3 x < y\\N\\Nvector<int>\\h{\\i1}AT&T{\\i0} &amp; co\n");
  write("a.vtt",
        "WEBVTT\n\n00:00:00.200 --> 00:00:00.900 line:10%\n"
        "<v Fred>A --&gt; B</v> &lt;3\n<i>AT&amp;T</i> &amp;amp;\n");
  const std::string picture = scene("160x90", "25", "1");
  const std::string matroska =
      make("a.mkv", picture + "-i a.srt -i a.ass -i a.vtt -map 0 -map 1 -map 2 -map 3 -c:s copy " +
                        "-metadata:s:s:0 language=ger -metadata:s:s:1 language=eng "
                        "-metadata:s:s:1 title='Full text' " +
                        kQuick);
  const std::string mp4 = make("a.mp4", picture + "-i a.srt -map 0 -map 1 -c:s mov_text " + kQuick);
  for (const std::string& file : {matroska, mp4}) {
    std::string content = content_of(file);
    for (const auto& [from, to] :
         {std::pair("\n#\n", "\n\r\n"), std::pair("(int)", "<int>"), std::pair("C:/N", "C:\\N")})
      content.replace(content.find(from), std::string_view(from).size(), to);
    std::ofstream(file, std::ios::binary) << content;
  }
  const auto cue_in = [&](const std::string& name) {
    const auto cues = fakes::shown_cues(content_of(out(name)));
    EXPECT_EQ(cues.size(), 1U) << name;
    return cues.empty() ? fakes::ShownCue{} : cues.front();
  };
  std::string tracks;
  for (const auto& track : product_of(matroska).captions)
    tracks += track.url + " " + track.language + " " + track.label + "\n";
  EXPECT_EQ(tracks,
            "captions-1.vtt de Deutsch\ncaptions-2.vtt en Full text\n"
            "captions-3.vtt und Captions\n");
  EXPECT_FALSE(fs::exists(out("captions")));
  EXPECT_EQ(cue_in("captions-1.vtt").text, shown);
  EXPECT_EQ(cue_in("captions-1.vtt").tags, "<i></i>");
  EXPECT_EQ(cue_in("captions-2.vtt").text,
            "A --> B <3 x < y\n\u00a0\nvector<int>\u00a0AT&T &amp; co");
  EXPECT_EQ(cue_in("captions-2.vtt").tags, "<i></i>");
  EXPECT_EQ(cue_in("captions-3.vtt").text, "A --> B <3\nAT&T &amp;");
  EXPECT_EQ(cue_in("captions-3.vtt").tags, "<v Fred></v><i></i>");
  EXPECT_TRUE(cue_in("captions-3.vtt").timing.ends_with(" line:10%"));

  ASSERT_EQ(product_of(mp4).captions.size(), 1U);
  EXPECT_EQ(cue_in("captions-1.vtt").text, shown);
  EXPECT_EQ(cue_in("captions-1.vtt").tags, "<i></i>");
}

TEST_F(Transcoder, OperationsU25KeepsThePurposeOfATrackAndThePlaceOfItsCues) {
  write("a.srt", "1\n00:00:00,200 --> 00:00:00,900\n{\\an8}At the top\n");
  write("a.ass",
        "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Alignment\n"
        "Style: Default,8\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, "
        "MarginV, Effect, Text\nDialogue: 0,0:00:00.20,0:00:00.90,Default,,0,0,0,,At the top\n");
  const std::string file = make(
      "a.mkv", scene("160x90", "25", "1") +
                   "-i a.srt -i a.ass -map 0 -map 1 -map 1 -map 1 -map 2 -c:s copy "
                   "-metadata:s:s language=eng -metadata:s:s:3 language=ger -disposition:s:0 0 "
                   "-disposition:s:1 forced -disposition:s:2 hearing_impaired "
                   "-disposition:s:3 default " +
                   kQuick);
  std::string tracks;
  for (const auto& track : product_of(file).captions) {
    tracks += track.label + (track.by_default ? ", default\n" : "\n");
    const auto cues = fakes::shown_cues(content_of(out(track.url)));
    ASSERT_EQ(cues.size(), 1U) << track.label;
    EXPECT_EQ(cues.front().text, "At the top") << track.label;
    EXPECT_TRUE(cues.front().timing.ends_with(" line:0")) << cues.front().timing;
  }
  EXPECT_EQ(tracks, "English\nEnglish (forced)\nEnglish (SDH)\nDeutsch, default\n");
}

TEST_F(Transcoder, OperationsU25LeavesOutCaptionsThatAreTooLarge) {
  std::string large;
  for (int i = 0; i < 90; ++i)
    large += std::to_string(i + 1) + "\n00:00:00," + std::to_string(i + 100) +
             " --> 00:00:00,900\n" + std::string(100'000, '&') + "\n\n";
  write("large.srt", large);
  write("small.srt", "1\n00:00:00,200 --> 00:00:00,900\nshown\n");
  const Product product = product_of(
      make("a.mkv", scene("160x90", "25", "1") + "-i large.srt -i small.srt -map 0 -map 1 -map 2 " +
                        "-c:s copy " + kQuick));
  ASSERT_EQ(product.captions.size(), 1U);
  EXPECT_EQ(product.captions[0].url, "captions-2.vtt");
}

TEST_F(Transcoder, KeepsSoundAsItIsEvenWithACoverAndMakesOneFileOfIt) {
  make("cover.png", scene("64x64", "1", "1") + "-frames:v 1");
  for (const char* name : {"sound.mp3", "sound.flac", "sound.m4a", "sound.wav", "sound.ogg"}) {
    SCOPED_TRACE(name);
    const std::string ending = std::string(name).substr(6);
    const bool covered = ending == "mp3" || ending == "flac";
    const std::string file =
        make(name, "-f lavfi -i sine=duration=2 " +
                       std::string(covered ? "-i cover.png -map 0 -map 1 -c:v copy "
                                             "-disposition:v attached_pic "
                                           : ""));
    const Product product = product_of(file);
    EXPECT_EQ(product.type, "Audio");
    EXPECT_NEAR(product.duration.value_or(0), 2, 0.1);
    EXPECT_EQ(product.original, "original." + ending);
    EXPECT_EQ(content_of(out(product.original)), content_of(file));
    ASSERT_EQ(product.assets.size(), 1U);
    const media::Asset& sound = product.assets.front();
    EXPECT_EQ(sound.type, media::AssetType::Mp4);
    EXPECT_EQ(sound.url, "sound.m4a");
    EXPECT_EQ(sound.codecs, "mp4a.40.2");
    EXPECT_FALSE(sound.size);
    EXPECT_NEAR(static_cast<double>(heard(sound.url).size()), 4, 1) << "half seconds with sound";
  }
}

TEST_F(Transcoder, OperationsU42TakesTheChaptersAndTheCoverOfAFile) {
  write("chapters.txt",
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=Begin \xc3\xbc\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=1800\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1800\nEND=4000\ntitle=End\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=60000\nEND=70000\ntitle=Never\n");
  make("cover.png", "-f lavfi -i color=red:size=300x200:duration=1 -frames:v 1");
  const std::string marked = "-i chapters.txt -map_metadata 2 -map_chapters 2 -map 0 -map 1 ";
  const std::vector<media::Chapter> expected{{0, "Begin ü"}, {1800, "End"}};
  for (const std::string name : {"film.mp4", "film.mkv"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(
        product_of(make(name, plain("red", 440, "4") + marked + kQuick + "-c:a aac")).chapters,
        expected);
  }
  const Product sound = product_of(
      make("sound.mp3", kSound + "-i cover.png -i chapters.txt -map_metadata 2 -map_chapters 2 "
                                 "-map 0 -map 1 -c:v copy -disposition:v attached_pic -t 4"));
  ASSERT_FALSE(sound.chapters.empty());
  EXPECT_EQ(sound.chapters.front(), expected.front());
  EXPECT_EQ(sound.chapters.back().title, "End");
  EXPECT_NEAR(static_cast<double>(sound.chapters.back().at), 1800, 30) << "the encoder's delay";
  ASSERT_TRUE(sound.thumbnail);
  EXPECT_EQ(sound.thumbnail->url, "poster.jpg");
  EXPECT_EQ(sound.thumbnail->size, (Dimensions{300, 200}));
  EXPECT_EQ(across("poster.jpg", "0"), "rrrrrrrrrrrrrrrr");
  EXPECT_FALSE(product_of(make("plain.mp3", kSound + "-t 1")).thumbnail);
}

TEST_F(Transcoder, KeepsImagesAndPdfs) {
  const std::string image = make("a.png", scene("64x32", "1", "1") + "-frames:v 1");
  const Product product = product_of(image);
  EXPECT_EQ(product.type, "Image");
  EXPECT_EQ(product.native, (Dimensions{64, 32}));
  EXPECT_EQ(content_of(out("original.png")), content_of(image));

  EXPECT_EQ(product_of(write("a.pdf", "%PDF-1.7\nwords\n%%EOF\n")).type, "PdfDocument");
  EXPECT_EQ(content_of(out("original.pdf")), "%PDF-1.7\nwords\n%%EOF\n");
  EXPECT_FALSE(fs::exists(out("original.png")));  // made by the previous run
}

TEST_F(Transcoder, OperationsU26TurnsImagesAndRemovesTheirMetadata) {
  const std::string secret = "N 48 12.5";
  const auto exif = [&](char orientation) {
    return "MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0"s + orientation + "\0\0\0\0\0\0"s + secret;
  };
  // Corners: red, green, blue and white, in the order of reading.
  const std::string source =
      "-f lavfi -i 'color=red:s=32x16[a];color=lime:s=32x16[b];color=blue:s=32x16[c];"
      "color=white:s=32x16[d];[a][b]hstack[e];[c][d]hstack[f];[e][f]vstack,format=rgb24' "
      "-frames:v 1 ";
  const std::string profile = "\xff\xe2\0\27ICC_PROFILE\0\1\1profile"s;
  struct Case {
    std::string ending;
    char orientation;
    std::string corners;  // as shown
  };
  for (const Case& c : {
           Case{"jpg", 1, "rgbw"},
           Case{"jpg", 2, "grwb"},
           Case{"jpg", 3, "wbgr"},
           Case{"jpg", 4, "bwrg"},
           Case{"jpg", 5, "rbgw"},
           Case{"jpg", 6, "brwg"},
           Case{"jpg", 7, "wgbr"},
           Case{"jpg", 8, "gwrb"},
           Case{"png", 6, "brwg"},
           Case{"webp", 8, "gwrb"},
       }) {
    SCOPED_TRACE(c.ending + " " + std::to_string(c.orientation));
    std::string image = content_of(make("a." + c.ending, source + "-q:v 2"));
    const std::string data = exif(c.orientation);
    const char size = static_cast<char>(data.size());
    if (c.ending == "jpg") {
      image.insert(2, "\xff\xe1\0"s + static_cast<char>(size + 8) + "Exif\0\0"s + data + profile);
    } else if (c.ending == "png") {
      image.insert(33, "\0\0\0"s + size + "eXIf" + data + "\0\0\0\0"s);
    } else {
      image += "EXIF"s + size + "\0\0\0"s + data + (size % 2 ? "\0"s : ""s);
    }
    const Product product = product_of(write("b." + c.ending, image));
    const bool upright = c.orientation < 5;
    EXPECT_EQ(product.native, (upright ? Dimensions{64, 32} : Dimensions{32, 64}));
    EXPECT_EQ(product.thumbnail.value().size, product.native);
    EXPECT_EQ(content_of(out(product.original)).find(secret), std::string::npos);
    EXPECT_EQ(content_of(out(product.original)).find(profile) != std::string::npos,
              c.ending == "jpg");
    EXPECT_EQ(std::distance(fs::directory_iterator(path("out")), fs::directory_iterator()), 1);
    const std::string raw = output_of("ffmpeg -nostdin -v error -noautorotate -i " +
                                      out(product.original) + " -f rawvideo -pix_fmt rgb24 -");
    ASSERT_EQ(raw.size(), 64U * 32 * 3);
    const std::size_t width = upright ? 64 : 32;
    const std::size_t height = 64 * 32 / width;
    std::string corners;
    for (const std::size_t y : {height / 4, height * 3 / 4}) {
      for (const std::size_t x : {width / 4, width * 3 / 4}) {
        const auto bright = [&](std::size_t channel) {
          return static_cast<unsigned char>(raw[(y * width + x) * 3 + channel]) > 128;
        };
        corners += bright(0) && bright(1) ? 'w' : bright(0) ? 'r' : bright(1) ? 'g' : 'b';
      }
    }
    EXPECT_EQ(corners, c.corners);
  }
}

TEST_F(Transcoder, OperationsU26MetadataOfAnyLengthMayPrecedeThePicture) {
  std::string image = content_of(make("a.jpg", scene("64x32", "1", "1") + "-frames:v 1"));
  for (int i = 0; i < 20; ++i) image.insert(2, "\xff\xed\xff\xff"s + std::string(0xfffd, 'x'));
  const Product product = product_of(write("b.jpg", image));
  EXPECT_EQ(product.native, (Dimensions{64, 32}));
  EXPECT_LT(fs::file_size(out(product.original)), 100'000U);
}

TEST_F(Transcoder, OperationsU26RefusesAnImageThatIsTooLarge) {
  std::string image = content_of(make("a.png", scene("64x32", "1", "1") + "-frames:v 1"));
  const std::string file = write("a.png", image);
  fs::resize_file(file, (64 << 20) + 1);
  EXPECT_EQ(refusal_of(file), "The image is larger than 64 MiB.");
}

TEST_F(Transcoder, ReadsOnlyItsSliceOfAMultipartBody) {
  const std::string clip =
      content_of(make("a.mp4", scene("160x90", "25", "1") + kQuick));  // moov at its end
  const std::string head = "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n";
  const std::string tail = "\r\n--b--\r\n#EXTM3U";
  const std::string body = write("a body: with, odd=name", head + clip + tail);
  const auto result =
      transcode({body, head.size(), clip.size(), "a.mp4"}, path("out"), limits_, go_on);
  ASSERT_TRUE(result) << result.error().reason << result.error().detail;
  EXPECT_EQ(result->native, (Dimensions{160, 90}));

  const std::string sound = content_of(make("a.wav", "-f lavfi -i sine=duration=1"));
  const std::string other = write("body", head + sound + tail);
  const auto kept = transcode({other, head.size(), sound.size(), ""}, path("out"), limits_, go_on);
  ASSERT_TRUE(kept) << kept.error().reason;
  EXPECT_EQ(content_of(out("original.wav")), sound);
}

// Types of streams in the table of programmes, as HLS has them with SAMPLE-AES. The table ends with
// a CRC (ISO/IEC 13818-1, annex A).
std::string with_stream_types(std::string ts, char pictures, char sound) {
  for (std::size_t at = 0; at + 188 <= ts.size(); at += 188) {
    if (ts.compare(at, 3, "\x47\x50\0"s) != 0) continue;
    const std::size_t begin = at + 5;
    const std::size_t end = begin + 3 + static_cast<unsigned char>(ts[begin + 2]) - 4;
    std::size_t entry = begin + 12;
    for (const char type : {pictures, sound}) {
      ts[entry] = type;
      entry += 5 + static_cast<unsigned char>(ts[entry + 4]);
    }
    std::uint32_t crc = 0xffffffff;
    for (std::size_t i = begin; i < end; ++i) {
      crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(ts[i])) << 24;
      for (int bit = 0; bit < 8; ++bit)
        crc = (crc & 0x80000000) != 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
    }
    for (int i = 0; i < 4; ++i)
      ts[end + static_cast<std::size_t>(i)] = static_cast<char>(crc >> (24 - 8 * i));
  }
  return ts;
}

TEST_F(Transcoder, OperationsU38RefusesEncryptedFiles) {
  const std::string encrypted = "The file is encrypted. Upload a copy without copy protection.";
  const std::string key = "00112233445566778899aabbccddeeff";
  const std::string lock =
      "-encryption_scheme cenc-aes-ctr -encryption_key " + key + " -encryption_kid " + key;
  const std::string film = plain("red", 440, "2") + kQuick + "-c:a aac ";
  EXPECT_EQ(refusal_of(make("film.mp4", film + lock)), encrypted);
  EXPECT_EQ(refusal_of(make("fragments.mp4", film + "-movflags frag_keyframe+empty_moov " + lock)),
            encrypted);
  EXPECT_EQ(refusal_of(make("sound.m4a", kSound + "-t 2 -c:a aac " + lock)), encrypted);
  const std::string ts = content_of(make("film.ts", film));
  EXPECT_EQ(refusal_of(write("sample.ts", with_stream_types(ts, '\xdb', '\xcf'))), encrypted);
  product_of(write("clear.ts", with_stream_types(ts, '\x1b', '\x0f')));
  EXPECT_EQ(seen("video.mp4"), "rrrr");
}

TEST_F(Transcoder, OperationsU10RefusesASoundOfWhichNothingDecodes) {
  const std::string damaged = "The file is damaged: no sound could be decoded.";
  std::string noise = content_of(make("sound.m4a", kSound + "-t 2 -c:a aac -movflags +faststart"));
  for (std::size_t at = noise.find("mdat") + 4; at < noise.size(); ++at)
    noise[at] = static_cast<char>(at * 2654435761U >> 13);
  EXPECT_EQ(refusal_of(write("noise.m4a", noise)), damaged);
  EXPECT_EQ(
      refusal_of(write("nothing.wav", content_of(make("a.wav", kSound + "-t 1")).substr(0, 78))),
      damaged);
}

TEST_F(Transcoder, OperationsU39NamesTheKindOfAnImageThatIsNotTaken) {
  const auto brands = [](const std::string& major, const std::string& others) {
    return "\0\0\0"s + static_cast<char>(16 + others.size()) + "ftyp" + major + "\0\0\0\0"s +
           others;
  };
  const std::string scheme = scene("64x64", "1", "1") + "-frames:v 1";
  struct Case {
    std::string kind, file;
  };
  for (const Case& c : {
           Case{"BMP", make("a.bmp", scheme)},
           Case{"TIFF or raw", make("a.tiff", scheme)},
           Case{"HEIC", write("a.heic", brands("heic", "mif1heic"))},
           Case{"HEIC", write("b.heic", brands("mif1", "mif1heic"))},
           Case{"AVIF", write("a.avif", brands("avif", "avifmif1miaf"))},
           Case{"CR3", write("a.cr3", brands("crx ", "crx isom"))},
           Case{"JPEG XL", write("a.jxl", "\xff\x0a" + std::string(100, '\3'))},
           Case{"JPEG XL", write("b.jxl", "\0\0\0\x0cJXL \r\n\x87\n"s + brands("jxl ", "jxl "))},
           Case{"JPEG 2000", write("a.jp2", "\0\0\0\x0cjP  \r\n\x87\n"s + brands("jp2 ", "jp2 "))},
           Case{"Photoshop", write("a.psd", "8BPS\0\1"s + std::string(100, '\3'))},
       }) {
    SCOPED_TRACE(c.kind);
    EXPECT_EQ(refusal_of(c.file), "The file is an image of the kind " + c.kind +
                                      ". Images may be PNG, JPEG, GIF or WebP.");
  }
}

TEST_F(Transcoder, OperationsU2RefusesOtherFiles) {
  struct Case {
    std::string name, text, reason;
  };
  const std::string zeros(100000, '\0');
  std::string noise;
  for (unsigned i = 0, x = 1; i < 300000; ++i) {
    x = x * 1664525 + 1013904223;
    noise += static_cast<char>(x >> 24);
  }
  for (const Case& c : {
           Case{"nothing", "", "The file is empty."},
           Case{"text", "Dear diary, this is a film.\n", kText},
           Case{"SVG", "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
                "The file is an image of the kind SVG. Images may be PNG, JPEG, GIF or WebP."},
           Case{"HLS", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n", kText},
           Case{"a script of concat", "ffconcat version 1.0\nfile /etc/passwd\n", kText},
           Case{"HLS that does not look like text",
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#\x01\n#EXTINF:1,\nfile:///etc/passwd\n",
                kNoMedia},
           Case{"concat that does not look like text",
                "ffconcat version 1.0\n#\x01\nfile /etc/passwd\n", kNoMedia},
           Case{"zeros", zeros, kNoMedia},
           Case{"noise", noise, kNoMedia},
           Case{"an archive", "PK\x03\x04words",
                "Archives and office documents cannot be embedded."},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(refusal_of(write("upload.mp4", c.text)), c.reason);
  }
}

TEST_F(Transcoder, RefusesIncompleteFiles) {
  const std::string late = make("late.mp4", scene("320x180", "25", "8") + kQuick);
  fs::resize_file(late, fs::file_size(late) / 2);
  EXPECT_EQ(refusal_of(late), "The file is incomplete: its index is missing.");

  const std::string early =
      make("early.mp4", scene("320x180", "25", "8") + kQuick + "-movflags +faststart");
  fs::resize_file(early, fs::file_size(early) / 2);
  EXPECT_TRUE(refusal_of(early).starts_with("The file is incomplete: it has "));

  for (const char* name : {"early.mkv", "early.flv"}) {
    SCOPED_TRACE(name);
    const std::string other = make(name, scene("320x180", "25", "8") + kQuick);
    fs::resize_file(other, fs::file_size(other) / 2);
    EXPECT_TRUE(refusal_of(other).starts_with("The file is incomplete: it has "));
  }

  const std::string unread =
      make("head.mp4", scene("320x180", "25", "8") + kQuick + "-movflags +faststart");
  fs::resize_file(unread, content_of(unread).find("mdat") + 4);
  EXPECT_NE(refusal_of(unread), "accepted");
}

TEST_F(Transcoder, OperationsU11MakesAFilmOfTheFragmentsThatAreWhole) {
  const std::string file = make("cut.mp4", plain("red", 440, "8") + kQuick +
                                               "-c:a aac -g 25 -movflags frag_keyframe+empty_moov");
  const std::string whole = content_of(file);
  std::size_t last = 0;
  for (std::size_t i = 0; i < 6; ++i) last = whole.find("moof", last + 1);
  for (const std::size_t bytes : {std::size_t{2}, std::size_t{20}, std::size_t{400}}) {
    SCOPED_TRACE(bytes);
    const Product product = product_of(write("cut.mp4", whole.substr(0, last + bytes)));
    EXPECT_NEAR(product.duration.value_or(0), 5, 0.2);
    EXPECT_EQ(seen("video.mp4"), "rrrrrrrrrr");
  }
}

TEST_F(Transcoder, OperationsU24RefusesColoursThatOnlyDolbyVisionKnows) {
  const std::string file = make("film.mp4", plain("red", 440, "2") + "-c:a aac " + kQuick);
  // ETSI TS 103 572: the box with the profile, and the number of the base layer's compatibility.
  const auto with_profile = [&](char profile, char compatibility) {
    std::string content = content_of(file);
    const std::string box = "\0\0\0\x20"s + "dvcC\1\0"s + static_cast<char>(profile << 1) + '\x15' +
                            static_cast<char>(compatibility << 4) + std::string(19, 0);
    std::size_t at = 0;
    for (const char* type : {"moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"}) {
      at = content.find(type, at);
      const auto size = [&](std::size_t byte) {
        return static_cast<unsigned char>(content[at - 4 + byte]);
      };
      const std::uint32_t more = (size(0) << 24 | size(1) << 16 | size(2) << 8 | size(3)) + 32U;
      for (std::size_t i = 0; i < 4; ++i)
        content[at - 4 + i] = static_cast<char>(more >> (24 - 8 * i));
      if (std::string(type) == "avc1") content.insert(at - 4 + more - 32, box);
    }
    return write("dolby.mp4", content);
  };
  EXPECT_EQ(
      refusal_of(with_profile(5, 0)),
      "The video has the colours of Dolby Vision only (profile 5). Upload a copy in HDR10, HLG "
      "or SDR.");
  product_of(with_profile(8, 1));
  EXPECT_EQ(seen("video.mp4"), "rrrr");
}

TEST_F(Transcoder, OperationsU2RefusesHostileNumbers) {
  // Sizes in the track and in the sample entry of a real file.
  std::string clip = content_of(make("a.mp4", scene("320x180", "25", "1") + kQuick));
  const auto replace_all = [](std::string text, const std::string& from, const std::string& to) {
    std::size_t at = 0;
    while ((at = text.find(from, at)) != std::string::npos) text.replace(at, from.size(), to);
    return text;
  };
  limits_.max_width = 300;
  EXPECT_EQ(refusal_of(path("a.mp4")), "The picture is larger than 300 × 8192 pixels.");
  limits_.max_width = 8192;
  limits_.max_duration = 0.5;
  EXPECT_EQ(refusal_of(path("a.mp4")), "The file is longer than 0 minutes.");
  limits_.max_duration = 60;

  // ISO/IEC 14496-12 §8.2.2: 1000 units per second, so this duration is 49 days.
  const std::string unit({0, 0, 3, static_cast<char>(0xe8)});
  const std::string header = unit + std::string({0, 0, 3, static_cast<char>(0xe8)});
  ASSERT_NE(clip.find(header), std::string::npos);
  const std::string long_header = unit + std::string(4, static_cast<char>(0xfe));
  write("long.mp4", replace_all(clip, header, long_header));
  EXPECT_NEAR(product_of(path("long.mp4")).duration.value_or(0), 1, 0.1);
}

TEST_F(Transcoder, LeavesNoProcessWhenItIsCancelled) {
  const std::string file = make("a.mkv", scene("1280x720", "30", "20") + kQuick);
  limits_.preset = "veryslow";
  int calls = 0;
  const auto begun = std::chrono::steady_clock::now();
  const auto result = transcoded(file, [&](double) { return ++calls < 4; });
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.error().final);
  EXPECT_EQ(result.error().reason, "Processing was cancelled.");
  EXPECT_TRUE(fs::is_empty(path("out")));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);

  calls = 0;
  EXPECT_THROW(static_cast<void>(transcoded(file,
                                            [&](double) -> bool {
                                              if (++calls == 3) throw std::runtime_error("report");
                                              return true;
                                            })),
               std::runtime_error);
  EXPECT_FALSE(has_child());
}

TEST_F(Transcoder, OperationsU2EndsAfterItsTime) {
  const std::string file = make("a.mkv", scene("1280x720", "30", "20") + kQuick);
  limits_.preset = "veryslow";
  limits_.encode_time =
      8s;  // the steps before the encoding need a tenth of a second of a processor
  EXPECT_EQ(refusal_of(file), "Processing the file takes too long.");
}

TEST_F(Transcoder, OperationsU12EndsAllStepsOfAJobAfterItsTime) {
  const std::string file = make("a.mkv", plain("red", 440, "1") + kQuick);
  // A later step sleeps for less than the whole time, but for more than the first, which sleeps and
  // encodes, leaves. The first has eighteen seconds for that: its machine may be busy.
  const std::string mark = path("out/mark");  // where a step may write
  limits_.ffmpeg =
      write("slow", "#!/usr/bin/perl\nsleep(-e '" + mark + "' ? 19 : 2);\nopen(my $mark, '>', '" +
                        mark + "');\nexec '/usr/bin/ffmpeg', @ARGV;\n");
  fs::permissions(limits_.ffmpeg, fs::perms::owner_all);
  limits_.encode_time = 20s;
  const auto result = transcoded(file);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, "The machine was too busy to process the file.");
}

TEST_F(Transcoder, RefusesFilesThatNeedTooMuchMemory) {
  // Enough for the threads of ffmpeg 7, which are the machine's fault if they cannot be started,
  // but not for the pictures that the encoders look ahead.
  const std::string file = make("a.mkv", scene("1920x1080", "30", "3") + kQuick);
  limits_.memory = 1300ull << 20;
  limits_.threads = 1;
  limits_.preset = "veryslow";
  EXPECT_EQ(refusal_of(file), "The file needs more memory than is allowed.");
}

TEST_F(Transcoder, BlamesTheMachineForAMissingProgramOrUpload) {
  const std::string file = make("a.mkv", scene("160x90", "25", "1") + kQuick);
  limits_.ffmpeg = "/nowhere/ffmpeg";
  const auto result = transcoded(file);
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.error().final);
  EXPECT_EQ(result.error().detail, "cannot start: exec");

  const auto missing = transcode({path("none"), 0, 1, ""}, path("out"), limits_, go_on);
  ASSERT_FALSE(missing);
  EXPECT_FALSE(missing.error().final);
}

}  // namespace
}  // namespace svc::ingest
