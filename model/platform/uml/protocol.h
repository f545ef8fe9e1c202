// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "model/numerics/base/error.h"

/// Messages between User-mode Linux and a device (vhost-user, virtio-pcidev) or its clock
/// (um_timetravel), little-endian, with the layouts and values of the kernel's headers.
namespace mxe::uml {

/// Linux violated a protocol. what() is one line; the session is over.
struct ProtocolError : Error {
  using mxe::Error::Error;
};

// ---------------------------------------------------------------- vhost-user
struct VhostHeader {
  static constexpr uint32_t kVersionMask = 3, kVersion = 1, kReply = 4, kNeedReply = 8;
  uint32_t request = 0, flags = 0, size = 0;  ///< size of the following payload
};
static_assert(sizeof(VhostHeader) == 12);

enum class VhostRequest : uint32_t {
  get_features = 1,
  set_features = 2,
  set_owner = 3,
  set_mem_table = 5,
  set_vring_num = 8,
  set_vring_addr = 9,
  set_vring_base = 10,
  get_vring_base = 11,
  set_vring_kick = 12,
  set_vring_call = 13,
  set_vring_err = 14,
  get_protocol_features = 15,
  set_protocol_features = 16,
  get_queue_num = 17,
  set_vring_enable = 18,
  set_slave_req_fd = 21,
  vring_kick = 35,
};
constexpr uint32_t kSlaveVringCall = 4;

constexpr uint64_t kFeatureVersion1 = uint64_t{1} << 32;
constexpr uint64_t kFeatureProtocolFeatures = uint64_t{1} << 30;
constexpr uint64_t kProtocolReplyAck = 1 << 3, kProtocolSlaveRequests = 1 << 5,
                   kProtocolInbandNotifications = 1 << 14;

struct VringState {
  uint32_t index = 0, number = 0;
};
struct VringAddresses {
  uint32_t index = 0, flags = 0;
  uint64_t descriptors = 0, used = 0, available = 0, log = 0;
};
static_assert(sizeof(VringAddresses) == 40);
struct MemoryRegion {
  uint64_t guest_address = 0, size = 0, user_address = 0, file_offset = 0;
};

// ------------------------------------------------------------- virtio-pcidev
struct PciRequest {
  uint8_t op = 0, bar = 0;
  uint16_t reserved = 0;
  uint32_t size = 0;
  uint64_t address = 0;
};
static_assert(sizeof(PciRequest) == 16);

enum class PciOp : uint8_t {
  read_config = 1,
  write_config = 2,
  read_bar = 3,
  write_bar = 4,
  set_bar = 5,
  msi = 7,  ///< to Linux
};

// -------------------------------------------------------------- um_timetravel
struct TimeMessage {
  uint32_t op = 0, sequence = 0;
  uint64_t time = 0;  ///< nanoseconds
};
static_assert(sizeof(TimeMessage) == 16);

/// Operations used by a Linux that shares memory with its clock.
enum class TimeOp : uint32_t {
  ack = 0,
  start = 1,
  wait = 3,
  run = 6,
  get_time_of_day = 8,
};

/// The shared memory; Linux is the only client.
struct TimeSchedule {
  static constexpr uint32_t kVersion = 2;
  static constexpr uint16_t kLinux = 0;
  static constexpr uint32_t kWants = 1;  ///< client flag: run it at `wanted`
  static constexpr std::size_t kHeaderBytes = 4096, kClientBytes = 128;

  struct alignas(kClientBytes) Client {
    std::atomic<uint32_t> abilities{0}, flags{0};
    std::atomic<uint64_t> wanted{0}, name{0};
  };

  std::atomic<uint32_t> version{kVersion}, bytes{kHeaderBytes + kClientBytes};
  std::atomic<uint64_t> free_until{0}, now{0};
  std::atomic<uint16_t> running{kLinux}, most_clients{1};
  alignas(kHeaderBytes) Client client;
};
static_assert(offsetof(TimeSchedule, client) == TimeSchedule::kHeaderBytes);
static_assert(sizeof(TimeSchedule::Client) == TimeSchedule::kClientBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace mxe::uml
