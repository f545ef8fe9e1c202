# SPDX-License-Identifier: Apache-2.0
"""mxe_regs.sv: the register file behind an AXI4-Lite slave.

Uses only constructs that both Verilator 5.006 and Yosys 0.23 read: flat vectors, no packages, no types.
"""

from .model import Block, Field, Kind, Register
from .text import banner

HEAD = """
// The register file: an AXI4-Lite slave with one outstanding write and one outstanding read. Every
// output is driven by a flip-flop.
// Field ports:
//   <register>_<field>_o        the value written by software, a pulse of one cycle, or an event bit
//   <register>_<field>_i        the value that software reads
//   <register>_<field>_set_i    sets an event bit, with priority over a clear
//   <register>_<field>_swmod_o  high in the first cycle with a newly written value
// counters_i holds the 64-bit counters in the order of their addresses, the first one lowest.
`include "mxe_assert.svh"
`default_nettype none
module mxe_regs (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        s_awvalid_i,
  output logic        s_awready_o,
  input  logic [11:0] s_awaddr_i,
  input  logic        s_wvalid_i,
  output logic        s_wready_o,
  input  logic [31:0] s_wdata_i,
  input  logic [3:0]  s_wstrb_i,
  output logic        s_bvalid_o,
  input  logic        s_bready_i,
  output logic [1:0]  s_bresp_o,
  input  logic        s_arvalid_i,
  output logic        s_arready_o,
  input  logic [11:0] s_araddr_i,
  output logic        s_rvalid_o,
  input  logic        s_rready_i,
  output logic [31:0] s_rdata_o,
  output logic [1:0]  s_rresp_o,
"""

BUS = """
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlverr = 2'b10;

  // ---------------------------------------------------------------- write: address, data, response
  // Address and data may arrive in any order. The write takes place when both have arrived.
  logic        aw_full_q, w_full_q, bvalid_q;
  logic [11:0] waddr_q;
  logic [31:0] wdata_q;
  logic [3:0]  wstrb_q;
  logic [1:0]  bresp_q;
  logic        write, write_ok, waddr_ok;

  assign s_awready_o = ~aw_full_q;
  assign s_wready_o  = ~w_full_q;
  assign s_bvalid_o  = bvalid_q;
  assign s_bresp_o   = bresp_q;
  assign write       = aw_full_q & w_full_q & ~bvalid_q;
  assign write_ok    = write & waddr_ok & (&wstrb_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q  <= 1'b0;
      bvalid_q  <= 1'b0;
      bresp_q   <= RespOkay;
      waddr_q   <= '0;
      wdata_q   <= '0;
      wstrb_q   <= '0;
    end else begin
      if (s_awvalid_i & ~aw_full_q) begin
        aw_full_q <= 1'b1;
        waddr_q   <= s_awaddr_i;
      end
      if (s_wvalid_i & ~w_full_q) begin
        w_full_q <= 1'b1;
        wdata_q  <= s_wdata_i;
        wstrb_q  <= s_wstrb_i;
      end
      if (write) begin
        aw_full_q <= 1'b0;
        w_full_q  <= 1'b0;
        bvalid_q  <= 1'b1;
        bresp_q   <= write_ok ? RespOkay : RespSlverr;
      end else if (s_bready_i) begin
        bvalid_q <= 1'b0;
      end
    end
  end

  // ---------------------------------------------------------------- read: address, data
  logic        ar_full_q, rvalid_q, raddr_ok;
  logic [11:0] raddr_q;
  logic [31:0] rdata, rdata_q;
  logic [1:0]  rresp_q;
  logic        read;

  assign s_arready_o = ~ar_full_q;
  assign s_rvalid_o  = rvalid_q;
  assign s_rdata_o   = rdata_q;
  assign s_rresp_o   = rresp_q;
  assign read        = ar_full_q & ~rvalid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_full_q <= 1'b0;
      rvalid_q  <= 1'b0;
      rresp_q   <= RespOkay;
      raddr_q   <= '0;
      rdata_q   <= '0;
    end else begin
      if (s_arvalid_i & ~ar_full_q) begin
        ar_full_q <= 1'b1;
        raddr_q   <= s_araddr_i;
      end
      if (read) begin
        ar_full_q <= 1'b0;
        rvalid_q  <= 1'b1;
        rdata_q   <= rdata;
        rresp_q   <= raddr_ok ? RespOkay : RespSlverr;
      end else if (s_rready_i) begin
        rvalid_q <= 1'b0;
      end
    end
  end
"""

TAIL = """
  // ---------------------------------------------------------------- assertions on the bus
`ifndef SYNTHESIS
  logic        past_bvalid_q, past_rvalid_q;
  logic [1:0]  past_bresp_q, past_rresp_q;
  logic [31:0] past_rdata_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      past_bvalid_q <= 1'b0;
      past_rvalid_q <= 1'b0;
      past_bresp_q  <= RespOkay;
      past_rresp_q  <= RespOkay;
      past_rdata_q  <= '0;
    end else begin
      past_bvalid_q <= bvalid_q & ~s_bready_i;
      past_rvalid_q <= rvalid_q & ~s_rready_i;
      past_bresp_q  <= bresp_q;
      past_rresp_q  <= rresp_q;
      past_rdata_q  <= rdata_q;
    end
  end
`endif
  `MXE_ASSERT(regs_bvalid_waits, !past_bvalid_q || (bvalid_q && bresp_q == past_bresp_q))
  `MXE_ASSERT(regs_rvalid_waits,
              !past_rvalid_q || (rvalid_q && rresp_q == past_rresp_q && rdata_q == past_rdata_q))
  `MXE_ASSERT(regs_error_reads_zero, !rvalid_q || rresp_q == RespOkay || rdata_q == '0)
endmodule
`default_nettype wire
"""


# Kinds with a register in the SystemVerilog.
WRITTEN = (Kind.STORAGE, Kind.PULSE, Kind.EVENT, Kind.REQUEST)


def stem(r: Register, f: Field) -> str:
    return f"{r.name}_{f.name}".lower()


def vector(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""


def sized(value: int, width: int) -> str:
    return f"{width}'h{value:0{(width + 3) // 4}x}"


def fields(block: Block, *kinds: Kind) -> list[tuple[Register, Field]]:
    return [(r, f) for r in block.registers for f in r.fields if f.kind in kinds]


def field_ports(r: Register, f: Field) -> list[str]:
    name, shape = stem(r, f), vector(f.width)
    if f.kind is Kind.CONSTANT:
        return []
    if f.kind is Kind.INPUT:
        return [f"input  logic {shape:<6} {name}_i"]
    ports = [f"output logic {shape:<6} {name}_o"]
    if f.kind is Kind.REQUEST:
        ports.insert(0, f"input  logic {shape:<6} {name}_i")
    if f.kind is Kind.EVENT:
        ports.insert(0, f"input  logic {shape:<6} {name}_set_i")
    if f.notifies:
        ports.append(f"output logic {'':<6} {name}_swmod_o")
    return ports


def port_lines(block: Block) -> str:
    ports = [p for r in block.registers if not r.counter for f in r.fields
             for p in field_ports(r, f)]
    if block.counters:
        ports.append(f"input  logic {vector(64 * len(block.counters))} counters_i")
    return ",\n".join("  " + p for p in ports) + "\n);"


def address_lines(block: Block) -> list[str]:
    lines = ["  // ---------------------------------------------------------------- addresses"]
    for r in block.registers:
        lines.append(f"  localparam logic [11:0] {constant(r)} = {sized(r.offset, 12)};")
    return lines


def constant(r: Register) -> str:
    return "Addr" + "".join(part.capitalize() for part in r.name.split("_"))


def write_decode(block: Block) -> list[str]:
    lines = ["", "  // ---------------------------------------------------------------- fields",
             "  always_comb begin", "    case (waddr_q)"]
    writable = [constant(r) for r in block.registers if r.is_writable]
    for name in writable[:-1]:
        lines.append(f"      {name},")
    lines += [f"      {writable[-1]}: waddr_ok = 1'b1;", "      default: waddr_ok = 1'b0;",
              "    endcase", "  end"]
    return lines


def declarations(block: Block) -> list[str]:
    lines = [""]
    for r, f in fields(block, *WRITTEN):
        lines.append(f"  logic {vector(f.width):<6} {stem(r, f)}_q;")
        if f.notifies:
            lines.append(f"  logic {'':<6} {stem(r, f)}_swmod_q;")
    lines.append("")
    for r in block.registers:
        if r.is_writable:
            lines.append(f"  logic write_{r.name.lower()};")
    return lines


def assignments(block: Block) -> list[str]:
    lines = [""]
    for r in block.registers:
        if r.is_writable:
            lines.append(f"  assign write_{r.name.lower()} = write_ok & (waddr_q == {constant(r)});")
    lines.append("")
    for r, f in fields(block, *WRITTEN):
        lines.append(f"  assign {stem(r, f)}_o = {stem(r, f)}_q;")
        if f.notifies:
            lines.append(f"  assign {stem(r, f)}_swmod_o = {stem(r, f)}_swmod_q;")
    return lines


def written_bits(f: Field) -> str:
    return f"wdata_q[{f.high}:{f.low}]" if f.width > 1 else f"wdata_q[{f.low}]"


def next_value(r: Register, f: Field) -> str:
    name, write, data = stem(r, f), f"write_{r.name.lower()}", written_bits(f)
    if f.kind is Kind.PULSE:
        return f"      {name}_q <= {write} & {data};"
    if f.kind is Kind.EVENT:
        enable = write if f.width == 1 else f"{{{f.width}{{{write}}}}}"
        return (f"      {name}_q <= {name}_set_i |\n"
                f"          ({name}_q & ~({enable} & {data}));")
    if f.write_mask != (1 << f.width) - 1:
        data += f" & {sized(f.write_mask, f.width)}"
    return f"      if ({write}) {name}_q <= {data};"


def register_process(block: Block) -> list[str]:
    stored = fields(block, *WRITTEN)
    lines = ["", "  always_ff @(posedge clk_i or negedge rst_ni) begin", "    if (!rst_ni) begin"]
    for r, f in stored:
        lines.append(f"      {stem(r, f)}_q <= {sized(f.reset, f.width)};")
        if f.notifies:
            lines.append(f"      {stem(r, f)}_swmod_q <= 1'b0;")
    lines.append("    end else begin")
    for r, f in stored:
        lines.append(next_value(r, f))
        if f.notifies:
            lines.append(f"      {stem(r, f)}_swmod_q <= write_{r.name.lower()};")
    return lines + ["    end", "  end"]


def read_value(r: Register, f: Field) -> str:
    if f.kind is Kind.CONSTANT:
        return sized(f.reset, f.width)
    if f.kind is Kind.PULSE:
        return sized(0, f.width)
    return stem(r, f) + ("_i" if f.kind in (Kind.INPUT, Kind.REQUEST) else "_q")


def counter_word(block: Block, r: Register) -> str:
    """The bits of counters_i in this word."""
    first = next(other for other in block.registers if other.counter == r.counter)
    low = 64 * block.counters.index(r.counter) + 8 * (r.offset - first.offset)
    return f"counters_i[{low + r.width - 1}:{low}]"


def read_word(block: Block, r: Register) -> str:
    """The concatenation of all 32 bits, highest first."""
    if r.counter:
        return counter_word(block, r)
    parts, top = [], 32
    for f in reversed(r.fields):
        if f.high + 1 < top:
            parts.append(sized(0, top - f.high - 1))
        parts.append(read_value(r, f))
        top = f.low
    if top:
        parts.append(sized(0, top))
    return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def read_branch(block: Block, r: Register) -> list[str]:
    line = f"      {constant(r)}: rdata = {read_word(block, r)};"
    if len(line) <= 100:
        return [line]
    head, parts = line.split("{", 1)
    return [head + "{", *(f"        {p}" for p in parts.replace(", ", ",\n        ").split("\n        "))]


def read_process(block: Block) -> list[str]:
    lines = ["", "  always_comb begin", "    raddr_ok = 1'b1;", "    case (raddr_q)"]
    for r in block.registers:
        lines += read_branch(block, r)
    lines += ["      default: begin", "        rdata    = '0;", "        raddr_ok = 1'b0;",
              "      end", "    endcase", "  end"]
    return lines


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    middle = address_lines(registers) + declarations(registers)
    body = write_decode(registers) + assignments(registers) + register_process(registers)
    body += read_process(registers)
    return (banner("//") + HEAD + port_lines(registers) + "\n" + "\n".join(middle) + "\n" + BUS
            + "\n".join(body) + "\n" + TAIL)
