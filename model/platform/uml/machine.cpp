// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/machine.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::uml {
namespace {

constexpr uint64_t kNever = TimeKeeper::kNever;
constexpr uint64_t kNanosecondsPerMicrosecond = 1000, kNanosecondsPerMillisecond = 1'000'000,
                   kNanosecondsPerSecond = 1'000'000'000;
/// Simulated time of the engine between two checks of the sockets, if Linux has its own clock.
constexpr uint64_t kSlice = 10 * kNanosecondsPerMicrosecond;
/// Longest time for which Linux may run without waiting for the simulation.
constexpr uint64_t kMostAlone = 100 * kNanosecondsPerMicrosecond;
/// Writes have no response, so Linux reclaims their buffers only after a call or a read.
constexpr uint32_t kMostUnclaimed = 64;
constexpr uint32_t kFirstOfState = MXE_REG_CTRL, kLastOfState = MXE_REG_FAULT_INFO;
/// A message to Linux: header and the guest's message number.
constexpr std::size_t kInterruptBytes = sizeof(PciRequest) + sizeof(uint32_t);

/// Timeout for poll(2): up to 1 ms more than `nanoseconds`, at most 1000 s; -1 (none) for kNever.
int milliseconds_to(uint64_t nanoseconds) {
  constexpr uint64_t kMost = 1'000'000;
  if (nanoseconds == kNever) return -1;
  return static_cast<int>(std::min(nanoseconds / kNanosecondsPerMillisecond + 1, kMost));
}

}  // namespace

Machine::Machine(const sc_core::sc_module_name& name, const MachineOptions& options,
                 const EngineFactory& make_engine)
    : sc_module(name),
      options_(options),
      engine_(make_engine()),
      function_("function", options.ids,
                [this](const pci::Message& message) {
                  message_ = message;
                  if (!first_message_) first_message_ = clock_.now();
                  last_message_ = now();
                  message_event_.notify(sc_core::SC_ZERO_TIME);
                }),
      memory_("memory", options.timing, engine_->params().mem_bytes(), options.dram),
      commands_(*this),
      device_(memory_, [this](uint32_t queue) { kicked(queue); }),
      device_listener_(options.device_socket) {
  if (!options.time_socket.empty()) time_listener_.emplace(options.time_socket);
  function_.regs.bind(engine_->regs);
  engine_->mem.bind(function_.dma);
  function_.memory.bind(memory_.socket);
  engine_->irq.bind(irq_);
  function_.irq.bind(irq_);
  SC_HAS_PROCESS(Machine);
  SC_THREAD(run_thread);
  set_stack_size(platform::kThreadStackBytes);
  if (options.remove_us != 0) SC_THREAD(remove_thread);
}

void Machine::watch(int file, short events, std::function<bool()> ready, bool wakes) {
  watches_.push_back({file, events, std::move(ready), wakes});
}

void Machine::unwatch(int file) {
  const auto of_file = [&](const Watch& watch) { return watch.file == file; };
  watches_.erase(std::remove_if(watches_.begin(), watches_.end(), of_file), watches_.end());
}

void Machine::read_config(uint64_t offset, std::size_t bytes, uint8_t* data) {
  function_.read_config(offset, bytes, data);
}
void Machine::write_config(uint64_t offset, std::size_t bytes, const uint8_t* data) {
  function_.write_config(offset, bytes, data);
}
void Machine::read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data) {
  function_.read_bar0(offset, bytes, data);
}
void Machine::write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data) {
  function_.write_bar0(offset, bytes, data);
}

uint64_t Machine::now() const { return frozen_.value_or(clock_.now() - skipped_); }

uint64_t Machine::linux_now() const {
  return shares_time() ? now() : wall_nanoseconds() - wall_start_;
}

/// Time of the next check(), on Linux's clock.
uint64_t Machine::next_check() const {
  if (inspecting_) return kNever;
  const uint64_t timeout = options_.timeout_us * kNanosecondsPerMicrosecond;
  return std::min(timeout != 0 ? timeout : kNever, stall_check_ns_);
}

uint64_t Machine::until_check() const {
  const uint64_t next = next_check();
  if (next == kNever) return kNever;
  return next > linux_now() ? next - linux_now() : 0;
}

/// Time of the next removal or check(), which Linux cannot know in advance.
uint64_t Machine::next_surprise() const {
  const uint64_t removal = options_.remove_us * kNanosecondsPerMicrosecond;
  return std::min(removal != 0 ? removal : kNever, next_check());
}

uint64_t Machine::wall_nanoseconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

void Machine::fail(std::string fault) {
  if (!over()) fault_ = std::move(fault);
}

/// Ends the run at the timeout, if no event can wake Linux, or if a task waits for a stalled
/// engine; queries Linux first.
void Machine::check() {
  if (inspecting_ || over()) return;
  if (asleep_) return inspect("Linux sleeps without a timeout, and no event can wake it");
  const uint64_t time = linux_now();
  if (options_.timeout_us != 0 && time >= options_.timeout_us * kNanosecondsPerMicrosecond) {
    return inspect(fmt::format("timeout after {} us of {} time", options_.timeout_us,
                               shares_time() ? "simulated" : "wall-clock"));
  }
  if (time < stall_check_ns_) return;
  const uint64_t stall = options_.stall_us * kNanosecondsPerMicrosecond;
  const uint64_t progress = memory_.bursts() + function_.messages();
  if (progress != progress_) {
    progress_ = progress;
    progress_ns_ = time;
    stall_check_ns_ = time + stall;
    return;
  }
  // A program may sleep for long, so the interval doubles.
  stall_check_ns_ = time + std::max(stall, time - progress_ns_);
  inspect(std::nullopt);
}

/// Queries Linux's tasks. With `fault`, the run ends with that fault after the response.
void Machine::inspect(std::optional<std::string> fault) {
  inspecting_ = true;
  final_fault_ = std::move(fault);
  if (!ask_ || !ask_()) inspected(std::nullopt);
}

void Machine::inspected(std::optional<std::string> stuck) {
  if (!inspecting_) return;
  inspecting_ = false;
  if (!final_fault_ && !stuck) return;
  fault_is_checks_ = true;
  if (final_fault_) return fail(*final_fault_);
  fail(fmt::format("{}, and the engine has moved no data and sent no interrupt for {} s of {} time",
                   *stuck, (linux_now() - progress_ns_) / kNanosecondsPerSecond,
                   shares_time() ? "simulated" : "wall-clock"));
}

std::string Machine::describe_engine() {
  const auto read = [this](uint32_t offset) {
    uint32_t value = 0;
    function_.read_bar0(offset, sizeof value, reinterpret_cast<uint8_t*>(&value));
    return value;
  };
  std::string text =
      fmt::format("engine: {} bursts, {} interrupts", memory_.bursts(), function_.messages());
  if (last_message_) text += fmt::format(", the last at {} ns", *last_message_);
  if (message_) text += ", one is not delivered";
  const uint32_t status = read(MXE_REG_STATUS);
  if (function_.removed()) return text + "; out of its slot\n";
  if (status == ~uint32_t{0}) return text + "; Linux has not enabled the PCI function\n";
  text += (status & MXE_STATUS_BUSY_MASK) != 0 ? "; busy" : "; idle";
  text += (status & MXE_STATUS_EMPTY_MASK) != 0 ? ", no job in the ring" : ", jobs in the ring";
  if ((status & MXE_STATUS_RESETTING_MASK) != 0) text += ", in reset";
  std::size_t count = 0;
  for (const RegisterInfo& info : register_table) {
    if (info.offset < kFirstOfState || info.offset > kLastOfState) continue;
    text += fmt::format("{}{:<14} {:#010x}", count++ % 3 == 0 ? "\n  " : "   ", info.name,
                        read(info.offset));
  }
  return text + "\n";
}

MachineOutcome Machine::run() {
  wall_start_ = wall_nanoseconds();
  if (options_.stall_us != 0) stall_check_ns_ = options_.stall_us * kNanosecondsPerMicrosecond;
  while (!over()) {
    sc_core::sc_start();
    if (over()) break;
    // No event is left in the simulation, but Linux may still be woken from outside.
    if (std::any_of(watches_.begin(), watches_.end(), [](const Watch& one) { return one.wakes; })) {
      std::vector<pollfd> ends;
      add_watches(ends);
      poll(ends.data(), ends.size(), -1);
    } else {
      asleep_ = true;
    }
    starved_event_.notify(sc_core::SC_ZERO_TIME);
  }
  MachineOutcome outcome;
  outcome.fault = fault_;
  outcome.engine = engine_text_;
  outcome.nanoseconds = now();
  outcome.register_accesses = commands_.register_accesses();
  outcome.bursts = memory_.bursts();
  outcome.messages = function_.messages();
  outcome.first_message = first_message_;
  return outcome;
}

void Machine::run_thread() {
  try {
    if (shares_time()) {
      run_shared_time();
    } else {
      run_own_time();
    }
    if (fault_is_checks_) engine_text_ = describe_engine();
  } catch (const Error& error) {
    fail(error.what());
  }
  sc_core::sc_pause();
}

/// Removes the function at a fixed time without notifying Linux.
void Machine::remove_thread() {
  const uint64_t end = options_.remove_us * kNanosecondsPerMicrosecond;
  while (now() < end) wait(clock_.to_time(end - now()));
  function_.remove();
}

void Machine::run_shared_time() {
  while (!over()) {
    check();
    if (over()) return;
    if (time_.waiting()) {
      pass_time();
      while (!over() && serve(0)) {
      }
    } else {
      serve(-1);
    }
  }
}

void Machine::pass_time() {
  if (message_ && !no_room_) return deliver_message();
  if (unclaimed_ >= kMostUnclaimed) return call(VhostDevice::kCommands);
  const uint64_t wanted = time_.wanted();
  if (wanted <= now()) return go_on();
  uint64_t most = until_check();
  if (options_.real_time) {
    const uint64_t wall = wall_nanoseconds() - wall_start_;
    if (wall <= now()) {
      const uint64_t early = std::min(wanted, now() + 100 * kNanosecondsPerMillisecond) - wall;
      serve(static_cast<int>(early / kNanosecondsPerMillisecond) + 1);
      return;
    }
    most = std::min(most, wall - now());
  }
  if (wanted < kNever) most = std::min(most, wanted - now());
  if (most < kNever) {
    wait(clock_.to_time(most), message_event_);
  } else {
    wait(message_event_ | starved_event_);
  }
}

void Machine::go_on() {
  permit();
  const TimeMessage run = time_.run(now());
  if (!send(time_socket_.get(), &run, sizeof run)) time_socket_.reset();
}

/// Allows Linux to advance its clock without waiting for the simulation, as long as the engine is
/// idle.
void Machine::permit() {
  const bool quiet = engine_->at_rest() && !message_ && !options_.real_time;
  time_.permit(quiet ? std::min(now() + kMostAlone, next_surprise()) : 0);
}

bool Machine::engine_works() {
  uint32_t status = 0;
  function_.read_bar0(MXE_REG_STATUS, sizeof status, reinterpret_cast<uint8_t*>(&status));
  if (status == ~uint32_t{0}) return false;
  return (status & MXE_STATUS_BUSY_MASK) != 0 || (status & MXE_STATUS_EMPTY_MASK) == 0;
}

void Machine::run_own_time() {
  while (!over()) {
    const bool works = engine_works();
    serve(works ? 0 : milliseconds_to(until_check()));
    if (works) wait(clock_.to_time(kSlice), message_event_);
    if (message_ && !no_room_ && !over()) deliver_message();
    if (unclaimed_ >= kMostUnclaimed && !over()) call(VhostDevice::kCommands);
    check();
  }
}

void Machine::add_watches(std::vector<pollfd>& ends) const {
  for (const Watch& watch : watches_) ends.push_back({watch.file, watch.events, 0});
}

/// Waits at most `milliseconds` (-1: no limit) for Linux or watched files. True if it served any.
bool Machine::serve(int milliseconds) {
  std::vector<pollfd> ends;
  const int device = device_socket_.valid() ? device_socket_.get() : device_listener_.get();
  ends.push_back({device_gone_ ? -1 : device, POLLIN, 0});
  const int time = !shares_time()         ? -1
                   : time_socket_.valid() ? time_socket_.get()
                                          : time_listener_->get();
  ends.push_back({time, POLLIN, 0});
  const std::size_t first_watch = ends.size();
  add_watches(ends);
  const int count = poll(ends.data(), ends.size(), milliseconds);
  if (count <= 0) return false;  // timeout or signal
  if (ends[0].revents != 0) serve_device();
  if (ends[1].revents != 0) serve_time();
  serve_watches(ends, first_watch);
  return true;
}

void Machine::serve_watches(const std::vector<pollfd>& ends, std::size_t first) {
  for (std::size_t i = first; i < ends.size() && !over(); i++) {
    if (ends[i].revents == 0) continue;
    const auto of_file = [&](const Watch& watch) { return watch.file == ends[i].fd; };
    const auto watch = std::find_if(watches_.begin(), watches_.end(), of_file);
    if (watch == watches_.end()) continue;
    const std::function<bool()> ready = watch->ready;  // copied, because it may change watches_
    if (!ready()) unwatch(ends[i].fd);
  }
}

void Machine::serve_device() {
  if (!device_socket_.valid()) {
    device_socket_ = device_listener_.accept();
    return;
  }
  VhostMessage message;
  if (!receive(device_socket_.get(), &message.header, sizeof message.header, &message.files)) {
    device_socket_.reset();
    device_gone_ = true;
    return;
  }
  VhostDevice::check(message.header);
  message.payload.resize(message.header.size);
  if (!receive(device_socket_.get(), message.payload.data(), message.payload.size(),
               &message.files))
    return;
  if (const auto answer = device_.handle(message))
    send(device_socket_.get(), answer->data(), answer->size());
}

void Machine::serve_time() {
  if (!time_socket_.valid()) {
    time_socket_ = time_listener_->accept();
    return;
  }
  TimeMessage message;
  if (!receive(time_socket_.get(), &message, sizeof message)) {
    fail("Linux has closed the connection of its clock");
    return;
  }
  const std::optional<TimeMessage> answer = time_.handle(message, now());
  if (!answer) return;
  if (TimeKeeper::files_wanted(message)) {
    send(time_socket_.get(), &*answer, sizeof *answer, {time_.file(), time_.log()});
  } else {
    send(time_socket_.get(), &*answer, sizeof *answer);
  }
}

/// Linux's clock may be ahead of the simulation when it sends a message.
void Machine::catch_up() {
  const uint64_t shown = time_.shown();
  if (shown > now()) wait(clock_.to_time(shown - now()));
}

void Machine::kicked(uint32_t queue) {
  if (queue == VhostDevice::kInterrupts) {
    no_room_ = false;
    return;
  }
  if (shares_time()) catch_up();
  const uint64_t before = clock_.now();
  frozen_ = now();
  carry_out_commands();
  skipped_ += clock_.now() - before;
  frozen_.reset();
  if (shares_time()) permit();
}

void Machine::carry_out_commands() {
  Virtqueue& queue = device_.queue(VhostDevice::kCommands);
  while (const std::optional<Buffer> buffer = queue.pop()) {
    const std::size_t written = commands_.execute(*buffer);
    queue.push(*buffer, written);
    unclaimed_ = written == 0 ? unclaimed_ + 1 : 0;
  }
}

void Machine::deliver_message() {
  Virtqueue& queue = device_.queue(VhostDevice::kInterrupts);
  const std::optional<Buffer> buffer = queue.pop();
  no_room_ = !buffer;
  if (no_room_) return;
  PciRequest head;
  head.op = static_cast<uint8_t>(PciOp::msi);
  head.size = sizeof(uint32_t);
  const uint32_t number = message_->data;
  uint8_t bytes[kInterruptBytes];
  std::memcpy(bytes, &head, sizeof head);
  std::memcpy(bytes + sizeof head, &number, sizeof number);
  buffer->write(bytes, sizeof bytes);
  queue.push(*buffer, sizeof bytes);
  message_.reset();
  call(VhostDevice::kInterrupts);
}

/// Makes Linux read a queue. With a shared clock, Linux must acknowledge before time passes.
void Machine::call(uint32_t queue) {
  if (queue == VhostDevice::kCommands) unclaimed_ = 0;
  if (device_.requests() < 0) return;
  struct {
    VhostHeader header;
    VringState state;
  } message{{kSlaveVringCall, VhostHeader::kVersion | (shares_time() ? VhostHeader::kNeedReply : 0),
             sizeof(VringState)},
            {queue, 0}};
  if (shares_time()) time_.show(now());
  if (!send(device_.requests(), &message, sizeof message)) return;
  if (shares_time()) await_answer();
}

void Machine::await_answer() {
  uint8_t answer[sizeof(VhostHeader) + sizeof(uint64_t)];
  while (!over()) {
    pollfd ends[] = {{device_.requests(), POLLIN, 0}, {time_socket_.get(), POLLIN, 0}};
    std::vector<pollfd> all(std::begin(ends), std::end(ends));
    add_watches(all);
    if (poll(all.data(), all.size(), -1) <= 0) continue;
    if (all[1].revents != 0) {
      serve_time();
    } else if (all[0].revents != 0) {
      receive(device_.requests(), answer, sizeof answer);
      return;
    }
    serve_watches(all, std::size(ends));
  }
}

void Machine::wake() {
  if (shares_time() && time_.waiting()) call(VhostDevice::kCommands);
}

}  // namespace mxe::uml
