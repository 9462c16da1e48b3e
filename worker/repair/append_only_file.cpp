#include "repair/append_only_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/number.h"
#include "base/unique_fd.h"

namespace svc::repair {
namespace {

// Done: a whole command was read. End: the file ends within it. Wrong: it
// contains an error.
enum class Read { Done, End, Wrong };

constexpr std::string_view kNewline = "\r\n";
constexpr std::size_t kMostDigits = 10;

class Reader {
 public:
  explicit Reader(std::string_view content) : content_(content) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == content_.size(); }
  const std::string& reason() const { return reason_; }

  struct Command {
    std::string_view name;
    std::size_t words = 0;
  };

  // Reads a command in Redis' protocol, or the line of an annotation, which contains
  // no command.
  Read command(Command& command) {
    command = {};
    if (content_[at_] == '#') return annotation();
    if (const Read read = number('*', command.words); read != Read::Done) return read;
    if (command.words == 0) return wrong("a command without words");
    for (std::size_t i = 0; i < command.words; ++i) {
      std::string_view word;
      if (const Read read = this->word(word); read != Read::Done) return read;
      if (i == 0) command.name = word;
    }
    return Read::Done;
  }

 private:
  Read wrong(std::string why) {
    reason_ = std::move(why);
    return Read::Wrong;
  }

  Read newline() {
    for (const char expected : kNewline) {
      if (at_end()) return Read::End;
      if (content_[at_] != expected) return wrong("a line without its end");
      ++at_;
    }
    return Read::Done;
  }

  Read number(char prefix, std::size_t& number) {
    if (at_end()) return Read::End;
    if (content_[at_] != prefix) return wrong(std::string("'") + prefix + "' is missing");
    const std::string_view digits = content_.substr(++at_, kMostDigits);
    if (digits.empty()) return Read::End;
    std::string_view rest = digits;
    const auto taken = base::take_number<std::size_t>(rest);
    if (!taken) return wrong("a number is missing");
    number = *taken;
    at_ += digits.size() - rest.size();
    return newline();
  }

  // A word that was cut off contains no \r\n, because no value of ours does. So
  // if there is one in the rest of the file, the length is wrong, and commands
  // follow.
  Read word(std::string_view& word) {
    std::size_t length = 0;
    if (const Read read = number('$', length); read != Read::Done) return read;
    word = content_.substr(at_, length);
    const std::size_t begin = at_;
    at_ += word.size();
    const Read read = word.size() < length ? Read::End : newline();
    if (read == Read::End && word.find(kNewline) != std::string_view::npos) {
      at_ = begin;
      return wrong("a length beyond the end of the file");
    }
    return read;
  }

  Read annotation() {
    const std::size_t end = content_.find(kNewline, at_);
    if (end == std::string_view::npos) return Read::End;
    at_ = end + kNewline.size();
    return Read::Done;
  }

  std::string_view content_;
  std::size_t at_ = 0;
  std::string reason_;
};

std::string reason_of(int error) { return std::strerror(error); }

// Returns the last file of commands in Redis' manifest, whose lines are "file
// NAME seq NUMBER type i". Empty if there is none, or if it has an unexpected
// name.
std::string last_in(std::istream& manifest) {
  std::string last;
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream words(line);
    std::string key, name, seq, number, type, kind;
    words >> key >> name >> seq >> number >> type >> kind;
    if (key == "file" && type == "type" && kind == "i" && name.find('/') == std::string::npos)
      last = name;
  }
  return last;
}

// Returns an append-only file in that folder that contains data, or an empty
// path. An empty data set takes about 90 bytes.
std::string file_with_data(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kNoData = 128;  // bytes
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const bool commands = name.ends_with(".incr.aof");
    if (!name.starts_with("appendonly.aof.") || name.ends_with(".manifest")) continue;
    const std::uintmax_t size = entry.file_size(error);
    if (!error && size > (commands ? 0 : kNoData)) return entry.path();
  }
  return "";
}

// Maps the whole file into memory.
class Mapped {
 public:
  Mapped(int file, std::size_t size)
      : size_(size),
        start_(size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0)) {
    if (start_ != nullptr && start_ != MAP_FAILED) madvise(start_, size_, MADV_SEQUENTIAL);
  }
  ~Mapped() {
    if (start_ != nullptr && start_ != MAP_FAILED) munmap(start_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  bool failed() const { return start_ == MAP_FAILED; }
  std::string_view content() const {
    return size_ == 0 ? std::string_view() : std::string_view(static_cast<char*>(start_), size_);
  }

 private:
  std::size_t size_;
  void* start_;
};

// Writes the whole content, or deletes the file and returns the reason.
std::string keep(const std::string& path, std::string_view content) {
  const base::UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return reason_of(errno);
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0) {
      std::string why = reason_of(errno);
      ::unlink(path.c_str());
      return why;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return "";
}

}  // namespace

Check check(std::string_view content) {
  Reader reader(content);
  std::size_t whole = 0;  // after the last complete command or transaction
  bool in_transaction = false;
  // An unfinished transaction may only be removed if nothing else follows its
  // commands. A command that does not belong to a transaction of ours shows
  // that: a command of one word, or the SELECT that Redis writes before the
  // first command after its start.
  bool holds_more = false;
  const auto corrupt = [](std::size_t at, std::string why) {
    return Check{Check::State::Corrupt, at, std::move(why)};
  };
  while (!reader.at_end()) {
    const std::size_t begin = reader.at();
    Reader::Command command;
    const Read read = reader.command(command);
    // After a power failure, some file systems have zeros in place of the last
    // write.
    if (read == Read::Wrong && !reader.at_end() &&
        content.find_first_not_of('\0', reader.at()) == std::string_view::npos) {
      break;
    }
    if (read == Read::Wrong) return corrupt(reader.at(), reader.reason());
    if (read == Read::End) break;
    if (command.words == 1 && command.name == "MULTI") {
      if (in_transaction) return corrupt(begin, "a transaction inside another");
      in_transaction = true;
      holds_more = false;
      continue;
    }
    if (command.words == 1 && command.name == "EXEC") {
      if (!in_transaction) return corrupt(begin, "EXEC without MULTI");
      in_transaction = false;
    } else if (in_transaction && (command.words == 1 || command.name == "SELECT")) {
      holds_more = true;
    }
    if (!in_transaction) whole = reader.at();
  }
  if (whole == content.size()) return {Check::State::Sound, whole, ""};
  if (in_transaction && holds_more)
    return corrupt(whole, "a transaction without EXEC, followed by other writes");
  return {Check::State::CutOff, whole, ""};
}

base::Result<std::string, std::string> repair(const std::string& directory) {
  // Also a mark that this user may not read.
  std::error_code failure;
  if (std::filesystem::exists(directory + "/" + kUnfinished, failure)) {
    std::ifstream mark(directory + "/" + kUnfinished);
    std::string again;
    std::getline(mark, again);
    return base::Refusal{
        "a restore of a backup did not end, and Redis would start without its state; run it "
        "again: " +
        again};
  }
  const std::string folder = directory + "/appendonlydir/";
  const std::string manifest = folder + "appendonly.aof.manifest";
  std::ifstream lines(manifest);
  const std::string name = last_in(lines);
  if (name.empty()) {
    const std::string left = file_with_data(folder);
    if (left.empty()) return std::string();  // the first start
    return base::Refusal{
        manifest + (lines.is_open() ? " does not name a file of commands" : " cannot be read") +
        ", but this file has data: " + left +
        ". Redis must not start: it would start without that data, and append to "
        "the file later. Restore the directory " +
        directory + " from a backup, with its manifest"};
  }
  const std::string path = folder + name;
  const auto refuse = [&](const std::string& why) { return base::Refusal{path + why}; };
  const base::UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) {
    // Redis itself reports that the file in its manifest is missing.
    if (errno == ENOENT) return std::string();
    return refuse(": cannot be opened: " + reason_of(errno));
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return refuse(": cannot be read: " + reason_of(errno));
  const Mapped mapped(file.get(), static_cast<std::size_t>(status.st_size));
  if (mapped.failed()) return refuse(": cannot be read: " + reason_of(errno));
  const std::string_view content = mapped.content();
  const Check checked = check(content);
  const std::string size = std::to_string(content.size());
  if (checked.state == Check::State::Sound) return std::string();
  if (checked.state == Check::State::Corrupt) {
    return refuse(
        ": corrupt at byte " + std::to_string(checked.bytes) + " of " + size + " (" +
        checked.reason +
        "). More than an unfinished last write is damaged, so the file was not changed. Redis "
        "must not start: it would drop acknowledged writes. Restore the directory " +
        directory +
        " from a backup. Or copy it, and then drop all commands after the last intact "
        "one: redis-check-aof --fix " +
        path);
  }
  const std::string_view cut = content.substr(checked.bytes);
  const std::string saved_as = directory + "/appendonly.cut";
  std::string said = path + ": removed the last " + std::to_string(cut.size()) + " of " + size +
                     " bytes, an unfinished write that was not acknowledged";
  const std::string not_kept = keep(saved_as, cut);
  said += not_kept.empty() ? ". They were saved in " + saved_as
                           : ". They could not be saved in " + saved_as + ": " + not_kept;
  if (ftruncate(file.get(), static_cast<off_t>(checked.bytes)) != 0 || fsync(file.get()) != 0)
    return refuse(": cannot be truncated at byte " + std::to_string(checked.bytes) + ": " +
                  reason_of(errno));
  return said;
}

}  // namespace svc::repair
