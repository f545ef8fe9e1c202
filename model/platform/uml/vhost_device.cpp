// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/vhost_device.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace mxe::uml {
namespace {

constexpr uint64_t kFeatures = kFeatureVersion1 | kFeatureProtocolFeatures;
constexpr uint64_t kProtocolFeatures =
    kProtocolReplyAck | kProtocolSlaveRequests | kProtocolInbandNotifications;

ProtocolError wrong(const VhostMessage& message, const char* what) {
  return ProtocolError(fmt::format("vhost-user request {} {}", message.header.request, what));
}

template <typename T>
T payload(const VhostMessage& message) {
  T value;
  if (message.payload.size() != sizeof value)
    throw wrong(message, "has a payload of an unexpected size");
  std::memcpy(&value, message.payload.data(), sizeof value);
  return value;
}

void want_files(const VhostMessage& message, std::size_t count) {
  if (message.files.size() != count) throw wrong(message, "has an unexpected number of files");
}

void want_subset(const VhostMessage& message, uint64_t allowed) {
  if ((payload<uint64_t>(message) & ~allowed) != 0)
    throw wrong(message, "selects features that were not offered");
}

}  // namespace

VhostDevice::VhostDevice(GuestMemory& memory, std::function<void(uint32_t)> kicked)
    : memory_(memory), kicked_(std::move(kicked)), queues_{Virtqueue(memory), Virtqueue(memory)} {}

void VhostDevice::check(const VhostHeader& header) {
  if ((header.flags & ~VhostHeader::kNeedReply) != VhostHeader::kVersion) {
    throw ProtocolError(fmt::format("vhost-user message with flags {:#x}", header.flags));
  }
  if (header.size > VhostMessage::kMostBytes) {
    throw ProtocolError(fmt::format("vhost-user message with {} bytes (allowed: {})", header.size,
                                    VhostMessage::kMostBytes));
  }
}

std::optional<std::vector<uint8_t>> VhostDevice::handle(VhostMessage& message) {
  const std::optional<uint64_t> value = handle_request(message);
  if (!value && (message.header.flags & VhostHeader::kNeedReply) == 0) return {};
  const uint64_t answer = value.value_or(0);  // 0: success
  const VhostHeader header{message.header.request, VhostHeader::kVersion | VhostHeader::kReply,
                           sizeof answer};
  std::vector<uint8_t> bytes(sizeof header + sizeof answer);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &answer, sizeof answer);
  return bytes;
}

Virtqueue& VhostDevice::queue_of(uint32_t index) {
  if (index >= kQueues) throw ProtocolError(fmt::format("queue {} of {}", index, kQueues));
  return queues_[index];
}

std::optional<uint64_t> VhostDevice::handle_request(VhostMessage& message) {
  const auto state = [&] { return payload<VringState>(message); };
  switch (static_cast<VhostRequest>(message.header.request)) {
    case VhostRequest::get_features:
      return kFeatures;
    case VhostRequest::set_features:
      want_subset(message, kFeatures);
      return {};
    case VhostRequest::get_protocol_features:
      return kProtocolFeatures;
    case VhostRequest::set_protocol_features:
      want_subset(message, kProtocolFeatures);
      return {};
    case VhostRequest::get_queue_num:
      return kQueues;
    case VhostRequest::set_owner:
      return {};
    case VhostRequest::set_mem_table:
      set_memory(message);
      return {};
    case VhostRequest::set_vring_num:
      queue_of(state().index).set_size(state().number);
      return {};
    case VhostRequest::set_vring_addr: {
      const auto addresses = payload<VringAddresses>(message);
      queue_of(addresses.index).set_addresses(addresses);
      return {};
    }
    case VhostRequest::set_vring_base:
      queue_of(state().index).set_base(state().number);
      return {};
    case VhostRequest::get_vring_base:
      queue_of(state().index).enable(false);
      return uint64_t{queue_of(state().index).base()} << 32 | state().index;
    case VhostRequest::set_vring_enable:
      queue_of(state().index).enable(state().number != 0);
      return {};
    case VhostRequest::set_vring_kick:  // files unused: kicks and calls are messages
    case VhostRequest::set_vring_call:
    case VhostRequest::set_vring_err:
      payload<uint64_t>(message);
      return {};
    case VhostRequest::set_slave_req_fd:
      want_files(message, 1);
      requests_ = std::move(message.files.front());
      return {};
    case VhostRequest::vring_kick:
      queue_of(state().index);
      kicked_(state().index);
      return {};
  }
  throw wrong(message, "is unknown");
}

void VhostDevice::set_memory(VhostMessage& message) {
  struct {
    uint32_t count = 0, padding = 0;
  } table;
  if (message.payload.size() < sizeof table)
    throw wrong(message, "has a payload of an unexpected size");
  std::memcpy(&table, message.payload.data(), sizeof table);
  // Linux always sends room for two entries.
  if (table.count > GuestMemory::kMostRegions ||
      message.payload.size() < sizeof table + table.count * sizeof(MemoryRegion)) {
    throw wrong(message, "has more regions than fit into its payload");
  }
  std::vector<MemoryRegion> regions(table.count);
  if (table.count != 0) {
    std::memcpy(regions.data(), message.payload.data() + sizeof table,
                table.count * sizeof(MemoryRegion));
  }
  memory_.set_regions(regions, message.files);
}

}  // namespace mxe::uml
