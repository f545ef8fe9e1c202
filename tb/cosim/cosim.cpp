// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/cosim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/base/random.h"
#include "model/platform/clock.h"
#include "model/platform/driver_port.h"
#include "model/platform/engine.h"
#include "mxe_regs.h"
#include "tb/cosim/register_actions.h"

namespace mxe::cosim {
namespace {

constexpr std::size_t kSlotBytes = MXE_DESC_SIZE;
constexpr uint64_t kCyclesPerMicrosecond = 1000;

double cycle_error(const JobCycles& cycles) {
  if (cycles.model == 0 || cycles.rtl == 0) return 0;
  const auto model = static_cast<double>(cycles.model), rtl = static_cast<double>(cycles.rtl);
  return std::abs(model - rtl) / rtl;
}

void write_images(platform::Host& host, const std::vector<JobImage>& images) {
  for (const JobImage& image : images) image.write_to(host.memory());
}

/// What the first of the jobs left in memory.
void read_images(platform::Host& host, const std::vector<JobImage>& images,
                 std::vector<JobOutcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); i++) {
    outcomes[i].memory = images[i].read_from(host.memory());
  }
}

bool shows_counters(const rtl::RtlEngine& engine) {
  const std::vector<rtl::RtlSignal> signals = engine.top().signals();
  return std::any_of(signals.begin(), signals.end(), [](const rtl::RtlSignal& signal) {
    return signal.name() == rtl::RtlEngine::counter_name(0);
  });
}

bool is_bus_error(int result) {
  return result == MXE_ERR_READ || result == MXE_ERR_WRITE || result == MXE_ERR_FETCH;
}

void demand(int result, const char* action) {
  if (result == MXE_OK) return;
  throw Error(fmt::format("{}: {}", action, mxe_strerror(result)));
}

/// Where the descriptor of a job is, by the job's number since the driver was opened.
uint64_t entry_of(const mxe_device& driver, uint32_t number) {
  return driver.ring_bus_addr + (number - driver.origin) % driver.ring_entries * kSlotBytes;
}

/// The next jobs have ids from `id` on. The driver would find results that it still keeps by ids
/// that come again, which otherwise takes 2^32 jobs.
void begin_ids_at(mxe_device& driver, uint32_t id) {
  for (uint32_t i = 0; i < driver.ring_entries; i++) driver.slots[i].result.job_id = 0;
  driver.next_id = id;
}

}  // namespace

CoSim::CoSim(const CoSimOptions& options) : options_(options) {
  if (options.run_model) {
    model_ = make_device("model", options.params, [this] {
      platform::EngineOptions engine;
      engine.ports = options_.rtl.ports;
      if (options_.structural) engine.arithmetic = engine::make_structural_arithmetic;
      return std::make_unique<platform::Engine>("engine", options_.params, engine);
    });
  }
  if (options.run_rtl) {
    const EngineFeatures features = options.rtl_features.value_or(options.params);
    rtl_ = make_device("rtl", features, [this] {
      return std::make_unique<rtl::RtlEngine>("engine", options_.params, options_.rtl);
    });
  }
  counters_can_be_set_ =
      !rtl_ || shows_counters(static_cast<rtl::RtlEngine&>(rtl_->platform->engine()));
}

CoSim::~CoSim() = default;

std::unique_ptr<CoSim::Device> CoSim::make_device(
    const char* name, const EngineFeatures& features,
    const platform::Platform::EngineFactory& factory) {
  platform::Memory::Config memory;
  memory.base = options_.memory_base;
  memory.size = kCoSimMemoryBytes;
  memory.timing = options_.timing;
  auto device = std::make_unique<Device>();
  device->name = name;
  device->features = features;
  device->platform = std::make_unique<platform::Platform>(name, memory, factory);
  return device;
}

uint64_t CoSim::rtl_cycles() const {
  return rtl_ ? static_cast<rtl::RtlEngine&>(rtl_->platform->engine()).cycles() : 0;
}

std::string CoSim::rtl_states() const {
  if (!rtl_) return "";
  const auto& engine = static_cast<rtl::RtlEngine&>(rtl_->platform->engine());
  return "states of the RTL: " + rtl::describe(engine.top().signals());
}

/// Both memories begin at the same address, so one set of images serves both.
std::vector<JobImage> CoSim::place(const Batch& batch) {
  Device& first = model_ ? *model_ : *rtl_;
  uint64_t address = first.platform->host().allocation_mark() + kSlotBytes * options_.ring_entries;
  std::vector<JobImage> images;
  for (std::size_t i = 0; i < batch.jobs.size(); i++) {
    // With an odd start the 4 KiB boundaries are in other places of every job.
    images.emplace_back(batch.jobs[i], address + 37 * i, jobs_ + i);
    address = images.back().end();
  }
  return images;
}

void CoSim::run(const Batch& batch) {
  if (broken_ || batch.jobs.empty()) return;
  const std::vector<JobImage> images = place(batch);
  std::vector<platform::Host*> hosts;
  for (Device* device : {model_.get(), rtl_.get()}) {
    if (!device) continue;
    hosts.push_back(&device->platform->host());
    hosts.back()->start([&, device](platform::Host& h) { run_on(*device, h, batch, images); });
  }
  try {
    platform::run_hosts(hosts);
  } catch (const Error& error) {
    scoreboard_.add({"simulation", jobs_, error.what(), rtl_states()});
    broken_ = true;
    return;
  }
  check(batch, images);
  if (rtl_ && options_.observer && mismatches().empty()) {
    options_.observer->batch_compared(rtl_->counters, rtl_->counters_read);
  }
}

void CoSim::open(Device& device, platform::Host& host) {
  mxe_port port = platform::make_driver_port(host);
  if (options_.poll) port.wait_irq = nullptr;
  device.ring.emplace(host, host.allocation_mark(), options_.ring_entries);
  port = device.tap.attach(port);
  demand(mxe_open(&device.driver, &port, device.ring->get()), "mxe_open");
  const std::string contradiction = device.features.contradiction(device.driver.caps);
  if (!contradiction.empty()) throw Error(contradiction);
}

void CoSim::run_on(Device& device, platform::Host& host, const Batch& batch,
                   const std::vector<JobImage>& images) {
  if (!device.ring) open(device, host);
  device.traffic.clear();
  device.before_reset.clear();
  RegisterActions before(host, device.driver, device.name, device.features.counters,
                         device.traffic);
  if (batch.register_writes != 0) {
    // What remains of a job that was broken off differs between the engines.
    demand(mxe_clear_counters(&device.driver), "mxe_clear_counters");
    demand(mxe_read_counters(&device.driver, &device.counters), "mxe_read_counters");
    before.write_registers(batch.register_writes);
  }
  demand(mxe_clear_counters(&device.driver), "mxe_clear_counters");
  set_counters(device, batch);
  demand(mxe_read_counters(&device.driver, &device.counters),
         "mxe_read_counters");  // forget the last batch's
  if (batch.ring_overflow != 0) before.overflow_ring(batch.ring_overflow);
  if (batch.endless_jobs != 0) run_endless_jobs(device, host, batch.endless_jobs);
  if (batch.empty_jobs != 0) run_empty_jobs(device, host, batch.empty_jobs);
  if (batch.first_job != 0) begin_ids_at(device.driver, batch.first_job);
  if (batch.reset_after != 0) run_into_reset(device, host, batch, images);
  write_images(host, images);
  run_jobs(device, host, batch, images);
  host.memory().clear_faults();
  // An engine that breaks off a job has asked the memory for more or less than the other one.
  if (batch.is_disturbed()) host.memory().restart_timing();
  device.last_job = host.read32(MXE_REG_LAST_JOB);
  device.last_status = host.read32(MXE_REG_LAST_STATUS);
  demand(mxe_read_counters(&device.driver, &device.counters), "mxe_read_counters");
  device.counters_read = device.counters;
  for (std::size_t i = 0; i < device.first_counts.size(); i++) {
    device.counters.*counter_table[i].value -= device.first_counts[i];
  }
}

/// Lets all counters begin somewhere, if both engines allow it, and remembers where.
void CoSim::set_counters(Device& device, const BatchEvents& events) {
  device.first_counts.clear();
  if (events.counters_below == 0 && events.counters_anywhere == 0) return;
  if (!counters_can_be_set_) return;
  std::vector<uint64_t> values(std::size(counter_table),
                               (uint64_t{1} << 32) - events.counters_below);
  if (events.counters_anywhere != 0) {
    Random random(events.counters_anywhere);
    for (uint64_t& value : values) value = random.next();
  }
  uint64_t total = 0;
  for (std::size_t i = 0; i < values.size(); i++) {
    if (counter_table[i].part_of_total) total += values[i];
  }
  values[static_cast<std::size_t>(Counter::total)] = total;
  demand(device.platform->engine().set_counters(values) ? MXE_OK : MXE_ERR_ARGUMENT,
         "set_counters");
  device.first_counts = values;
}

/// Jobs of size 0, each of which must be refused.
void CoSim::run_empty_jobs(Device& device, platform::Host& host, uint32_t count) {
  const uint64_t start = platform::current_cycle();
  const mxe_job empty{};
  std::vector<uint32_t> ids(options_.ring_entries);
  for (uint32_t done = 0; done < count;) {
    ids.resize(std::min<std::size_t>(options_.ring_entries, count - done));
    for (uint32_t& id : ids) demand(mxe_submit(&device.driver, &empty, nullptr, &id), "mxe_submit");
    for (const uint32_t id : ids) {
      JobOutcome outcome;
      finish(device, outcome, id, start);
      if (outcome.result != MXE_ERR_SHAPE) {
        throw Error(fmt::format("{}: an empty job ended with: {}", device.name,
                                mxe_strerror(outcome.result)));
      }
    }
    done += static_cast<uint32_t>(ids.size());
  }
  device.traffic.push_back(fmt::format("{} empty jobs in {} cycles, head {}", count,
                                       platform::current_cycle() - start,
                                       host.read32(MXE_REG_RING_HEAD)));
}

/// Each size in turn is a power of two that takes too long to simulate, then one step of the loop
/// nest more, after which such a power remains. All strides are 0, so the operands are a few bytes,
/// whatever memory holds there.
void CoSim::run_endless_jobs(Device& device, platform::Host& host, uint32_t cycles) {
  constexpr uint64_t kApart = uint64_t{1} << 28;  // more than is read or written by then
  const Params& params = options_.params;
  mxe_job job{};
  uint64_t address = host.allocation_mark() + kSlotBytes * options_.ring_entries;
  for (uint64_t* part :
       {&job.a_addr, &job.a_scale_addr, &job.b_addr, &job.b_scale_addr, &job.d_addr}) {
    *part = (address + 63) / 64 * 64;
    address = *part + kApart;
  }
  for (const numerics::FormatId format :
       {numerics::FormatId::mxfp8_e4m3, numerics::FormatId::mxfp4_e2m1}) {
    job.format_a = job.format_b = static_cast<uint32_t>(format);
    const bool dual = params.fp4_dual != 0 && format == numerics::FormatId::mxfp4_e2m1;
    const std::pair<uint32_t mxe_job::*, uint32_t> sizes_and_steps[] = {
        {&mxe_job::m, params.rows},
        {&mxe_job::n, params.num_pe * params.acc_tiles},
        {&mxe_job::k, params.a_slab_k * (dual ? 2 : 1)}};
    for (const auto& [size, step] : sizes_and_steps) {
      std::string others;
      for (unsigned power = 20; power < 32; power++) {
        for (const uint32_t more : {0U, step}) {
          job.m = job.n = job.k = 1;
          if (&device == rtl_.get()) job.*size = (uint32_t{1} << power) + more;
          const std::string done = break_off(device, host, job, cycles);
          if (!others.empty() && done != others) {
            throw Error(fmt::format("in {} cycles of {}x{}x{}: {}, of a smaller job: {}", cycles,
                                    job.m, job.n, job.k, done, others));
          }
          others = done;
        }
      }
    }
  }
}

/// Breaks off a job that would take longer. Returns how it ended and what was done by then.
std::string CoSim::break_off(Device& device, platform::Host& host, const mxe_job& job,
                             uint32_t cycles) {
  demand(mxe_clear_counters(&device.driver), "mxe_clear_counters");
  uint32_t id = 0;
  demand(mxe_submit(&device.driver, &job, nullptr, &id), "mxe_submit");
  host.wait_cycles(cycles);
  struct mxe_counters done {};
  demand(mxe_read_counters(&device.driver, &done), "mxe_read_counters");
  demand(mxe_recover(&device.driver, options_.timeout_us), "mxe_recover");
  JobOutcome outcome;
  finish(device, outcome, id, platform::current_cycle());
  return fmt::format("{} ({} blocks, {} of them in clocks with two)", mxe_strerror(outcome.result),
                     done.blocks, done.dual_cycles);
}

/// The next job to be submitted is the first of the batch.
void CoSim::add_faults(Device& device, platform::Host& host, const Batch& batch,
                       const std::vector<JobImage>& images) {
  host.memory().clear_faults();
  device.faulty_bytes.clear();
  const auto add = [&](uint64_t address, platform::Memory::Faulty requests) {
    host.memory().add_fault(address, 1, requests);
    device.faulty_bytes.push_back(address);
  };
  for (const BusFault& fault : batch.faults) {
    const mxe_device& driver = device.driver;
    const uint64_t entry = entry_of(driver, driver.tail + static_cast<uint32_t>(fault.job));
    if (fault.part == "descriptor") {
      add(entry + fault.byte % kSlotBytes, platform::Memory::Faulty::all);
    } else if (fault.part == "record") {
      // The half with the status: the other may be a burst of its own, whose failure hides nothing.
      add(entry + MXE_DESC_STATUS + fault.byte % (kRecordBytes / 2),
          platform::Memory::Faulty::writes);
    } else if (const auto address = images[fault.job].byte_of(fault.part, fault.row, fault.byte)) {
      add(*address, platform::Memory::Faulty::all);
    }
  }
}

void CoSim::run_into_reset(Device& device, platform::Host& host, const Batch& batch,
                           const std::vector<JobImage>& images) {
  write_images(host, images);
  add_faults(device, host, batch, images);
  const uint64_t start = platform::current_cycle();
  const std::size_t count = std::min<std::size_t>(images.size(), options_.ring_entries);
  device.before_reset.assign(count, {});
  std::vector<uint32_t> ids(count);
  for (std::size_t i = 0; i < count; i++) {
    ids[i] = submit(device, host, batch.jobs[i], images[i]);
  }
  host.wait_cycles(batch.reset_after);
  demand(mxe_recover(&device.driver, options_.timeout_us), "mxe_recover");
  // The model may have asked for bursts of a row fetch that the RTL never asks for.
  host.memory().restart_timing();
  for (std::size_t i = 0; i < count; i++) finish(device, device.before_reset[i], ids[i], start);
  read_images(host, images, device.before_reset);
}

/// Returns the job's id.
uint32_t CoSim::submit(Device& device, platform::Host& host, const CosimJob& job,
                       const JobImage& image) {
  const auto change_descriptor = [&] {
    const mxe_device& driver = device.driver;
    uint8_t* bytes = host.memory().data(entry_of(driver, driver.tail - 1u), kSlotBytes);
    engine::DescriptorBytes descriptor;
    std::memcpy(descriptor.data(), bytes, kSlotBytes);
    if (job.in_turn) read_in_turn(descriptor);
    apply(job.claims, descriptor);
    for (const Spoil& spoil : job.spoils) apply(spoil, descriptor);
    std::memcpy(bytes, descriptor.data(), kSlotBytes);
  };
  device.tap.before_doorbell = change_descriptor;
  uint32_t id = 0;
  demand(mxe_submit(&device.driver, &image.descriptor(), nullptr, &id), "mxe_submit");
  device.tap.before_doorbell = nullptr;
  return id;
}

void CoSim::run_jobs(Device& device, platform::Host& host, const Batch& batch,
                     const std::vector<JobImage>& images) {
  device.outcomes.assign(images.size(), {});
  add_faults(device, host, batch, images);
  RegisterActions actions(host, device.driver, device.name, device.features.counters,
                          device.traffic);
  if (batch.masked) actions.mask();
  if (batch.disabled_for != 0) actions.put_to_sleep();
  const uint64_t start = platform::current_cycle();
  const std::size_t ring = options_.ring_entries, count = images.size();
  std::vector<uint32_t> ids;
  for (std::size_t i = 0; i < count; i++) {
    if (i >= ring) finish(device, device.outcomes[i - ring], ids[i - ring], start);
    device.tap.holds_doorbells = batch.one_doorbell && i + 1 < std::min(ring, count);
    ids.push_back(submit(device, host, batch.jobs[i], images[i]));
    if (i + 1 != std::min(ring, count)) continue;
    if (batch.doorbells != 0) actions.ring_doorbells(batch.doorbells);
    if (batch.disabled_for != 0) actions.wake_up(batch.disabled_for);
    if (batch.traffic != 0) actions.make_traffic(batch.traffic);
    if (batch.pause_after != 0) actions.pause(batch.pause_after);
    if (batch.masked) actions.unmask(kCyclesPerMicrosecond * options_.timeout_us);
  }
  for (std::size_t i = count - std::min(ring, count); i < count; i++) {
    finish(device, device.outcomes[i], ids[i], start);
  }
  read_images(host, images, device.outcomes);
}

void CoSim::finish(Device& device, JobOutcome& outcome, uint32_t id, uint64_t start) {
  outcome.result = mxe_wait(&device.driver, id, options_.timeout_us, &outcome.completion);
  outcome.seen_done = platform::current_cycle() - start;
  // Every later job would hang for as long.
  if (outcome.result == MXE_ERR_TIMEOUT) {
    throw Error(fmt::format("a job on the {} hangs: nothing completed for {} us", device.name,
                            options_.timeout_us));
  }
  if (std::exchange(device.tap.no_interrupt, false)) {
    throw Error(fmt::format("a job completed on the {} without an interrupt", device.name));
  }
}

void CoSim::check(const Batch& batch, const std::vector<JobImage>& images) {
  for (Device* device : {model_.get(), rtl_.get()}) {
    if (!device) continue;
    device->expected = {};
    device->expected.bytes_written = batch.empty_jobs * kRecordBytes;
  }
  const bool comparable = std::none_of(batch.jobs.begin(), batch.jobs.end(),
                                       [this](const CosimJob& job) { return only_one_runs(job); });
  for (std::size_t i = 0; i < batch.jobs.size(); i++, jobs_++) {
    check_job(batch, i, images[i]);
    if (!has_comparable_times(batch) || only_one_runs(batch.jobs[i])) continue;
    JobCycles cycles;
    cycles.job = batch.jobs[i].describe();
    if (model_) cycles.model = model_->outcomes[i].completion.cycles;
    if (rtl_) cycles.rtl = rtl_->outcomes[i].completion.cycles;
    cycles_.push_back(std::move(cycles));
    if (model_ && rtl_) compare_times(i);
  }
  for (const Device* device : {model_.get(), rtl_.get()}) {
    if (!device) continue;
    check_last_job(batch, *device);
    check_faults(batch, *device);
    check_sum(*device);
  }
  if (batch.is_disturbed()) {
    compare_faults();
    if (!model_ || !rtl_ || !comparable || !has_comparable_times(batch)) return;
    compare_before_reset();
    compare_counters(exact_counters(batch));
    return;
  }
  // A disabled engine counts nothing, even if it finishes a job.
  if (batch.pause_after == 0) check_counters();
  if (!model_ || !rtl_ || !comparable || !times_agree()) return;
  compare_traffic();
  compare_counters(exact_counters(batch));
}

/// Whether a job's descriptor or record is in a faulty place.
bool CoSim::meets(const Batch& batch, std::size_t job, const char* part_of_ring) const {
  return std::any_of(batch.faults.begin(), batch.faults.end(), [&](const BusFault& fault) {
    const std::size_t ring = options_.ring_entries;
    return fault.part == part_of_ring && fault.job % ring == job % ring;
  });
}

/// What the driver says of where jobs met a bus error: a byte that the bus refuses lies there, and
/// the last of the jobs has an answer.
void CoSim::check_faults(const Batch& batch, const Device& device) {
  if (!device.features.faults) return;
  const uint64_t beat = options_.params.mem_bytes();
  const uint64_t burst = beat * options_.params.max_burst;
  bool last = true;
  for (std::size_t i = device.outcomes.size(); i-- > 0;) {
    const JobOutcome& outcome = device.outcomes[i];
    if (!is_bus_error(outcome.result)) continue;
    const uint64_t address = outcome.completion.fault_addr;
    const bool told = outcome.completion.fault_operand != MXE_FAULT_NONE;
    const bool right =
        address % beat == 0 &&
        std::any_of(device.faulty_bytes.begin(), device.faulty_bytes.end(),
                    [&](uint64_t byte) { return byte >= address && byte - address < burst; });
    if (told ? !right : last) {
      scoreboard_.add(
          {device.name, jobs_,
           fmt::format("FAULT_ADDR is {:#x} and the operand {}, where no byte is faulty", address,
                       outcome.completion.fault_operand),
           batch.jobs[i].describe()});
    }
    last = false;
  }
}

/// Both engines must have met the same errors, where they are comparable: with an engine of other
/// times the order of reads depends on the memory's, which differ once a job has been broken off.
void CoSim::compare_faults() {
  if (!model_ || !rtl_ || !rtl_->features.faults || options_.cycle_tolerance < 0) return;
  const bool regular =
      times_agree() || (options_.timing.jitter_seed == 0 && options_.timing.bytes_per_cycle == 0);
  if (!regular && !model_->before_reset.empty()) return;
  for (std::size_t i = 0; i < model_->outcomes.size(); i++) {
    const JobOutcome &model = model_->outcomes[i], &rtl = rtl_->outcomes[i];
    if (!is_bus_error(model.result) || !is_bus_error(rtl.result)) continue;
    const mxe_completion &a = model.completion, &b = rtl.completion;
    if (a.fault_operand != b.fault_operand || a.fault_addr != b.fault_addr) {
      scoreboard_.add({"both", jobs_,
                       fmt::format("bus error of operand {} at {:#x} on the model, of {} at {:#x} "
                                   "on the RTL",
                                   a.fault_operand, a.fault_addr, b.fault_operand, b.fault_addr),
                       ""});
    }
    if (!regular) return;
  }
}

/// A reset comes to both engines in the same clock cycle: the same jobs have ended until then.
void CoSim::compare_before_reset() {
  for (std::size_t i = 0; i < model_->before_reset.size(); i++) {
    const JobOutcome &model = model_->before_reset[i], &rtl = rtl_->before_reset[i];
    if (model.result == rtl.result && model.completion.cycles == rtl.completion.cycles) continue;
    scoreboard_.add({"both", jobs_,
                     fmt::format("job {} before the reset: '{}' after {} cycles on the model, '{}' "
                                 "after {} on the RTL",
                                 i, mxe_strerror(model.result), model.completion.cycles,
                                 mxe_strerror(rtl.result), rtl.completion.cycles),
                     ""});
    return;
  }
}

/// The registers that name the last job.
void CoSim::check_last_job(const Batch& batch, const Device& device) {
  const std::size_t last = batch.jobs.size() - 1;
  const mxe_completion& record = device.outcomes[last].completion;
  uint32_t id = record.job_id, status = record.status;
  // What the driver says of a job without a record is not what the engine says.
  if (meets(batch, last, "descriptor"))
    id = 0;
  else if (meets(batch, last, "record"))
    status = MXE_STATUS_ERR_WRITE;
  if (device.last_job == id && device.last_status == status) return;
  scoreboard_.add({device.name, jobs_,
                   fmt::format("LAST_JOB is {:#x} and LAST_STATUS {}, expected {:#x} and {}",
                               device.last_job, device.last_status, id, status),
                   batch.jobs[last].describe()});
}

void CoSim::check_job(const Batch& batch, std::size_t i, const JobImage& image) {
  const bool alike = !only_one_runs(batch.jobs[i]);
  std::optional<Expectation> expected;
  for (Device* device : {model_.get(), rtl_.get()}) {
    if (!device) continue;
    if (!expected || !alike) {
      expected = Scoreboard::expected(batch.jobs[i], image, device->features);
    }
    check_outcomes(batch, i, image, *expected, *device);
  }
}

/// What a job must have done; adds what it must have counted.
void CoSim::check_outcomes(const Batch& batch, std::size_t i, const JobImage& image,
                           Expectation expected, Device& device) {
  const CosimJob& job = batch.jobs[i];
  device.expected += expected.counts;
  const bool no_record = meets(batch, i, "record");
  if (meets(batch, i, "descriptor")) {
    expected = {MXE_ERR_FETCH, image.before(), {}};
  }
  const auto fault = std::find_if(batch.faults.begin(), batch.faults.end(), [&](const BusFault& f) {
    return f.job == i && image.byte_of(f.part, f.row, f.byte);
  });
  const bool faulty = fault != batch.faults.end() && expected.result == MXE_OK;
  // A missing record has one cause for the driver.
  if (no_record) expected.result = MXE_ERR_FETCH;
  const int error = faulty && fault->part.back() == 'D' ? MXE_ERR_WRITE : MXE_ERR_READ;
  const auto check_outcome = [&](const JobOutcome& outcome, bool aborted) {
    const bool allowed = (aborted && outcome.result == MXE_ERR_ABORTED) ||
                         (faulty && outcome.result == (no_record ? MXE_ERR_FETCH : error));
    if (allowed) {
      scoreboard_.check_broken_off(device.name, jobs_, job, image, expected, outcome);
    } else if (faulty && outcome.result == MXE_OK) {
      scoreboard_.add({device.name, jobs_, fmt::format("no bus error seen in {}", fault->part),
                       job.describe()});
    } else {
      scoreboard_.check(device.name, jobs_, job, image, expected, outcome);
    }
    if (&device == rtl_.get() && options_.observer && mismatches().empty()) {
      options_.observer->job_compared(job, image, expected, outcome);
    }
  };
  if (i < device.before_reset.size()) check_outcome(device.before_reset[i], true);
  check_outcome(device.outcomes[i], false);
}

bool CoSim::only_one_runs(const CosimJob& job) const {
  return model_ && rtl_ && job.refused_with(model_->features) != job.refused_with(rtl_->features);
}

void CoSim::check_sum(const Device& device) {
  if (!device.features.counters || adds_up(device.counters)) return;
  scoreboard_.add({device.name, jobs_,
                   fmt::format("counters: total is {}, its parts add up to another number",
                               device.counters.total),
                   ""});
}

void CoSim::compare_traffic() {
  const std::vector<std::string>&model = model_->traffic, &rtl = rtl_->traffic;
  for (std::size_t i = 0; i < std::min(model.size(), rtl.size()); i++) {
    if (model[i] == rtl[i]) continue;
    scoreboard_.add(
        {"both", jobs_,
         fmt::format("software sees '{}' on the model, '{}' on the RTL", model[i], rtl[i]), ""});
    return;
  }
}

void CoSim::compare_times(std::size_t i) {
  const JobCycles& cycles = cycles_.back();
  const double error = cycle_error(cycles);
  const uint64_t model_done = model_->outcomes[i].seen_done, rtl_done = rtl_->outcomes[i].seen_done;
  const auto add = [&](const std::string& what) {
    scoreboard_.add({"both", jobs_, what, cycles.job});
  };
  if (options_.cycle_tolerance < 0) return;
  if (error > options_.cycle_tolerance) {
    add(fmt::format("{} cycles on the model, {} on the RTL", cycles.model, cycles.rtl));
  } else if (times_agree() && model_done != rtl_done) {
    add(fmt::format("seen done after {} cycles on the model, {} on the RTL", model_done, rtl_done));
  }
}

double CoSim::max_cycle_error() const {
  double largest = 0;
  for (const JobCycles& cycles : cycles_) largest = std::max(largest, cycle_error(cycles));
  return largest;
}

double CoSim::mean_cycle_error() const {
  double sum = 0;
  for (const JobCycles& cycles : cycles_) sum += cycle_error(cycles);
  return cycles_.empty() ? 0 : sum / static_cast<double>(cycles_.size());
}

void CoSim::check_counters() {
  for (const Device* device : {model_.get(), rtl_.get()}) {
    if (!device || !device->features.counters) continue;
    scoreboard_.check_counts(device->name, jobs_, device->expected, device->counters);
  }
}

/// Where counting stopped or began: in the middle of a job if it was paused.
CoSim::Exact CoSim::exact_counters(const Batch& batch) {
  if (batch.pause_after != 0) return Exact::at_any_time;
  return batch.reset_after != 0 ? Exact::after_reset : Exact::between_jobs;
}

void CoSim::compare_counters(Exact exact) {
  for (const CounterInfo& counter : counter_table) {
    if (exact == Exact::at_any_time && !counter.exact_within_jobs) continue;
    // The RTL counts the beats of transfers under way one by one.
    const bool transfers =
        counter.value == &mxe_counters::bytes_read || counter.value == &mxe_counters::bytes_written;
    if (exact == Exact::after_reset && transfers) continue;
    const uint64_t model = model_->counters.*counter.value, rtl = rtl_->counters.*counter.value;
    if (model == rtl) continue;
    scoreboard_.add(
        {"both", jobs_,
         fmt::format("counter {} is {} on the model, {} on the RTL", counter.name, model, rtl),
         ""});
  }
}

}  // namespace mxe::cosim
