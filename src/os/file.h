// Files and directories, by descriptor wherever a path could be swapped underneath.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace husk::os {

// Relative to `dir` where one is given, else to the working directory. O_CLOEXEC is added.
Result<Fd> open(const std::filesystem::path& path, int flags, mode_t mode = 0);
// What the path means to every process: not through links of /proc that lead elsewhere for each
// (/proc/self/cwd), and nothing in /proc itself. ELOOP otherwise.
Result<Fd> open_for_all(const std::filesystem::path& path, int flags);
Result<Fd> open_at(const Fd& dir, const std::string& name, int flags, mode_t mode = 0);

// Makes the directory, for the owner only; one that is there already is fine.
Result<void> make_directory(const std::filesystem::path& path);
Result<void> make_directory_at(const Fd& dir, const std::string& name);

Result<std::string> read_file(const std::filesystem::path& path, size_t at_most = 1 << 20);
// Up to `size` bytes from `offset`; fewer only at the end of the file.
Result<std::string> read_at(const Fd& file, uint64_t offset, size_t size);
Result<void> write_all(int fd, std::string_view data);

// The file has the old content or the new one, whole, also after a crash. One that is there keeps
// its permissions; a link is followed.
Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          mode_t mode_of_new);

// Names in a directory, without "." and "..", in no order.
Result<std::vector<std::string>> list(const Fd& dir);

// Bytes that a file really occupies.
uint64_t bytes_on_disk(const Fd& file);

// A file without a name that holds `content` and is read from its beginning.
Result<Fd> text_file(std::string_view content);

// Makes such a file one that nobody can change any more.
void seal(const Fd& file);

// A pipe without a name, which belongs to those who hold it and to nobody else.
bool is_pipe(const Fd& file);

bool is_network_file_system(const Fd& dir);

// Tells the file system that the directories in this one have nothing to do with each other. ext4
// then spreads them over the disk; without a journal it is slow to make files where many were just
// removed.
void spread_directories_in(const Fd& dir);

}  // namespace husk::os
