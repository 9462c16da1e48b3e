// svc-listed-decoders.so: preloaded by ffprobe and ffmpeg when they read an upload. It hides every
// decoder that is not on the list in the environment variable SVC_DECODERS (names with commas
// between them), so that a stream of such a codec is one that ffmpeg cannot decode.
//
// Their option -codec_whitelist alone is not enough: ffprobe opens a decoder for each stream, and
// ends if one is refused, also if the stream is not needed.

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace {

// The first member of libavcodec's struct, in all its versions.
struct Codec {
  const char* name;
};

bool is_listed(std::string_view name) {
  const char* const listed = std::getenv("SVC_DECODERS");
  std::string_view rest = listed == nullptr ? "" : listed;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (one == name) return true;
    rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : rest.size());
  }
  return false;
}

}  // namespace

// Takes the place of libavcodec's function of this name. `id` is an enumerator of AVCodecID.
extern "C" __attribute__((visibility("default"))) const Codec* avcodec_find_decoder(int id) {
  using Find = const Codec* (*)(int);
  static const auto find = reinterpret_cast<Find>(dlsym(RTLD_NEXT, "avcodec_find_decoder"));
  const Codec* const found = find == nullptr ? nullptr : find(id);
  return found != nullptr && is_listed(found->name) ? found : nullptr;
}
