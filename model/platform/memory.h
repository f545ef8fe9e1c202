// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/engine/memory/memory_timing.h"
#include "model/platform/clock.h"
#include "model/platform/dram/access_log.h"
#include "model/platform/dram/port_timing.h"

namespace mxe::platform {

/// TLM payload extension: a request transferred in beats. The initiator sets the inputs, the memory
/// fills in `times`. Without it the memory's own beat size applies, and data is transferred.
struct BurstExtension : tlm::tlm_extension<BurstExtension> {
  unsigned beat_bytes = 0;        ///< in: bytes of a beat; 0: the memory's own
  Clock clock;                    ///< in: clock of the initiator; all times here are in its cycles
  uint64_t issued = 0;            ///< in: cycle of the request, which may be in the past
  bool timing_only = false;       ///< in: account for the time, but transfer no data
  bool timed = false;             ///< out: `times` is valid
  engine::BeatTimes times;        ///< out
  engine::DirectChannels direct;  ///< out of get_direct_mem_ptr, if granted

  tlm::tlm_extension_base* clone() const override { return new BurstExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const BurstExtension&>(other);
  }
};

/// Memory with storage, timing and fault injection: a TLM-2.0 target with a clock of one
/// nanosecond. An initiator with another clock receives delays instead of BurstExtension times.
///
/// b_transport never waits. `delay`, relative to sc_time_stamp(), is the issue time of a read or
/// the time of a write's last beat; it becomes the time at which the last beat is served. A write
/// counts as issued with its first beat, at one beat per cycle. Data is transferred at the call. A
/// request occupies all beats that contain its bytes.
///
/// Errors: TLM_ADDRESS_ERROR_RESPONSE outside the memory, TLM_GENERIC_ERROR_RESPONSE in a faulty
/// range, both in their normal time. Requests refused by check_attributes() take no time.
///
/// With Config::dram, bursts have the times of that DRAM, and there is no direct access. Otherwise,
/// with Config::direct_access, direct access is granted while no range is faulty; for a
/// BurstExtension whose clock is 1 ns also the channels, which compute times. Pages of storage are
/// allocated when written.
class Memory : public sc_core::sc_module {
 public:
  struct Config {
    uint64_t base = 0x8000'0000;              ///< bus address of the first byte
    std::size_t size = std::size_t{1} << 32;  ///< bytes
    unsigned beat_bytes = 32;                 ///< of requests without BurstExtension
    engine::MemoryTiming timing;
    std::optional<dram::Setup> dram;      ///< replaces `timing`; its first address is `base`
    dram::AccessLog* accesses = nullptr;  ///< of the DRAM; must outlive the memory
    bool direct_access = true;            ///< grant direct access where possible
  };

  tlm_utils::simple_target_socket<Memory> socket{"socket"};

  Memory(const sc_core::sc_module_name& name, const Config& config);
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t base() const { return config_.base; }
  std::size_t size() const { return config_.size; }
  bool contains(uint64_t address, uint64_t length) const;

  /// Pointer into the storage. Throws Error unless [address, address + length) is inside.
  uint8_t* data(uint64_t address, std::size_t length);

  enum class Faulty : uint8_t { all, writes };
  /// Makes these requests fail if they touch [address, address + length). Revokes direct access.
  void add_fault(uint64_t address, uint64_t length, Faulty requests = Faulty::all);
  void clear_faults() { faults_.clear(); }

  /// Resets the timing: the jitter sequence restarts and no request is outstanding.
  void restart_timing();

 protected:
  /// Pointer to [address, address + length), or null if not inside. Memories with external storage
  /// override it and grant no direct access.
  virtual uint8_t* locate(uint64_t address, uint64_t length);

 private:
  struct Range {
    uint64_t begin, end;
    Faulty requests;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(tlm::tlm_generic_payload& payload);
  bool direct_access(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  bool faulty(const tlm::tlm_generic_payload& payload) const;
  engine::BeatTimes serve(const tlm::tlm_generic_payload& payload, uint64_t cycle,
                          unsigned beat_bytes);

  Config config_;
  uint8_t* storage_ = nullptr;
  engine::MemoryChannels channels_;
  std::optional<dram::PortTiming> dram_;
  bool granted_ = false;  // direct access is granted and not revoked
  std::vector<Range> faults_;
};

}  // namespace mxe::platform
