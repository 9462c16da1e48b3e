#include "ctl/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "ctl/terminal.h"

namespace svc::ctl {

ProgressBar::ProgressBar(std::string label, std::uint64_t total)
    : label_(std::move(label)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      started_(Clock::now()),
      drawn_(started_) {}

// Erases the bar, so that the next output starts on an empty line.
ProgressBar::~ProgressBar() {
  if (terminal_ && drawn_ != started_) write_sequences(STDERR_FILENO, "\r\033[K");
}

void ProgressBar::update(std::uint64_t done, std::uint64_t records) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw(done, records);
}

void ProgressBar::draw(std::uint64_t done, std::uint64_t records) {
  constexpr int kWidth = 30;
  const double part =
      total_ == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const int filled = static_cast<int>(part * kWidth);
  const double seconds = std::chrono::duration<double>(drawn_ - started_).count();
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(kWidth - filled), '.');
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "\r\033[K%-9s [%s] %3.0f %%  %llu records, %.0f/s",
                label_.c_str(), bar.c_str(), part * 100, static_cast<unsigned long long>(records),
                seconds > 0 ? static_cast<double>(records) / seconds : 0);
  write_sequences(STDERR_FILENO, text.data());
}

}  // namespace svc::ctl
