// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/engine/memory_timing.h"
#include "model/platform/clock.h"

namespace mxe {

/// TLM payload extension: a request carried over a bus in beats. The initiator sets the inputs, the
/// memory fills in `times`. Without it the default is the memory's own beat size, data included.
struct BurstExtension : tlm::tlm_extension<BurstExtension> {
  unsigned beat_bytes = 0;   ///< in: bytes of one beat; 0 = the memory's own
  Clock clock;               ///< in: of the initiator, whose cycles all times here are in
  uint64_t issued = 0;       ///< in: the delay of the request as a cycle, which may be past
  bool timing_only = false;  ///< in: account for the time, but touch no data
  bool timed = false;        ///< out: `times` holds what the request took
  BeatTimes times;           ///< out
  DirectChannels direct;     ///< out of get_direct_mem_ptr, where granted

  tlm::tlm_extension_base* clone() const override { return new BurstExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const BurstExtension&>(other);
  }
};

/// Memory with storage, timing and fault injection: a TLM-2.0 target. Its clock is that of MXE's
/// platforms, one nanosecond; an initiator with another clock gets delays without BurstExtension.
///
/// b_transport never waits. On entry `delay` says when a read is issued, or when the last beat of a
/// write is handed over, relative to sc_time_stamp(); on return, when the last beat has been
/// served. The memory takes the beats of a write as they come, so a write counts as issued when its
/// first beat would be, at one beat a cycle. The bytes move at the call. A request occupies the
/// beats from the one that holds its first byte to the one that holds its last. Outside the memory
/// the response is TLM_ADDRESS_ERROR_RESPONSE, in a range marked faulty TLM_GENERIC_ERROR_RESPONSE;
/// such requests take their time too. A request with attributes that check_attributes() refuses
/// gets that response, and takes no time.
///
/// Direct access is granted while no range is marked faulty. With a BurstExtension in the request
/// it includes the channels that say when each burst is served.
///
/// The storage is reserved, not committed: a page costs nothing until it is written.
class Memory : public sc_core::sc_module {
 public:
  struct Config {
    uint64_t base = 0x8000'0000;              ///< bus address of the first byte
    std::size_t size = std::size_t{1} << 32;  ///< bytes
    unsigned beat_bytes = 32;                 ///< of a request without BurstExtension
    MemoryTiming timing;
    bool direct_access = true;  ///< grant it where possible
  };

  tlm_utils::simple_target_socket<Memory> socket{"socket"};

  Memory(const sc_core::sc_module_name& name, const Config& config);
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t base() const { return config_.base; }
  std::size_t size() const { return config_.size; }
  bool contains(uint64_t address, uint64_t length) const;

  /// The host's direct view of the storage. Throws mx::Error if [address, address + length) is not
  /// wholly inside.
  uint8_t* data(uint64_t address, std::size_t length);

  /// Which requests a fault breaks.
  enum class Faulty : uint8_t { all, writes };
  /// Makes every such request that touches [address, address + length) fail from now on. Ends
  /// direct access.
  void add_fault(uint64_t address, uint64_t length, Faulty requests = Faulty::all);
  void clear_faults() { faults_.clear(); }

  /// From now on requests take the times that they would have from the beginning: the jitter
  /// starts again, and nothing is in the way of the next request.
  void restart_timing();

 protected:
  /// The bytes [address, address + length), or null if they are not wholly inside. A memory that
  /// has its storage elsewhere says so here; it grants no direct access.
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

  Config config_;
  uint8_t* storage_ = nullptr;
  MemoryChannels channels_;
  bool granted_ = false;  // direct access, not ended since
  std::vector<Range> faults_;
};

}  // namespace mxe
