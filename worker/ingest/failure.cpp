#include "ingest/failure.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace svc::ingest {
namespace {

bool mentions_any(std::string_view errors, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(
      texts, [&](std::string_view text) { return errors.find(text) != std::string_view::npos; });
}

Failure of_file(const Outcome& outcome, std::string reason) {
  return {true, std::move(reason), outcome.errors};
}

Failure of_machine(const Outcome& outcome, std::string reason) {
  return {false, std::move(reason), outcome.errors};
}

Failure of_exit(const Outcome& outcome) {
  const std::string_view errors = outcome.errors;
  if (mentions_any(errors, {"No space left on device", "Disk quota exceeded"}))
    return of_machine(outcome, "The disk is full.");
  // Not "Input/output error": ffmpeg prints it for incomplete files, too.
  if (mentions_any(errors, {"Read-only file system", "Permission denied",
                            "Resource temporarily unavailable", "Too many open files",
                            "error while loading shared libraries", "Unrecognized option"}))
    return of_machine(outcome, "The machine could not process the file.");
  // Our sizes and rates are valid, so an encoder that does not open lacks memory.
  if (mentions_any(errors, {"Cannot allocate memory", "malloc of size", "out of memory",
                            "get_buffer() failed", "Error while opening encoder"}))
    return of_file(outcome, "The file needs more memory than is allowed.");
  if (mentions_any(errors, {"moov atom not found"}))
    return of_file(outcome, "The file is incomplete: its index is missing.");
  if (mentions_any(errors, {"exceeds max_streams"}))
    return of_file(outcome, "The file has too many streams.");
  return of_file(outcome, "The file is damaged or of a kind that is not supported.");
}

}  // namespace

Failure failure_of(const Outcome& outcome) {
  switch (outcome.end) {
    case End::Exited: return of_exit(outcome);
    case End::TimedOut: return of_file(outcome, "Processing the file takes too long.");
    case End::Starved: return of_machine(outcome, "The machine was too busy to process the file.");
    case End::Cancelled: return of_machine(outcome, "Processing was cancelled.");
    case End::NotStarted: return of_machine(outcome, "The machine could not process the file.");
    case End::Signalled: break;
  }
  switch (outcome.status) {
    case SIGXCPU: return of_file(outcome, "Processing the file takes too long.");
    case SIGXFSZ: return of_file(outcome, "The result would be too large.");
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT: return of_file(outcome, "The file is damaged: its decoder failed.");
    default: return of_machine(outcome, "Processing was interrupted.");
  }
}

}  // namespace svc::ingest
