// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/foreign_board.h"

namespace mxe::test {
namespace {

constexpr uint8_t kOne = 0x38, kOneScale = 127;  // 1 in E4M3, and as a scale
constexpr uint8_t kUntouched = 0xEE;
constexpr uint32_t kOnesPerRow = ForeignBoard::kK / ForeignBoard::kM;
constexpr unsigned kAccessesUntilInvalid = 20;

}  // namespace

sc_core::sc_time ForeignBoard::duration(const tlm::tlm_generic_payload& p, unsigned access) const {
  constexpr unsigned kScatter = 2654435761u, kBeatBytes = 16;
  unsigned more = access * kScatter / 65536 % (kind_.spread + 1);
  if (kind_.adds_beats && p.is_read()) more += p.get_data_length() / kBeatBytes - 1;
  return kind_.latency + sc_core::sc_time(more, sc_core::SC_NS);
}

void ForeignBoard::access(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
  using Delay = ForeignMemory::Delay;
  most_inside_ = std::max(most_inside_, ++inside_);
  const uint64_t address = p.get_address();
  const unsigned begun = ++begun_;
  const sc_core::sc_time takes = duration(p, begun);
  if (p.is_read()) reads_.push_back(address);
  if (kind_.delay != Delay::annotates) {
    wait(delay + takes);
    delay = sc_core::SC_ZERO_TIME;
  }
  if (kind_.delay != Delay::waits) delay += takes;
  overtakers_ += begun < last_ended_;
  last_ended_ = std::max(last_ended_, begun);
  changed_ += p.get_address() != address;
  p.set_response_status(respond(p));
  p.set_dmi_allowed(kind_.direct != ForeignMemory::Direct::refused);
  if (++accesses_ == kAccessesUntilInvalid && kind_.direct == ForeignMemory::Direct::invalidated) {
    memory->invalidate_direct_mem_ptr(0, kEnd - 1);
  }
  inside_--;
}

tlm::tlm_response_status ForeignBoard::respond(tlm::tlm_generic_payload& p) {
  const uint64_t address = p.get_address();
  const unsigned length = p.get_data_length();
  const uint8_t* enables = p.get_byte_enable_ptr();
  if (address + length > kEnd) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (kind_.faulty >= address && kind_.faulty < address + length) return kind_.fault;
  if (enables && !kind_.takes_enables) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  uint8_t* stored = &bytes_[address];
  uint8_t* data = p.get_data_ptr();
  for (unsigned i = 0; i < length; i++) {
    if (enables && enables[i % p.get_byte_enable_length()] == 0) continue;
    (p.is_read() ? data[i] : stored[i]) = p.is_read() ? stored[i] : data[i];
  }
  return tlm::TLM_OK_RESPONSE;
}

bool ForeignBoard::grant(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(kEnd - 1);
  dmi.set_dmi_ptr(bytes_.data());
  dmi.allow_read_write();
  return kind_.direct != ForeignMemory::Direct::refused;
}

void ForeignBoard::write_job() {
  std::fill(bytes_.begin(), bytes_.begin() + kA, uint8_t{0});
  std::fill(bytes_.begin() + kD, bytes_.end(), kUntouched);
  put(MXE_DESC_CONTROL, MXE_FORMAT_MXFP8_E4M3 << MXE_DESC_CONTROL_FMT_A_SHIFT |
                            MXE_FORMAT_MXFP8_E4M3 << MXE_DESC_CONTROL_FMT_B_SHIFT);
  put(MXE_DESC_M, kM);
  put(MXE_DESC_N, kN);
  put(MXE_DESC_K, kK);
  put(MXE_DESC_A_ADDR, kA);
  put(MXE_DESC_B_ADDR, kB);
  put(MXE_DESC_A_SCALE_ADDR, kAScales);
  put(MXE_DESC_B_SCALE_ADDR, kBScales);
  put(MXE_DESC_D_ADDR, kD);
  put(MXE_DESC_A_STRIDE, kK);
  put(MXE_DESC_B_STRIDE, kK);
  put(MXE_DESC_A_SCALE_STRIDE, kK / 32);
  put(MXE_DESC_B_SCALE_STRIDE, kK / 32);
  put(MXE_DESC_D_STRIDE, kRowBytes);
  // Row r of A has (r + 1) * kOnesPerRow ones, column c of B the scale 2^c: the results of each row
  // and of each column differ.
  for (uint32_t row = 0; row < kM; row++) {
    std::memset(&bytes_[kA + row * kK], kOne, (row + 1) * kOnesPerRow);
  }
  std::memset(&bytes_[kAScales], kOneScale, kM * kK / 32);
  std::memset(&bytes_[kB], kOne, kN * kK);
  for (uint32_t column = 0; column < kN; column++) {
    std::memset(&bytes_[kBScales + column * kK / 32], static_cast<int>(kOneScale + column),
                kK / 32);
  }
}

void ForeignBoard::expect_results() const {
  SCOPED_TRACE(name());
  EXPECT_EQ(status(), static_cast<uint32_t>(MXE_STATUS_OK));
  unsigned wrong = 0;
  for (uint32_t row = 0; row < kM; row++) {
    for (uint32_t column = 0; column < kN; column++) {
      float result = 0;
      std::memcpy(&result, &bytes_[kD + row * kRowBytes + 4 * column], sizeof result);
      wrong += result != static_cast<float>((row + 1) * kOnesPerRow << column);
    }
    for (uint32_t byte = 4 * kN; byte < kRowBytes; byte++) {
      wrong += bytes_[kD + row * kRowBytes + byte] != kUntouched;
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(changed_, 0u);
  EXPECT_EQ(most_inside_ > 1, kind_.overlaps);
  EXPECT_GT(clocks_, 0u);
}

}  // namespace mxe::test
