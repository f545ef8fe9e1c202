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

#include "mxe_regs.h"

namespace mxe::uml {
namespace {

constexpr uint64_t kNever = TimeKeeper::kNever;
constexpr uint64_t kNanosecondsPerMicrosecond = 1000, kNanosecondsPerMillisecond = 1'000'000;
/// How far the engine is simulated before Linux is asked again, if Linux has a clock of its own.
constexpr uint64_t kSlice = 10 * kNanosecondsPerMicrosecond;
/// How long Linux may run without waiting for us.
constexpr uint64_t kMostAlone = 100 * kNanosecondsPerMicrosecond;
/// Writes need no answer, so Linux looks at their buffers when it is told to, or reads something.
constexpr uint32_t kMostUnclaimed = 64;
/// A message to Linux: its head and the number that the guest gave it.
constexpr std::size_t kInterruptBytes = sizeof(PciRequest) + sizeof(uint32_t);

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
                  message_event_.notify(sc_core::SC_ZERO_TIME);
                }),
      memory_("memory", options.timing, engine_->params().mem_bytes()),
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
  set_stack_size(kThreadStackBytes);
  if (options.remove_us != 0) SC_THREAD(remove_thread);
}

void Machine::watch(int file, short events, std::function<bool()> ready, bool wakes) {
  watches_.push_back({file, events, std::move(ready), wakes});
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

// ------------------------------------------------------------------------ time

uint64_t Machine::now() const { return frozen_.value_or(clock_.now() - skipped_); }

uint64_t Machine::until_timeout() const {
  if (options_.timeout_us == 0) return kNever;
  const uint64_t end = options_.timeout_us * kNanosecondsPerMicrosecond;
  return end > now() ? end - now() : 0;
}

/// When the function is pulled out or time is up, which Linux does not know beforehand.
uint64_t Machine::next_surprise() const {
  uint64_t first = kNever;
  for (const uint64_t us : {options_.remove_us, options_.timeout_us}) {
    if (us != 0) first = std::min(first, us * kNanosecondsPerMicrosecond);
  }
  return first;
}

uint64_t Machine::wall_nanoseconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

void Machine::fail(std::string fault) {
  if (!over()) fault_ = std::move(fault);
}

MachineOutcome Machine::run() {
  wall_start_ = wall_nanoseconds();
  while (!over()) {
    sc_core::sc_start();
    if (over()) break;
    // Nothing can happen in the simulation any more. Linux may still be woken from outside.
    if (std::none_of(watches_.begin(), watches_.end(),
                     [](const Watch& one) { return one.wakes; })) {
      fail("Linux sleeps for ever: nothing can wake it");
    }
    std::vector<pollfd> ends;
    add_watches(ends);
    poll(ends.data(), ends.size(), -1);
    starved_event_.notify(sc_core::SC_ZERO_TIME);
  }
  MachineOutcome outcome;
  outcome.fault = fault_;
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
  } catch (const mx::Error& error) {
    fail(error.what());
  }
  sc_core::sc_pause();
}

/// Pulls the function out in the middle of whatever Linux and the engine do. Linux is not told.
void Machine::remove_thread() {
  const uint64_t end = options_.remove_us * kNanosecondsPerMicrosecond;
  while (now() < end) wait(clock_.to_time(end - now()));
  function_.remove();
}

void Machine::run_shared_time() {
  while (!over()) {
    if (until_timeout() == 0) {
      fail(fmt::format("timeout after {} us of simulated time", options_.timeout_us));
    } else if (time_.waiting()) {
      pass_time();
      while (!over() && serve(0)) {
      }
    } else {
      serve(-1);
    }
  }
}

/// Linux waits: time passes.
void Machine::pass_time() {
  if (message_ && !no_room_) return deliver_message();
  if (unclaimed_ >= kMostUnclaimed) return call(VhostDevice::kCommands);
  const uint64_t wanted = time_.wanted();
  if (wanted <= now()) return go_on();
  uint64_t most = until_timeout();
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

/// Linux runs from now on.
void Machine::go_on() {
  permit();
  const TimeMessage run = time_.run(now());
  if (!send(time_socket_.get(), &run, sizeof run)) time_socket_.reset();
}

/// Linux lets time pass when it looks at its clock. It need not wait for us each time, as long as
/// the engine does nothing by itself.
void Machine::permit() {
  const bool quiet = engine_->at_rest() && !message_ && !options_.real_time;
  time_.permit(quiet ? std::min(now() + kMostAlone, next_surprise()) : 0);
}

/// The engine has something to do.
bool Machine::engine_works() {
  uint32_t status = 0;
  function_.read_bar0(MXE_REG_STATUS, sizeof status, reinterpret_cast<uint8_t*>(&status));
  if (status == ~uint32_t{0}) return false;
  return (status & MXE_STATUS_BUSY_MASK) != 0 || (status & MXE_STATUS_EMPTY_MASK) == 0;
}

void Machine::run_own_time() {
  while (!over()) {
    const bool works = engine_works();
    serve(works ? 0 : -1);
    if (works) wait(clock_.to_time(kSlice), message_event_);
    if (message_ && !no_room_ && !over()) deliver_message();
    if (unclaimed_ >= kMostUnclaimed && !over()) call(VhostDevice::kCommands);
    if (until_timeout() == 0) {
      fail(fmt::format("timeout after {} us of simulated time", options_.timeout_us));
    }
  }
}

// --------------------------------------------------------------------- sockets

void Machine::add_watches(std::vector<pollfd>& ends) const {
  for (const Watch& watch : watches_) ends.push_back({watch.file, watch.events, 0});
}

/// Waits until Linux says something, or a watched file can be read, at most so long (-1: for ever),
/// and serves all that. Returns whether there was something.
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
  if (count <= 0) return false;  // nothing, or a signal
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
    const std::function<bool()> ready = watch->ready;  // which may watch other files
    if (!ready()) watches_.erase(std::find_if(watches_.begin(), watches_.end(), of_file));
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
    fail("Linux has gone");
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

/// Linux's clock may be ahead of the simulation when it reaches out to us.
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

// ------------------------------------------------------------------ interrupts

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

/// Tells Linux to look at a queue. If it shares our time, it has to take note before time passes.
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
