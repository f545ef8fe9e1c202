// SPDX-License-Identifier: Apache-2.0
// Constants, types and functions of all blocks: formats, pipeline depths, read tags, the job.
`default_nettype none
package mxe_pkg;
  // ---------------------------------------------------------------- element formats
  // A format's code is the value of the descriptor's fmt_a and fmt_b, and the low bits of out_fmt.
  localparam int unsigned FmtW = 3;

  // Properties of a format. A number is (-1)^sign * integer * 2^lsb. A float's code is sign,
  // exponent, mantissa from the top bit down; an integer's code is two's complement.
  typedef struct packed {
    logic       valid;        // the code names a format
    logic       is_int;
    logic       is4;
    logic       is6;          // four elements share three bytes; other formats: one byte each
    logic       has_nan;      // the code above the largest number is NaN, or infinity if has_inf
    logic       has_inf;
    logic [3:0] bits;         // width of a code, including the sign
    logic [2:0] exp_bits;     // 0 for integers
    logic [2:0] man_bits;     // below the leading one
    logic [7:0] sign_mask;    // the bit of the sign
    logic [6:0] mag_mask;     // the bits below it
    logic [6:0] special_mask; // bits that are all ones in codes of NaN and infinity
    logic [7:0] max_code;     // code of the largest number
    logic [3:0] emax;         // exponent of the largest number
    logic [3:0] emin_neg;     // exponent of the smallest normal number, negated
    logic [5:0] lsb;          // two's complement
    logic [5:0] mag_bits;     // width of the largest integer
  } fmt_info_t;

  // Elements of an MX block, multipliers of a PE, columns of a block of results. Fixed to 32 by the
  // MX format: word sizes and sum widths depend on it, so it is not a parameter.
  localparam int unsigned LANES = 32;
  localparam int unsigned WORD_W = 8 * LANES; // operand word: one byte per lane
  localparam int unsigned FP32_PER_WORD = WORD_W / 32;

  // A decoded lane. The NaN, infinity and zero flags of a word travel separately as {nan, inf,
  // zero}, LANES bits each.
  typedef struct packed {
    logic [2:0] grp;
    logic [7:0] mag;   // two magnitudes of 4 bits at the dual rate
    logic [1:0] sign;  // {odd block, even block}; at the single rate only bit 0
  } dec_t;
  localparam int unsigned DEC_W = 13;
  localparam int unsigned FLAG_W = 3 * LANES;

  // Bit position of the odd block's products when two 4-bit blocks share one tree, and the width of
  // one 4-bit block sum (32 products of at most 12 * 12).
  localparam int unsigned PACK_POS = 20;
  localparam int unsigned DUAL_SUM_W = 14;

  // NVFP4: width of the exact sum of a step, 64 products in units of 2^-20.
  localparam int unsigned SCALED_SUM_W = 50;
  // Bits of the scales of a B word in a PE: two of E8M0, or four decoded ones of UE4M3 and whether
  // one is NaN.
  function automatic int unsigned b_scale_w(input bit nvfp4);
    b_scale_w = nvfp4 ? 33 : 16;
  endfunction

  // The bits of a magnitude that can change a block's scale: the exponent field of binary32, eight
  // fraction bits and a sticky bit.
  localparam int unsigned AMAX_W = 17;

  // The bits of an FP32 result that can change its element code.
  typedef struct packed {
    logic       sign;
    logic [8:0] exponent;  // floor(log2 |x|) + 127, signed: -22 for the smallest subnormal,
                           // 255 for NaN and infinity, -30 for zero
    logic [6:0] fraction;  // below the leading one
    logic       more;      // sticky bit: OR of the bits below fraction
  } narrow_t;
  localparam int unsigned NARROW_W = 18;

  // A binary32 factor: its significand with the leading one at the top, its biased exponent (0 or less
  // for a subnormal number), and its class.
  typedef struct packed {
    logic [23:0] sig;
    logic [9:0]  exponent;  // two's complement
    logic        sign;
    logic        is_nan;
    logic        is_inf;
    logic        is_zero;
  } factor_t;

  // ---------------------------------------------------------------- pipeline depths (cycles)
  // Stages between the A buffer's read request and the accumulator's read request:
  // decode, multiply, tree 1, tree 2, combine.
  localparam int unsigned DOT_LAT = 5;
  // Stages of the accumulator after its read request: align, add, magnitude, coarse normalise, fine
  // normalise, round. A row may use its accumulator again after ACC_LAT + 1 cycles.
  localparam int unsigned ACC_LAT = 6;
  localparam int unsigned MIN_PASS = ACC_LAT + 1;
  // Further stages of an NVFP4 job before the accumulator's read request: product of a block's sum and
  // its scales, sum of the blocks. They are between the trees and the last addition.
  localparam int unsigned SCALED_LAT = 2;
  // Stages of mxe_alpha: normalise, multiply, add, align, round.
  localparam int unsigned ALPHA_LAT = 5;

  // Bias added to a block sum's exponent so that (accumulator exponent - sum exponent) is directly
  // the alignment shift (150 - FRAC of mxe_facc).
  localparam int unsigned EXP_BIAS = 123;
  // The exponent of a step of NVFP4.
  localparam int unsigned SCALED_EXP = EXP_BIAS - 20;

  // Bits of a job's product count: the width of the descriptor's field. BLOCKS_W: bits of the number
  // of scales of a row, at most 2^32 / 16.
  localparam int unsigned BATCH_W = 16;
  localparam int unsigned BLOCKS_W = 29;

  // Chunks of jobs with few rows are 2, 4 or 8 times as long, because the rows leave the rest of
  // the A buffer unused. Returns log2 of that. Example, ROWS = 32: m = 17 -> 0, 16 -> 1, 8 -> 2, 4
  // -> 3.
  localparam int unsigned CHUNK_SHIFT_MAX = 3;
  localparam int unsigned CHUNK_SHIFT_W = 2;
  function automatic logic [CHUNK_SHIFT_W-1:0] chunk_shift(input int unsigned rows,
                                                           input logic [31:0] m);
    if (m <= 32'(rows / 8)) chunk_shift = 2'd3;
    else if (m <= 32'(rows / 4)) chunk_shift = 2'd2;
    else if (m <= 32'(rows / 2)) chunk_shift = 2'd1;
    else chunk_shift = 2'd0;
  endfunction

  // Operand words of a full slab. A long slab (4-bit B, two operand words per buffer word) has
  // twice as many, if they fit into a chunk. A slab of a wide tile has half as many, because each
  // bank then serves as two.
  function automatic int unsigned slab_words(input int unsigned slab, input int unsigned chunk,
                                             input logic wide, input logic is_long);
    slab_words = slab;
    if (is_long && (2 * slab <= chunk)) slab_words = 2 * slab;
    if (wide) slab_words = slab_words / 2;
  endfunction

  function automatic int unsigned feed_cols(input int unsigned num_pe);
    feed_cols = (num_pe > 1) ? 2 : 1;
  endfunction

  // Beats of the longest burst, at most 4 KiB. Example: MEM_W = 2048, MAX_BURST = 32 -> 16.
  function automatic int unsigned longest_burst(input int unsigned mem_w,
                                                input int unsigned max_burst);
    longest_burst = (max_burst < 4096 * 8 / mem_w) ? max_burst : 4096 * 8 / mem_w;
  endfunction
  // Row fetches outstanding at most: 128 if the port can deliver a short row per cycle, else 64.
  function automatic int unsigned rd_outstanding(input int unsigned mem_w);
    rd_outstanding = (mem_w > WORD_W) ? 128 : 64;
  endfunction
  // Outstanding beats of A at which it stops requesting, so that B's slabs are not delayed.
  localparam int unsigned RD_A_BEATS = 256;
  // Stages of the requantiser after the read request: read, normalise, place, shift, round.
  localparam int unsigned REQUANT_LAT = 5;
  // Depth of the queue of encoded rows before the write port.
  localparam int unsigned REQUANT_FIFO = 4;
  // Write bursts outstanding at most. The port keeps the address of each for error reports.
  localparam int unsigned WR_OUTSTANDING = 256;
  localparam int unsigned RD_BURSTS = 4095;
  // Descriptors fetched early, in addition to the one at the output of mxe_desc.
  localparam int unsigned DESC_AHEAD = 2;
  localparam int unsigned DESC_PLACE_W = $clog2(DESC_AHEAD);
  // Jobs computed but not yet completed: their results or records are still being written.
  localparam int unsigned RECORDS = 4;
  // Rows accepted by the write port and not yet sent. Larger than the cycles from a row's request
  // to its data at the dual rate, so that rows of one beat can follow each other every cycle.
  localparam int unsigned WR_QUEUE = 16;

  // ---------------------------------------------------------------- memory port
  // Attributes of every burst. One id: responses of a channel return in order. Normal non-cacheable
  // non-bufferable memory: a write response comes from the final destination, on which the order of
  // results, record and interrupt relies. Unprivileged, non-secure data access: the lowest rights.
  localparam logic [3:0] AxiId = 4'd0;
  localparam logic [3:0] AxiCache = 4'b0010;
  localparam logic [2:0] AxiProt = 3'b010;

  // ---------------------------------------------------------------- read tags
  // Bits of a bank number: B_BANKS may be 8, and each bank may serve as two.
  localparam int unsigned BANK_W = 4;
  // Bits of a job's turn: its ring index modulo 4. Operands of at most three jobs are outstanding.
  localparam int unsigned TURN_W = 2;
  typedef enum logic [2:0] {
    TagDesc,
    TagAElem,
    TagAScale,
    TagBElem,
    TagBScale,
    TagBias
  } tag_kind_e;
  localparam int unsigned ROW_W = 8;  // bits of a row's index: ROWS <= 256
  typedef struct packed {
    logic [ROW_W-1:0]  index; // of the row or column
    logic [TURN_W-1:0] turn;  // of the job
    tag_kind_e         kind;
    logic [BANK_W-1:0] bank;
    logic              last;  // last fetch of its bank
  } tag_t;
  localparam int unsigned TAG_T_W = 4 + TURN_W + BANK_W + ROW_W;
  // Bits of a tag that an engine with that many rows needs to store.
  function automatic int unsigned tag_w(input int unsigned rows);
    tag_w = TAG_T_W - ROW_W + $clog2(rows);
  endfunction

  // Bits of a byte count of one row fetch or written row, and of the beats of 4 KiB. Rows are A
  // chunks (32-byte words), rows of C and D, and descriptors (128 bytes).
  function automatic int unsigned len_w(input int unsigned chunk_words, input int unsigned num_pe,
                                        input int unsigned mem_w);
    int unsigned most;
    most = (4 * num_pe > 128) ? 4 * num_pe : 128;
    if ((32 << CHUNK_SHIFT_MAX) * chunk_words > most) most = (32 << CHUNK_SHIFT_MAX) * chunk_words;
    if (4096 / (mem_w / 8) > most) most = 4096 / (mem_w / 8);
    len_w = $clog2(most + 1);
  endfunction

  // A decoded descriptor. Addresses point to the first row; strides are in bytes between rows.
  typedef struct packed {
    fmt_info_t   fmt;
    logic [63:0] addr;
    logic [31:0] stride;
    logic [63:0] scale_addr;
    logic [31:0] scale_stride;
    logic [5:0]  word_bytes;
    logic [31:0] row_bytes;     // bytes of the elements of a row
    logic [1:0]  coarse;        // log2 of the blocks of 32 that share a scale
  } operand_t;

  typedef struct packed {
    logic        en;
    logic        last;          // added to the results; else the sums start at it
    logic        bf16;
    logic        one_row;       // the bias has one row, which is added to all rows
    logic [63:0] addr;
    logic [31:0] stride;
  } bias_t;

  typedef struct packed {
    logic        mx;            // blocks of 32 along N in format fmt; else two_bytes or FP32
    logic        two_bytes;     // BF16 or FP16
    logic        fp16;
    fmt_info_t   fmt;
    logic [1:0]  rule;          // scale rule
    logic        special;       // overflowing elements become NaN or infinity; else they saturate
    logic [63:0] addr;
    logic [31:0] stride;
    logic [63:0] scale_addr;
    logic [31:0] scale_stride;
  } result_t;

  typedef struct packed {
    operand_t            a;
    operand_t            b;
    bias_t               c;
    result_t             d;
    logic [BATCH_W-1:0]  batch;       // products; each has m rows and n columns
    logic [31:0]         m;
    logic [31:0]         n;
    logic                dual;        // two 4-bit elements in a lane
    logic                nvfp4;       // blocks of 16 with UE4M3 scales; one chain
    logic                alpha_en;    // results are multiplied by alpha
    logic [31:0]         alpha;
    logic [1:0]          scale_shift; // log2 of the blocks of 32 (NVFP4: 16) of an operand word
    logic [BLOCKS_W-1:0] k_blocks;    // such blocks along K
    logic [BLOCKS_W-1:0] k_words;
    logic [6:0]          tail_count;  // elements of the last operand word
  } job_t;

  // ---------------------------------------------------------------- hand-overs between the blocks
  // Fields have the widths of the largest engine, so that a struct has no parameter. A smaller
  // engine leaves their upper bits zero, and synthesis removes them. mxe_top checks the widths.
  localparam int unsigned COLS_W = 8;    // columns of a wide tile: NUM_PE <= 64
  localparam int unsigned TILE_W = 4;    // index of a tile in its group: ACC_TILES <= 16
  localparam int unsigned WORD_AW = 12;  // index of a word in a chunk: A_SLAB_K <= 16384, eight times

  localparam int unsigned BYTES_W = 18;  // bytes of a row fetch: at most those of a row of a chunk
  localparam int unsigned AXI_W = 512;   // bits of the memory port: MEM_W <= 512

  // The memory port. mxe_top adds the attributes that all bursts share.
  typedef struct packed {
    logic        valid;
    logic [63:0] addr;
    logic [7:0]  len;
  } axi_addr_t;
  typedef struct packed {
    axi_addr_t          aw;
    logic               w_valid;
    logic [AXI_W-1:0]   w_data;
    logic [AXI_W/8-1:0] w_strb;
    logic               w_last;
    logic               b_ready;
  } axi_write_t;
  typedef struct packed {
    axi_addr_t  ar;
    logic       r_ready;
    axi_write_t wr;
  } axi_out_t;
  typedef struct packed {
    logic             ar_ready;
    logic             r_valid;
    logic [AXI_W-1:0] r_data;
    logic             r_error;
    logic             r_last;
    logic             aw_ready;
    logic             w_ready;
    logic             b_valid;
    logic             b_error;
  } axi_in_t;

  // Request for a row fetch, to the read port.
  typedef struct packed {
    logic               valid;
    logic [63:0]        addr;
    logic [BYTES_W-1:0] bytes;
    tag_t               tag;
  } fetch_t;

  // The oldest outstanding row fetch, from the read port to the unpacker.
  typedef struct packed {
    logic [$clog2(AXI_W/8)-1:0] offset;  // of the first byte within its beat
    logic [BYTES_W-1:0]         bytes;
    tag_t                       tag;
  } pending_t;

  // A word of a row fetch, or two with a port wider than an operand word.
  typedef struct packed {
    logic               valid;
    tag_t               tag;
    logic [WORD_AW-1:0] index;  // of the word in its row; of two words, of the pair
    logic               last;   // of the row
    logic [AXI_W-1:0]   data;
  } word_t;

  // A row of results or a completion record, to the write port.
  typedef struct packed {
    logic               valid;
    logic [63:0]        addr;
    logic [BYTES_W-1:0] bytes;
    logic               half;     // segments are half full (two-byte numbers)
    logic               scale;    // reported with a write error
    logic               record;
    logic               joins;    // the row's last incomplete beat waits for the next row
    logic               follows;  // the previous row joins this one, also while it is not valid yet
  } row_t;

  // Rows and, in the same order, the segments of their data.
  typedef struct packed {
    row_t             row;
    logic             data_valid;
    logic [AXI_W-1:0] data;
  } write_t;

  // Command processor to datapath: the running job's state.
  typedef struct packed {
    logic start;
    logic loaded;  // the job's loaders were started early
    logic run;
    logic halt;
    logic clear;
  } control_t;

  // Command processor to the loaders.
  typedef struct packed {
    logic              start;
    logic              early;  // start is for the job ahead, early
    logic              ahead;  // the loaders use the job ahead, else the running one
    logic [TURN_W-1:0] turn;   // in the tags of the loaders
  } load_t;

  // Command processor to the memory ports: which error to report.
  typedef struct packed {
    logic rd_fault;        // capture address and kind of the last read error
    logic wr_fault_watch;  // capture address and kind of a write error now
    logic write;           // report the write error, else the read error
  } watch_t;

  // The reported error.
  typedef struct packed {
    logic [63:0] addr;
    tag_kind_e   rd_kind;
    logic        wr_scale;
  } fault_t;

  // Datapath to command processor.
  typedef struct packed {
    logic                    loads_done;  // the loaders have issued all requests
    logic                    alike;       // operands of the two jobs may share the buffers
    logic                    job_done;
    logic                    rd_error;    // read error of an operand, one cycle after the beat
    logic [TURN_W-1:0]       rd_turn;
    logic                    desc_error;
    logic [DESC_PLACE_W-1:0] desc_error_place;
    logic                    wr_error;
    // a burst of results starts or is acknowledged; a burst of a record (its last) is acknowledged
    logic                    result_begins;
    logic                    result_answered;
    logic                    record_answered;
    logic                    record_last;
    logic                    rd_idle;
    logic                    wr_idle;     // no row is queued, no burst outstanding
  } status_t;

  // The loop nest of a job, for mxe_walk: sizes and settings, stable while the job is walked.
  typedef struct packed {
    logic [BATCH_W-1:0]       batch;        // products
    logic [31:0]              m;            // rows, columns and operand words of each
    logic [31:0]              n;
    logic [BLOCKS_W-1:0]      k_words;
    logic                     skip_group;   // all groups reuse the loaded operand: do not walk them
    logic                     wide;         // a tile is two neighbouring tiles
    logic                     long_slabs;
    logic [CHUNK_SHIFT_W-1:0] chunk_shift;
  } shape_t;

  // A step of the loop nest.
  typedef struct packed {
    logic [ROW_W:0]      rows;
    logic [COLS_W-1:0]   cols;
    logic [TILE_W-1:0]   tile;
    logic [WORD_AW:0]    words;        // words of the innermost K level walked
    logic [WORD_AW:0]    chunk_words;
    logic                first_k;
    logic                last_k;
    logic                last_use;     // last step that uses the current A chunk
    // Level that the next step advances; at most one is set, none at the end of the job.
    logic                next_slab;
    logic                next_tile;
    logic                next_chunk;
    logic                next_group;
    logic                next_stripe;
    logic                next_batch;
  } step_t;

  // The matrix C or D of a job, for mxe_rows: m rows and n columns of each product.
  typedef struct packed {
    logic [BATCH_W-1:0] batch;
    logic [31:0]        m;
    logic [31:0]        n;
    logic [63:0]        addr;
    logic [31:0]        stride;
    logic               two_bytes;  // two bytes per number, else four
    logic               one_row;    // only the first row of each tile (C is a row vector)
  } matrix_t;

  // A row of a tile of that matrix.
  typedef struct packed {
    logic [63:0]       addr;
    logic [COLS_W-1:0] cols;
    logic [ROW_W-1:0]  row;        // index within the tile
    logic              last_row;   // of the tile
    logic              last_tile;  // of the stripe
  } tile_row_t;

  // ---------------------------------------------------------------- functions of the formats
  // Derives a format's properties from the widths of its fields. An integer is treated as a float
  // with one exponent bit whose numbers below 1 are subnormal.
  function automatic fmt_info_t fmt_row(input logic is_int, input int unsigned exp_bits,
                                        input int unsigned man_bits, input int unsigned bias,
                                        input logic has_nan, input logic has_inf);
    // Yosys makes a sum of casts in a concatenation 32 bits wide: each field is a variable first.
    int unsigned bits, ones, exp_ones, largest, exponent;
    logic        is4, is6;
    logic [2:0]  exp_field, man_field;
    logic [3:0]  bits_field, emax, emin_neg;
    logic [5:0]  lsb, mag_bits;
    logic [6:0]  mag_mask, special_mask;
    logic [7:0]  sign_mask, max_code;
    bits         = 1 + exp_bits + man_bits;
    ones         = (1 << (bits - 1)) - 1;
    exp_ones     = has_inf ? ones - ((1 << man_bits) - 1) : ones;
    largest      = has_nan ? exp_ones - 1 : ones;
    exponent     = (largest >> man_bits) - bias;
    is4          = (bits <= 4);
    is6          = (bits > 4) & (bits <= 6);
    bits_field   = 4'(bits);
    exp_field    = is_int ? 3'd0 : 3'(exp_bits);
    man_field    = 3'(man_bits);
    sign_mask    = 8'(1 << (bits - 1));
    mag_mask     = 7'(ones);
    special_mask = 7'(exp_ones);
    max_code     = 8'(largest);
    emax         = 4'(exponent);
    emin_neg     = 4'(bias - 1);
    lsb          = 6'(1 - bias - man_bits);
    mag_bits     = 6'(exponent + bias + man_bits + (is_int ? 1 : 0));
    fmt_row      = {1'b1, is_int, is4, is6, has_nan, has_inf, bits_field, exp_field, man_field,
                    sign_mask, mag_mask, special_mask, max_code, emax, emin_neg, lsb, mag_bits};
  endfunction

  // The supported formats. To add one, add a row: 4, 6 or 8 bits; at most 5 exponent bits; floats
  // at most 3 mantissa bits (2 with 4 bits). The reference model has the same table.
  function automatic fmt_info_t fmt_info(input logic [FmtW-1:0] f);
    case (f)
      //                         int   exp man bias nan   inf
      3'd0:    fmt_info = fmt_row(1'b0, 2, 1, 1,  1'b0, 1'b0);  // E2M1
      3'd1:    fmt_info = fmt_row(1'b0, 1, 2, 1,  1'b0, 1'b0);  // E1M2
      3'd2:    fmt_info = fmt_row(1'b0, 2, 3, 1,  1'b0, 1'b0);  // E2M3
      3'd3:    fmt_info = fmt_row(1'b0, 3, 2, 3,  1'b0, 1'b0);  // E3M2
      3'd4:    fmt_info = fmt_row(1'b0, 4, 3, 7,  1'b1, 1'b0);  // E4M3
      3'd5:    fmt_info = fmt_row(1'b0, 5, 2, 15, 1'b1, 1'b1);  // E5M2
      3'd6:    fmt_info = fmt_row(1'b1, 1, 6, 1,  1'b0, 1'b0);  // INT8
      default: fmt_info = '0;
    endcase
  endfunction

  // Upper half of a binary32 number, rounded to nearest even. Infinities are unchanged, as is the
  // only NaN that occurs, 0x7FC00000.
  function automatic logic [15:0] to_bf16(input logic [31:0] x);
    to_bf16 = x[31:16] + {15'd0, x[15] & ((|x[14:0]) | x[16])};
  endfunction

  function automatic logic [15:0] to_fp16(input logic [31:0] x);
    logic [7:0]  exponent;
    logic [4:0]  normal_exp;  // exponent field of a normal result: exponent - 112
    logic [3:0]  below;       // shift of a subnormal result: 112 - exponent, at most 11
    logic        normal;
    logic [34:0] shifted;     // 10 fraction bits, round bit, sticky bits
    logic [14:0] code, next;
    exponent = x[30:23];
    normal_exp = exponent[4:0] - 5'd16;
    below    = (exponent <= 8'd101) ? 4'd11 : (4'd0 - exponent[3:0]);
    normal   = (exponent >= 8'd113);
    shifted  = normal ? {x[22:0], 12'd0} : ({1'b1, x[22:0], 11'd0} >> below);
    code     = {normal ? normal_exp : 5'd0, shifted[34:25]};
    next     = code + 15'd1;
    code     = (shifted[24] & ((|shifted[23:0]) | shifted[25])) ? next : code;
    if (exponent >= 8'd143) code = {5'h1F, &x[30:22], 9'd0};
    to_fp16 = {x[31], code};
  endfunction

  // Bytes of an operand word in memory: one block, or two at the dual rate.
  function automatic logic [5:0] word_bytes(input logic is4, input logic is6, input logic dual);
    if (dual) word_bytes = 6'd32;
    else if (is4) word_bytes = 6'd16;
    else if (is6) word_bytes = 6'd24;
    else word_bytes = 6'd32;
  endfunction

  // Bytes of a row of k elements, k < 2^32. Example: 33 elements of 6 bits -> 25 bytes.
  function automatic logic [31:0] row_bytes(input logic is4, input logic is6,
                                            input logic [31:0] k);
    logic [34:0] bits;
    if (is4) bits = {1'b0, k, 2'b00};
    else if (is6) bits = {1'b0, k, 2'b00} + {2'b00, k, 1'b0};
    else bits = {k, 3'b000};
    bits = bits + 35'd7;
    row_bytes = bits[34:3];
  endfunction

  // Two's complement bits of the exact sum of 32 products of two formats with these mag_bits.
  function automatic logic [6:0] pair_tree_w(input logic [5:0] a, input logic [5:0] b);
    pair_tree_w = {1'b0, a} + {1'b0, b} + 7'd6;
  endfunction

`ifndef SYNTHESIS
  // True if f is a row of fmt_info; blocks that read its fields rely on this.
  function automatic logic is_fmt_row(input fmt_info_t f);
    is_fmt_row = 1'b0;
    for (int unsigned i = 0; i < (1 << FmtW); i++) is_fmt_row |= (f == fmt_info(FmtW'(i)));
  endfunction

  // True if a word is zero beyond its first count elements. The unused bits of the last byte may be
  // set; they count as one more element. Only 4-bit words are dual.
  function automatic logic zero_beyond(input logic [WORD_W-1:0] word, input logic is4,
                                       input logic is6, input logic dual,
                                       input logic [6:0] count);
    logic [6:0] places;
    places = count + {6'd0, (is4 & count[0]) | (is6 & (|count[1:0]))};
    zero_beyond = is4 | ~dual;
    for (int unsigned i = 0; i < LANES; i++) begin
      if ((7'(i) >= places) && (word[8*i +: 4] != 4'd0)) zero_beyond = 1'b0;
      if ((7'(dual ? LANES + i : i) >= places) && (word[8*i+4 +: 4] != 4'd0)) zero_beyond = 1'b0;
    end
  endfunction
`endif
endpackage
`default_nettype wire
