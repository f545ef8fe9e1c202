// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "model/platform/memory.h"
#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/protocol.h"

namespace mxe::uml {

/// The memory of Linux: regions of files shared by Linux, with the times of a platform memory. It
/// grants no direct access, because regions may change; so it sees and counts every burst.
class GuestMemory : public platform::Memory {
 public:
  static constexpr std::size_t kMostRegions = 8;
  static constexpr uint64_t kMostBytes = uint64_t{1} << 40;  ///< highest end of a region

  GuestMemory(const sc_core::sc_module_name& name, const engine::MemoryTiming& timing,
              unsigned beat_bytes, const std::optional<dram::Setup>& dram = {});
  ~GuestMemory() override;

  /// Throws ProtocolError for empty, unaligned or overlapping regions, or beyond the end of the
  /// file.
  void set_regions(const std::vector<MemoryRegion>& regions,
                   const std::vector<FileDescriptor>& files);

  /// Host pointer to [address, address + length), or null if not inside one region.
  uint8_t* at(uint64_t address, uint64_t length) { return find(address, length); }

  uint64_t bursts() const { return bursts_; }

 protected:
  uint8_t* locate(uint64_t address, uint64_t length) override {
    bursts_++;
    return find(address, length);
  }

 private:
  struct Mapping {
    uint64_t begin, size;
    uint8_t* data;
  };

  uint8_t* find(uint64_t address, uint64_t length) const;
  void map(const MemoryRegion& region, int file);
  void unmap();

  std::vector<Mapping> mappings_;
  uint64_t bursts_ = 0;
};

}  // namespace mxe::uml
