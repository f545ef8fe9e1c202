// SPDX-License-Identifier: Apache-2.0
#include "tb/blame/blame.h"

#include "tb/blame/checks.h"

namespace mxe::blame {

using namespace blame;

struct FirstWrongValue::Watch {
  explicit Watch(rtl::RtlTop& top)
      : context{Design(top), {}}, datapath(context.design, "u_datapath") {
    add_control(context, checks);
    add_loaders(context, checks);
    add_read_port(context, checks);
    add_buffers(context, checks);
    add_passes(context, checks);
    add_array(context, checks);
    add_results(context, checks);
    add_write_port(context, checks);
    add_storage(context, checks);
  }

  void clock() {
    if (context.design.first()) return;
    context.design.begin_clock();
    const bool ends = datapath.on("clear") || !datapath.on("rst_ni");
    if (datapath.on("halt")) suspended = true;
    if (ends) suspended = false;
    if (ends || suspended) return forget();
    Wide now = datapath.wide("job_i");
    if (now != job) {
      job = std::move(now);
      context.job = Job(job);
      for (const auto& check : checks) check->new_job();
    }
    for (const auto& check : checks) {
      check->clock();
      if (context.design.first()) return;
    }
  }
  void forget() {
    context.design.forget();
    for (const auto& check : checks) check->forget();
  }

  Context context;
  Scope datapath;
  Checks checks;
  Wide job;
  bool suspended = false;
};

FirstWrongValue::FirstWrongValue(rtl::RtlTop& top) : watch_(std::make_shared<Watch>(top)) {
  top.before_edge([watch = watch_] { watch->clock(); });
}

FirstWrongValue::~FirstWrongValue() = default;

const std::optional<WrongValue>& FirstWrongValue::found() const {
  return watch_->context.design.first();
}

uint64_t FirstWrongValue::compared() const { return watch_->context.design.compared(); }

}  // namespace mxe::blame
