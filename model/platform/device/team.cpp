// SPDX-License-Identifier: Apache-2.0
#include "model/platform/device/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "model/numerics/base/error.h"
#include "model/platform/device/driver_session.h"
#include "model/platform/device/engines.h"
#include "model/platform/shared_platform.h"

namespace mxe::device {
namespace {

const job::JobShape& shape_of(const job::JobShape& shape) { return shape; }
job::JobShape shape_of(const job::Job& job) { return job.shape(); }

bool same_a(const job::JobShape& x, const job::JobShape& y) {
  return x.a_rows() == y.a_rows() && x.k == y.k && x.format_a == y.format_a;
}
bool same_b(const job::JobShape& x, const job::JobShape& y) {
  return x.b_rows() == y.b_rows() && x.k == y.k && x.format_b == y.format_b;
}
bool same(const numerics::MxTensor& x, const numerics::MxTensor& y) {
  return x.format == y.format && x.rows == y.rows && x.k == y.k && x.codes == y.codes &&
         x.scales == y.scales;
}
bool same_a(const job::Job& x, const job::Job& y) { return same(x.a, y.a); }
bool same_b(const job::Job& x, const job::Job& y) { return same(x.b, y.b); }

}  // namespace

uint64_t TeamResult::cycles() const {
  uint64_t cycles = 0;
  for (const Member& member : members) cycles = std::max(cycles, member.result.cycles);
  return cycles;
}

struct Team::Impl {
  Target target;
  Common common;
  std::unique_ptr<platform::SharedPlatform> platform;
  std::deque<DriverSession> sessions;

  template <typename AnyJob>
  TeamResult run(const std::vector<AnyJob>& jobs);
  void count_waits(TeamResult& result) const;
  CommonOperand place_common(const job::JobShape& shape) const;
};

CommonOperand Team::Impl::place_common(const job::JobShape& shape) const {
  if (common == Common::nothing) return {};
  job::JobParts parts(shape);
  parts.place(platform->common_address());
  if (common == Common::a) {
    return {&job::JobParts::a, &job::JobParts::a_scales, parts.a.address, parts.a_scales.address};
  }
  return {&job::JobParts::b, &job::JobParts::b_scales, parts.b.address, parts.b_scales.address};
}

/// Called before and after a run; leaves the difference of the wait cycles in `result`.
void Team::Impl::count_waits(TeamResult& result) const {
  const platform::Interconnect& bus = platform->interconnect();
  for (unsigned i = 0; i < result.members.size(); i++) {
    TeamResult::Member& member = result.members[i];
    member.reads_waited = bus.reads_waited(i) - member.reads_waited;
    member.writes_waited = bus.writes_waited(i) - member.writes_waited;
  }
}

template <typename AnyJob>
TeamResult Team::Impl::run(const std::vector<AnyJob>& jobs) {
  if (jobs.size() != sessions.size()) throw Error("a team needs one job per engine");
  for (std::size_t i = 1; i < jobs.size(); i++) {
    if (common == Common::a && !same_a(jobs[0], jobs[i]))
      throw Error(fmt::format("job {} has another A than job 0: the team has one for all", i));
    if (common == Common::b && !same_b(jobs[0], jobs[i]))
      throw Error(fmt::format("job {} has another B than job 0: the team has one for all", i));
  }
  TeamResult result;
  result.members.resize(jobs.size());
  count_waits(result);
  const auto start = std::chrono::steady_clock::now();
  std::vector<platform::Host*> hosts;
  for (unsigned i = 0; i < jobs.size(); i++) {
    require_room(job::JobParts(shape_of(jobs[i])), platform->part_bytes());
    hosts.push_back(&platform->host(i));
  }
  const CommonOperand operand = place_common(shape_of(jobs[0]));
  for (unsigned i = 0; i < jobs.size(); i++) {
    hosts[i]->start([&, i](platform::Host& host) {
      DeviceResult done = sessions[i].run(host, jobs[i], operand);
      result.members[i].result = std::move(done);
    });
  }
  try {
    platform::run_hosts(hosts);
  } catch (const Error& error) {
    throw harness::DeviceFailure(fmt::format("{}: {}", target_name(target), error.what()));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_seconds = wall.count();
  count_waits(result);
  return result;
}

Team::Team(Target target, const EngineSetup& setup, unsigned engines, Common common)
    : impl_(std::make_unique<Impl>()) {
  if (setup.dram) throw Error("several engines cannot share a DRAM; allowed: one engine");
  if (setup.timing.half_duplex) {
    throw Error("several engines cannot share a half-duplex memory; allowed: one engine");
  }
  impl_->target = target;
  impl_->common = common;
  impl_->sessions.resize(engines);
  platform::Memory::Config memory;
  memory.timing = setup.timing;
  const auto make = [&](unsigned index) {
    return make_engine(target, setup, fmt::format("engine_{}", index));
  };
  impl_->platform = std::make_unique<platform::SharedPlatform>(
      sc_core::sc_gen_unique_name("team", true), memory, engines, make, common != Common::nothing);
}

Team::~Team() = default;

TeamResult Team::run(const std::vector<job::Job>& jobs) { return impl_->run(jobs); }
TeamResult Team::run(const std::vector<job::JobShape>& shapes) { return impl_->run(shapes); }

}  // namespace mxe::device
