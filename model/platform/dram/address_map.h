// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/platform/dram/config.h"

namespace mxe::dram {

/// Position of an access.
struct Location {
  uint32_t unit = 0;    ///< subchannel of a channel: an independent data bus
  uint32_t rank = 0;    ///< of the unit
  uint32_t group = 0;   ///< bank group of the rank
  uint32_t bank = 0;    ///< of the bank group
  uint32_t row = 0;     ///< of the bank
  uint32_t column = 0;  ///< access of the row
};

/// The bits of an address, as Config::map names them: fields from the highest bits to the lowest,
/// separated by "-": ro row, ch channel and subchannel, ra rank, ba bank, bg bank group, co
/// column. The bits of an access lie below. Addresses beyond the capacity wrap.
///
/// A field may be split: "co2" means two bits of the column. One part of each field has no number;
/// it has the remaining bits. Example: 4 bank groups, 128 accesses in a row and "ro-ba-co-bg-co2"
/// put the lowest 2 column bits below the 2 bits of the bank group, and 5 column bits above.
class AddressMap {
 public:
  /// Throws Error if Config::map is no map of this organization.
  explicit AddressMap(const Config& config);

  Location locate(uint64_t address) const;
  /// The accesses of a request of at least one byte, by their numbers. With accesses of 64 bytes,
  /// 128 bytes from address 32 are the accesses 0, 1 and 2.
  struct Accesses {
    uint64_t first, last;
    uint64_t count() const { return last - first + 1; }
  };
  Accesses accesses(uint64_t address, uint64_t bytes) const {
    return {address >> access_bits_, (address + bytes - 1) >> access_bits_};
  }
  Location locate_access(uint64_t number) const { return locate(number << access_bits_); }
  /// First address of an access.
  uint64_t address_of(const Location& location) const;

 private:
  enum Field : uint8_t { row, channel, rank, bank, group, column, kFields };
  struct Part {
    Field field;
    unsigned bits;
  };

  static Field field_of(const std::string& name, const std::string& map);
  void parse(const std::string& map);
  void fill_open_parts(const std::string& map);

  std::array<unsigned, kFields> bits_{};
  unsigned access_bits_;
  std::vector<Part> parts_;  // from the lowest bits
};

}  // namespace mxe::dram
