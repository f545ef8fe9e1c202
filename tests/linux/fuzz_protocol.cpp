// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a guest of User-mode Linux that breaks a protocol must end in a ProtocolError.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "model/platform/uml/pci_commands.h"
#include "model/platform/uml/time_keeper.h"
#include "model/platform/uml/vhost_device.h"

int sc_main(int, char**) { return 0; }

namespace {

using namespace mxe::uml;

constexpr std::size_t kMemoryBytes = 65536;

/// The fuzzer's input in pieces, followed by zeros.
class Input {
 public:
  Input(const uint8_t* data, std::size_t bytes) : data_(data), left_(bytes) {}
  bool empty() const { return left_ == 0; }
  template <typename T>
  T take() {
    T value{};
    bytes(&value, sizeof value);
    return value;
  }
  void bytes(void* to, std::size_t wanted) {
    const std::size_t count = std::min(wanted, left_);
    if (count != 0) std::memcpy(to, data_, count);
    data_ += count;
    left_ -= count;
  }

 private:
  const uint8_t* data_;
  std::size_t left_;
};

class Function : public PciTarget {
 public:
  void read_config(uint64_t, std::size_t bytes, uint8_t* data) override {
    std::fill_n(data, bytes, uint8_t{1});
  }
  void write_config(uint64_t, std::size_t bytes, const uint8_t* data) override { sum(bytes, data); }
  void read_bar0(uint64_t, std::size_t bytes, uint8_t* data) override {
    std::fill_n(data, bytes, uint8_t{2});
  }
  void write_bar0(uint64_t, std::size_t bytes, const uint8_t* data) override { sum(bytes, data); }

 private:
  void sum(std::size_t bytes, const uint8_t* data) {
    for (std::size_t i = 0; i < bytes; i++) sum_ = static_cast<uint8_t>(sum_ + data[i]);
  }
  volatile uint8_t sum_ = 0;
};

class Guest {
 public:
  Guest(GuestMemory& memory, Input& input)
      : input_(input),
        commands_(function_),
        device_(memory, [this](uint32_t queue) { kicked(queue); }) {
    if (ftruncate(file_.get(), kMemoryBytes) != 0) std::abort();
    view_ = static_cast<uint8_t*>(
        mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
  }
  ~Guest() { munmap(view_, kMemoryBytes); }

  void begin() {  // the start of a real Linux, which the fuzzer would not find
    MemoryRegion region{0, kMemoryBytes, 0, 0};
    std::vector<uint8_t> table(8 + sizeof region);
    table[0] = 1;
    std::memcpy(table.data() + 8, &region, sizeof region);
    send(VhostRequest::set_mem_table, table, 1);
    for (uint32_t queue = 0; queue < VhostDevice::kQueues; queue++) {
      send(VhostRequest::set_vring_num, bytes_of(VringState{queue, 16}));
      const uint64_t at = 4096 * queue;
      send(VhostRequest::set_vring_addr,
           bytes_of(VringAddresses{queue, 0, at, at + 1024, at + 2048, 0}));
      send(VhostRequest::set_vring_enable, bytes_of(VringState{queue, 1}));
    }
  }

  void step() {
    switch (input_.take<uint8_t>() % 4) {
      case 0: {
        std::vector<uint8_t> payload(input_.take<uint16_t>() % 128);
        const auto request = static_cast<VhostRequest>(input_.take<uint8_t>() % 40);
        const auto files = input_.take<uint8_t>() % 3;
        input_.bytes(payload.data(), payload.size());
        send(request, payload, files);
        return;
      }
      case 1: {
        const auto message = input_.take<TimeMessage>();
        time_.handle(message, 5);
        if (time_.waiting()) time_.run(time_.wanted());
        return;
      }
      case 2: {
        const std::size_t at = input_.take<uint16_t>() % 8192;
        input_.bytes(view_ + at, input_.take<uint8_t>() % 64);
        return;
      }
      default:
        send(VhostRequest::vring_kick, bytes_of(VringState{input_.take<uint8_t>() % 3u, 0}));
    }
  }

 private:
  template <typename T>
  static std::vector<uint8_t> bytes_of(const T& value) {
    std::vector<uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  void send(VhostRequest request, const std::vector<uint8_t>& payload, int files = 0) {
    VhostMessage message;
    message.header = {static_cast<uint32_t>(request), VhostHeader::kVersion,
                      static_cast<uint32_t>(payload.size())};
    message.payload = payload;
    for (int i = 0; i < files; i++) message.files.emplace_back(dup(file_.get()));
    VhostDevice::check(message.header);
    device_.handle(message);
  }

  void kicked(uint32_t index) {
    Virtqueue& queue = device_.queue(index);
    for (int most = 100; most > 0; most--) {
      const std::optional<Buffer> buffer = queue.pop();
      if (!buffer) return;
      queue.push(*buffer, index == VhostDevice::kCommands ? commands_.execute(*buffer) : 0);
    }
  }

  Input& input_;
  FileDescriptor file_{memfd_create("guest", MFD_CLOEXEC)};
  uint8_t* view_ = nullptr;
  Function function_;
  PciCommands commands_;
  VhostDevice device_;
  TimeKeeper time_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes) {
  static GuestMemory memory("memory", mxe::engine::MemoryTiming{}, 32);
  Input input(data, bytes);
  try {
    Guest guest(memory, input);
    guest.begin();
    while (!input.empty()) guest.step();
  } catch (const ProtocolError&) {
  }
  return 0;
}
