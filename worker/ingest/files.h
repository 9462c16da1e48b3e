// files: the output folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace svc::ingest {

// A system call on one of our files failed: the machine is at fault.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The space and the files that every step of a conversion needs, regardless of its result.
inline constexpr std::uint64_t kLeastRoom = 1 << 20;  // bytes
inline constexpr std::uint64_t kLeastFiles = 32;

// Returns one sentence: why a folder whose use failed with that errno cannot store files.
std::string why_not_stored(int error);

// Returns why the folder cannot take these bytes and files now, as a sentence; empty if it can.
// The file system's figures ignore quotas, so it also writes a file of kLeastRoom bytes and removes
// it.
std::string why_no_room(const std::string& folder, std::uint64_t bytes = kLeastRoom,
                        std::uint64_t files = kLeastFiles);

// Returns true if the file system of the folder has less than the least room. Writes nothing.
bool is_short_of_room(const std::string& folder);

// Of folders of media: svc-keeper, of the same group, puts markers there.
inline constexpr unsigned kFolderMode = 0775;

// Creates the folder with kFolderMode, unless it exists. Throws FileError.
void make_shared_folder(const std::string& folder);

// Removes everything in the folder, or creates it, with kFolderMode. Throws FileError.
void make_empty_folder(const std::string& folder);

// Called between pieces of work, each of which a slow disk does within some
// seconds. Its exceptions pass through.
using Meanwhile = std::function<void()>;

// Copies `length` bytes from byte `offset` of `source` into a new file, in the
// kernel, and writes them to disk. Throws FileError, also if the source is
// shorter.
void copy_slice(const std::string& source, std::uint64_t offset, std::uint64_t length,
                const std::string& target, const Meanwhile& meanwhile);

void write_file(const std::string& path, std::string_view text);  // throws FileError

// Return nullopt if the file does not exist, cannot be read, or is not a regular
// file: a child may have made it. `most` is the largest number of bytes that is
// read.
std::optional<std::string> read_file(const std::string& path, std::uint64_t offset,
                                     std::uint64_t most);
std::optional<std::uint64_t> size_of(const std::string& path);
// Returns the bytes of all files below the folder; 0 if the folder does not exist.
std::uint64_t size_below(const std::string& folder);

// Sets the mode of all files below the folder to 0644, that of folders to kFolderMode,
// and writes all of it to disk (fsync). Throws FileError.
void settle(const std::string& folder, const Meanwhile& meanwhile);

}  // namespace svc::ingest
