// Limits: the largest cost of one upload, and the largest source.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace svc::ingest {

struct Limits {
  // Wall clock of a child process. Its processor time is at most this times the
  // number of processors.
  std::chrono::seconds probe_time{30};
  std::chrono::seconds encode_time{6 * 3600};  // the sum over all children of a job
  std::chrono::seconds captions_time{120};
  std::uint64_t memory = 3ull << 30;      // bytes of address space of a child (RLIMIT_AS)
  std::uint64_t file_size = 32ull << 30;  // bytes of one output file (RLIMIT_FSIZE)
  int open_files = 256;                   // per child (RLIMIT_NOFILE)
  int threads = 0;  // per decoder and encoder; 0: one per processor, at most 4

  // Limits of a source. Pixels are those on the screen, after rotation.
  int max_width = 8192;
  int max_height = 8192;
  double max_duration = 12 * 3600;  // seconds
  int max_streams = 100;

  std::string preset = "veryfast";  // of x264
  std::string ffmpeg = "/usr/bin/ffmpeg";
  std::string ffprobe = "/usr/bin/ffprobe";
};

}  // namespace svc::ingest
