// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/waves.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "model/numerics/files/files.h"

namespace mxe::regression {
namespace {

struct Group {
  std::string name;
  std::vector<std::string> signals;  ///< below the top
};

std::vector<Group> groups(const RtlUnderTest& rtl) {
  std::vector<Group> groups = {
      {"clock and interrupt", {"clk_i", "rst_ni", "irq_o"}},
      {"registers",
       {"s_awvalid_i", "s_awready_o", "s_awaddr_i[11:0]", "s_wvalid_i", "s_wready_o",
        "s_wdata_i[31:0]", "s_bvalid_o", "s_bready_i", "s_bresp_o[1:0]", "s_arvalid_i",
        "s_arready_o", "s_araddr_i[11:0]", "s_rvalid_o", "s_rready_i", "s_rdata_o[31:0]"}},
      {"memory reads",
       {"m_arvalid_o", "m_arready_i", "m_araddr_o[63:0]", "m_arlen_o[7:0]", "m_rvalid_i",
        "m_rready_o", "m_rlast_i", "m_rresp_i[1:0]"}},
      {"memory writes",
       {"m_awvalid_o", "m_awready_i", "m_awaddr_o[63:0]", "m_awlen_o[7:0]", "m_wvalid_o",
        "m_wready_i", "m_wlast_o", "m_bvalid_i", "m_bready_o", "m_bresp_i[1:0]"}},
  };
  if (rtl.own) {
    groups.push_back({"engine", rtl.own->waves});
    return groups;
  }
  const Group inside[] = {
      {"command processor",
       {"u_cmd.state_q[2:0]", "u_cmd.run_q[7:0]", "u_cmd.wait_q[7:0]", "u_cmd.ahead[7:0]",
        "u_cmd.u_record.state_q[1:0]", "u_cmd.u_record.jobs[2:0]", "u_cmd.start", "u_cmd.run",
        "u_cmd.halt", "u_cmd.clear", "u_cmd.busy_o"}},
      {"results",
       {"u_datapath.u_drain.res_valid_i", "u_datapath.u_drain.release_o",
        "u_datapath.u_drain.done_o"}},
  };
  groups.insert(groups.end(), std::begin(inside), std::end(inside));
  return groups;
}

}  // namespace

void write_gtkwave_file(const std::string& path, const std::string& waves, const RtlUnderTest& rtl,
                        const std::optional<blame::WrongValue>& wrong) {
  std::string text = fmt::format("[dumpfile] \"{}\"\n[timestart] 0\n", waves);
  std::vector<Group> all = groups(rtl);
  if (wrong) {
    constexpr int kZoom = -16;  // about 2^16 ps a pixel
    text += fmt::format("*{}.0 {} -1 -1\n", kZoom, wrong->time);
    const Group first{"first wrong value", {wrong->instance + "." + wrong->signal}};
    all.insert(all.begin(), first);
  }
  for (const Group& group : all) {
    text += fmt::format("@200\n-{}\n", group.name);
    for (const std::string& signal : group.signals) {
      const bool vector = signal.find('[') != std::string::npos;
      text += fmt::format("@{}\nmxe_top.{}.{}\n", vector ? 22 : 28, rtl.top, signal);
    }
  }
  numerics::write_file(path, text);
}

}  // namespace mxe::regression
