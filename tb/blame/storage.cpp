// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <map>
#include <string>

#include "tb/blame/block_check.h"

namespace mxe::blame {
namespace {

/// mxe_ram: a read returns the value written last and holds it.
class RamCheck : public BlockCheck {
 public:
  RamCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_ram", instance),
        we_(scope_.find("we_i")),
        waddr_(scope_.find("waddr_i")),
        wdata_(scope_.find("wdata_i")),
        re_(scope_.find("re_i")),
        raddr_(scope_.find("raddr_i")),
        rdata_(scope_.find("rdata_q")) {}

  void clock() override {
    if (Wide(re_).get(0, 1) != 0) {
      const auto word = words_.find(address(raddr_));
      if (word != words_.end()) expect_next("read", rdata_, word->second);
    } else {
      expect_next("read", rdata_, Wide(rdata_));
    }
    if (Wide(we_).get(0, 1) != 0) words_.insert_or_assign(address(waddr_), Wide(wdata_));
  }
  void forget() override { words_.clear(); }

 private:
  static uint64_t address(const rtl::RtlValue& value) { return Wide(value).get64(0, 64); }

  const rtl::RtlValue &we_, &waddr_, &wdata_, &re_, &raddr_, &rdata_;
  std::map<uint64_t, Wide> words_;
};

class FifoCheck : public BlockCheck {
 public:
  FifoCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_fifo", instance) {}

  void clock() override {
    expect("", "valid_o", uint32_t{!words_.empty()});
    if (!words_.empty()) expect("", "data_o", words_.front());
    if (scope_.on("valid_o") && scope_.on("ready_i") && !words_.empty()) words_.pop_front();
    if (scope_.on("valid_i") && scope_.on("ready_o")) words_.push_back(scope_.wide("data_i"));
  }
  void forget() override { words_.clear(); }

 private:
  std::deque<Wide> words_;
};

}  // namespace

void add_storage(const Context& context, Checks& checks) {
  const auto ends_with = [](const std::string& name, const std::string& end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  for (const auto& [name, value] : context.design.values()) {
    const std::string instance = name.substr(0, name.rfind('.'));
    if (ends_with(name, ".rdata_q") && context.design.has(instance + ".waddr_i")) {
      checks.push_back(std::make_unique<RamCheck>(context, instance));
    } else if (ends_with(name, ".wptr_q")) {
      checks.push_back(std::make_unique<FifoCheck>(context, instance));
    }
  }
}

}  // namespace mxe::blame
