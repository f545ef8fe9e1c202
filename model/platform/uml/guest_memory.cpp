// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/guest_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace mxe::uml {
namespace {

platform::Memory::Config no_storage(const engine::MemoryTiming& timing, unsigned beat_bytes,
                                    const std::optional<dram::Setup>& dram) {
  platform::Memory::Config config;
  config.base = 0;
  config.size = 0;
  config.beat_bytes = beat_bytes;
  config.timing = timing;
  config.dram = dram;
  config.direct_access = false;
  return config;
}

uint64_t file_size(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw ProtocolError("a region of memory is not in a file");
  }
  return static_cast<uint64_t>(status.st_size);
}

bool reaches_beyond(uint64_t begin, uint64_t size, uint64_t end) {
  return begin > end || size > end - begin;
}

}  // namespace

GuestMemory::GuestMemory(const sc_core::sc_module_name& name, const engine::MemoryTiming& timing,
                         unsigned beat_bytes, const std::optional<dram::Setup>& dram)
    : platform::Memory(name, no_storage(timing, beat_bytes, dram)) {}

GuestMemory::~GuestMemory() { unmap(); }

void GuestMemory::unmap() {
  for (const Mapping& mapping : mappings_) munmap(mapping.data, mapping.size);
  mappings_.clear();
}

void GuestMemory::set_regions(const std::vector<MemoryRegion>& regions,
                              const std::vector<FileDescriptor>& files) {
  unmap();
  if (regions.size() != files.size()) {
    throw ProtocolError(
        fmt::format("{} regions of memory with {} files", regions.size(), files.size()));
  }
  for (std::size_t i = 0; i < regions.size(); i++) map(regions[i], files[i].get());
}

void GuestMemory::map(const MemoryRegion& region, int file) {
  const auto wrong = [&](const char* what) {
    return ProtocolError(fmt::format("the region of memory at {:#x} with {:#x} bytes {}",
                                     region.guest_address, region.size, what));
  };
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (region.size == 0) throw wrong("is empty");
  if (region.guest_address % page != 0 || region.file_offset % page != 0) {
    throw wrong("does not begin with a page");
  }
  if (reaches_beyond(region.guest_address, region.size, kMostBytes)) throw wrong("is out of reach");
  if (reaches_beyond(region.file_offset, region.size, file_size(file))) {
    throw wrong("reaches beyond the end of its file");
  }
  for (const Mapping& other : mappings_) {
    if (region.guest_address < other.begin + other.size &&
        other.begin < region.guest_address + region.size) {
      throw wrong("overlaps another one");
    }
  }
  void* data = mmap(nullptr, region.size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                    static_cast<off_t>(region.file_offset));
  if (data == MAP_FAILED) throw wrong(std::strerror(errno));
  mappings_.push_back({region.guest_address, region.size, static_cast<uint8_t*>(data)});
}

uint8_t* GuestMemory::find(uint64_t address, uint64_t length) const {
  for (const Mapping& mapping : mappings_) {
    if (address >= mapping.begin && length <= mapping.size &&
        address - mapping.begin <= mapping.size - length) {
      return mapping.data + (address - mapping.begin);
    }
  }
  return nullptr;
}

}  // namespace mxe::uml
