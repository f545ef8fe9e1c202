// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_walk, inside its module.
  `MXE_FORMAL_START
  assign f_columns_left_o = n_q;
  `MXE_ASSERT(walk_batch_within, !valid_q || ((batch_q != '0) && (batch_q <= f_shape_q.batch)))
  `MXE_ASSERT(walk_m_within, !valid_q || ((m_q != '0) && (m_q <= f_shape_q.m)))
  `MXE_ASSERT(walk_n_within, !valid_q || ((n_q != '0) && (n_q <= group_q) && (group_q <= f_shape_q.n)))
  `MXE_ASSERT(walk_k_within, !valid_q || ((k_q != '0) && (k_q <= f_shape_q.k_words)))
  `MXE_ASSERT(walk_tile_within, !valid_q || ((TilesW'(tile_q) | TilesW'(shape_i.wide)) < tiles))
  `MXE_ASSERT(walk_wide_from_even, !(valid_q && shape_i.wide) || !tile_q[0])
  `MXE_ASSERT(walk_slab_within, !valid_q || ((slab_q != '0) && (slab_q <= chunk_words)))
  // A tile's index is its distance from the start of its group.
  `MXE_ASSERT(walk_tile_place, !valid_q ||
              ((group_q - n_q) == (32'(tile_q) << $clog2(NUM_PE))))
