// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/virtqueue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/numerics/base/power_of_two.h"

namespace mxe::uml {
namespace {

// Layout of a split virtqueue (virtio 1.1, 2.6): each ring starts with flags and an index.
constexpr uint64_t kDescriptorBytes = 16, kRingHeaderBytes = 4, kIndexOffset = 2;
constexpr uint64_t kAvailableEntryBytes = 2, kUsedEntryBytes = 8;
constexpr uint16_t kFlagNext = 1, kFlagWritable = 2, kFlagsKnown = kFlagNext | kFlagWritable;

uint16_t load_index(const uint8_t* index) {
  return __atomic_load_n(reinterpret_cast<const uint16_t*>(index), __ATOMIC_ACQUIRE);
}

void store_index(uint8_t* index, uint16_t value) {
  __atomic_store_n(reinterpret_cast<uint16_t*>(index), value, __ATOMIC_RELEASE);
}

}  // namespace

std::vector<uint8_t> Buffer::read(std::size_t most) const {
  std::vector<uint8_t> bytes;
  for (const Piece& piece : readable) {
    if (piece.bytes > most - bytes.size()) {
      throw ProtocolError(fmt::format("a request with more than {} bytes", most));
    }
    bytes.insert(bytes.end(), piece.data, piece.data + piece.bytes);
  }
  return bytes;
}

void Buffer::write(const uint8_t* data, std::size_t bytes) const {
  std::size_t done = 0;
  for (const Piece& piece : writable) {
    const std::size_t part = std::min(piece.bytes, bytes - done);
    std::memcpy(piece.data, data + done, part);
    done += part;
  }
  if (done < bytes) {
    throw ProtocolError(fmt::format("a buffer of {} bytes for {} bytes of data", done, bytes));
  }
}

void Virtqueue::set_size(uint32_t entries) {
  if (entries > kMostEntries || !is_power_of_two(entries)) {
    throw ProtocolError(fmt::format("a queue with {} entries (allowed: powers of two up to {})",
                                    entries, kMostEntries));
  }
  entries_ = entries;
  placed_ = false;
}

void Virtqueue::set_addresses(const VringAddresses& addresses) {
  if (entries_ == 0) throw ProtocolError("a queue is placed before its size is known");
  if (addresses.descriptors % kDescriptorBytes != 0 || addresses.available % 2 != 0 ||
      addresses.used % 4 != 0) {
    throw ProtocolError("the parts of a queue are not aligned");
  }
  descriptors_ = addresses.descriptors;
  available_ = addresses.available;
  used_ = addresses.used;
  next_used_ = load_index(
      locate(used_, kRingHeaderBytes + kUsedEntryBytes * entries_, "used ring") + kIndexOffset);
  placed_ = true;
}

void Virtqueue::set_base(uint32_t next) {
  if (next > UINT16_MAX) throw ProtocolError(fmt::format("a queue that begins at {}", next));
  next_ = static_cast<uint16_t>(next);
}

uint8_t* Virtqueue::locate(uint64_t address, uint64_t bytes, const char* what) const {
  uint8_t* data = memory_.at(address, bytes);
  if (!data)
    throw ProtocolError(fmt::format("the {} at {:#x} is not in the memory", what, address));
  return data;
}

Virtqueue::Descriptor Virtqueue::descriptor(uint16_t index) const {
  if (index >= entries_) throw ProtocolError(fmt::format("descriptor {} of {}", index, entries_));
  const uint8_t* table = locate(descriptors_, kDescriptorBytes * entries_, "table of descriptors");
  Descriptor descriptor;
  static_assert(sizeof descriptor == kDescriptorBytes);
  std::memcpy(&descriptor, table + kDescriptorBytes * index, sizeof descriptor);
  return descriptor;
}

void Virtqueue::add_piece(Buffer& buffer, const Descriptor& descriptor) const {
  if ((descriptor.flags & ~kFlagsKnown) != 0) {
    throw ProtocolError(fmt::format("a descriptor with flags {:#x}", descriptor.flags));
  }
  const Piece piece{locate(descriptor.address, descriptor.length, "buffer"), descriptor.length};
  const bool writable = (descriptor.flags & kFlagWritable) != 0;
  if (!writable && !buffer.writable.empty()) {
    throw ProtocolError("a readable part of a buffer after a writable one");
  }
  (writable ? buffer.writable : buffer.readable).push_back(piece);
}

std::optional<Buffer> Virtqueue::pop() {
  if (!ready()) return {};
  const uint8_t* ring =
      locate(available_, kRingHeaderBytes + kAvailableEntryBytes * entries_, "available ring");
  const uint16_t end = load_index(ring + kIndexOffset);
  if (end == next_) return {};
  if (static_cast<uint16_t>(end - next_) > entries_)
    throw ProtocolError("more buffers than the queue has entries");
  Buffer buffer;
  std::memcpy(&buffer.head, ring + kRingHeaderBytes + kAvailableEntryBytes * (next_ % entries_),
              sizeof buffer.head);
  next_++;
  uint16_t index = buffer.head;
  for (uint32_t parts = 0;; parts++) {
    if (parts == entries_) throw ProtocolError("a buffer whose descriptors form a circle");
    const Descriptor part = descriptor(index);
    add_piece(buffer, part);
    if ((part.flags & kFlagNext) == 0) return buffer;
    index = part.next;
  }
}

void Virtqueue::push(const Buffer& buffer, std::size_t written) {
  uint8_t* ring = locate(used_, kRingHeaderBytes + kUsedEntryBytes * entries_, "used ring");
  const uint32_t entry[2] = {buffer.head, static_cast<uint32_t>(written)};
  std::memcpy(ring + kRingHeaderBytes + kUsedEntryBytes * (next_used_ % entries_), entry,
              sizeof entry);
  store_index(ring + kIndexOffset, ++next_used_);
}

}  // namespace mxe::uml
