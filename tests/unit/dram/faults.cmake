# SPDX-License-Identifier: Apache-2.0
# Faults that remove a mechanism of the DRAM or shift one of its times (tests/faults/plant.cmake), each with the test that
# must find it.
# cmake-format: off

mxe_fault(1 rows_always_open channel_timing.cpp "{Command::activate, Command::read, Scope::bank, t.rcd_rd}"
          "{Command::activate, Command::read, Scope::bank, ACTIVE ? 1 : t.rcd_rd}"
          CASE Modes/Rows.AMissActivatesAndReads/fr_fcfs)
mxe_fault(2 row_closed_after_each_read fr_fcfs_channel.cpp "now_, closes_row(access))"
          "now_, ACTIVE || closes_row(access))" CASE Modes/Rows.AHitOnlyReads/fr_fcfs)
mxe_fault(3 no_precharge_time channel_timing.cpp "{Command::precharge, Command::activate, Scope::bank, t.rp}"
          "{Command::precharge, Command::activate, Scope::bank, ACTIVE ? 1 : t.rp}"
          CASE Modes/Rows.AConflictAlsoPrecharges/fr_fcfs)
mxe_fault(4 no_tras channel_timing.cpp "{Command::activate, Command::precharge, Scope::bank, t.ras}"
          "{Command::activate, Command::precharge, Scope::bank, ACTIVE ? 0 : t.ras}"
          CASE Modes/Rows.ARowStaysOpenForTras/fr_fcfs)
mxe_fault(5 no_trc channel_timing.cpp "{Command::activate, Command::activate, Scope::bank, t.rc}"
          "{Command::activate, Command::activate, Scope::bank, ACTIVE ? 0 : t.rc}"
          CASE Modes/Rows.ActivatesOfABankAreTrcApart/fr_fcfs)
mxe_fault(6 no_trtp channel_timing.cpp "{Command::read, Command::precharge, Scope::bank, t.rtp}"
          "{Command::read, Command::precharge, Scope::bank, ACTIVE ? 0 : t.rtp}"
          CASE Modes/Rows.AReadDelaysThePrecharge/fr_fcfs)
mxe_fault(7 no_write_recovery channel_timing.cpp "Scope::bank, t.write_to_precharge()}"
          "Scope::bank, t.write_to_precharge() - (ACTIVE ? t.wr : 0)}"
          CASE Modes/Rows.AWriteDelaysThePrechargeByItsRecovery/fr_fcfs)
mxe_fault(8 no_bank_groups channel_timing.cpp "Scope::group, std::max(burst, t.ccd_l)}"
          "Scope::group, std::max(burst, ACTIVE ? t.ccd_s : t.ccd_l)}"
          CASE Modes/Rows.ReadsOfOneBankGroupAreTccdLApart/fr_fcfs)
mxe_fault(9 one_bank_group channel_timing.cpp "Scope::rank, std::max(burst, t.ccd_s)}"
          "Scope::rank, std::max(burst, ACTIVE ? t.ccd_l : t.ccd_s)}"
          CASE Modes/Rows.ReadsOfTwoBankGroupsAreTccdSApart/fr_fcfs)
mxe_fault(10 no_trrd channel_timing.cpp "Scope::group, config_.rrd_l}" "Scope::group, ACTIVE ? 0 : config_.rrd_l}"
          CASE Modes/Rows.ActivatesOfOneBankGroupAreTrrdLApart/fr_fcfs)
mxe_fault(11 no_tfaw channel_timing.cpp "= cycle + config_.faw" "= cycle + (ACTIVE ? 0 : config_.faw)"
          CASE Modes/Rows.AWindowHasFourActivates/fr_fcfs)
mxe_fault(12 no_rank_gap channel_timing.cpp "{Command::read, Command::read, Scope::other_ranks, burst + t.rtrs}"
          "{Command::read, Command::read, Scope::other_ranks, ACTIVE ? burst : burst + t.rtrs}"
          CASE Modes/Rows.RanksShareTheDataBusWithAGap/fr_fcfs)
mxe_fault(13 refresh_takes_no_time channel_timing.cpp "{Command::refresh, Command::activate, Scope::rank, t.rfc}"
          "{Command::refresh, Command::activate, Scope::rank, ACTIVE ? 0 : t.rfc}"
          CASE Modes/Refresh.DelaysARead/fr_fcfs)
mxe_fault(14 refresh_leaves_rows_open refresh.cpp "return timing.has_open_row(rank) ?" "return !ACTIVE && timing.has_open_row(rank) ?"
          CASE Modes/Refresh.ClosesAllRows/in_order)
mxe_fault(15 ranks_refresh_together refresh.cpp "interval_ * rank / config.ranks"
          "ACTIVE ? interval_ : interval_ * rank / config.ranks"
          CASE Modes/Refresh.HasRanksStaggered/fr_fcfs)
mxe_fault(16 bank_refresh_blocks_the_rank fr_fcfs_channel.cpp "if (!refresh_.is_per_bank()) return true"
          "if (ACTIVE || !refresh_.is_per_bank()) return true"
          CASE Refreshes.OfABankWaitWithoutStoppingOthers)
mxe_fault(17 no_write_to_read_time channel_timing.cpp "Scope::group, t.cwl + burst + t.wtr_l}"
          "Scope::group, ACTIVE ? t.ccd_s : t.cwl + burst + t.wtr_l}"
          CASE Modes/Turnaround.AReadAfterAWriteOfItsBankGroup/fr_fcfs)
mxe_fault(18 no_read_to_write_time channel_timing.cpp "{Command::read, Command::write, Scope::rank, t.rtw}"
          "{Command::read, Command::write, Scope::rank, ACTIVE ? t.ccd_s : t.rtw}" CASE Controller.AWriteAfterARead)
mxe_fault(19 writes_drain_at_once fr_fcfs_channel.cpp "writes_.size() >= config_.write_high"
          "writes_.size() >= (ACTIVE ? 1 : config_.write_high)" CASE Controller.WritesWaitForTheHighWatermark)
mxe_fault(20 drain_to_empty fr_fcfs_channel.cpp "writes_.size() > config_.write_low"
          "writes_.size() > (ACTIVE ? 0 : config_.write_low)" CASE Controller.WritesWaitForTheHighWatermark)
mxe_fault(21 no_cap fr_fcfs_channel.cpp "if (bank.is_claimed && bank.hits >= config_.row_hit_cap"
          "if (!ACTIVE && bank.is_claimed && bank.hits >= config_.row_hit_cap" CASE Controller.TheCapEndsOvertaking)
mxe_fault(22 no_forwarding fr_fcfs_channel.cpp "if (find_address(writes_, read.address))"
          "if (!ACTIVE && find_address(writes_, read.address))" CASE Controller.AQueuedWriteServesARead)
mxe_fault(23 late_entry fr_fcfs.cpp "clock_.cycle_from(request.arrival_ps + config_.request_latency)"
          "clock_.cycle_from(request.arrival_ps + config_.request_latency + (ACTIVE ? 600 : 0))"
          CASE Controller.LatenciesAreAddedBeforeAndAfter)
mxe_fault(24 posted_writes_in_call_order in_order_channel.cpp "writes_.insert(later, {cycle, at})"
          "writes_.insert(ACTIVE ? writes_.end() : later, {cycle, at})" CASE InOrder.AppliesWritesByTheirTimes)
mxe_fault(25 lost_column_bits address_map.cpp "values[part.field] |= bits << used[part.field]"
          "values[part.field] |= bits << (ACTIVE ? 0 : used[part.field])" CASE Maps.SplitAddresses)
mxe_fault(26 rounded_times values.cpp "if (std::abs(cycles - nearest) <= rounding"
          "if ((ACTIVE || std::abs(cycles - nearest) <= rounding)" CASE Options.HaveClearErrors)
mxe_fault(27 one_command_bus channel_timing.cpp
          "uint64_t ChannelTiming::bus_free(Command command, uint64_t cycle) const {"
          "uint64_t ChannelTiming::bus_free(Command command, uint64_t cycle) const {\n  if (ACTIVE) return std::max({cycle, bus_free_[0], bus_free_[1]})@SEMICOLON@"
          CASE Commands.HbmHasTwoBuses)
mxe_fault(28 open_page_only fr_fcfs_channel.cpp "if (config_.page == PagePolicy::open) return false"
          "if (ACTIVE || config_.page == PagePolicy::open) return false"
          CASE Modes/Rows.AClosedPageIsPrechargedByItsRead/fr_fcfs)
mxe_fault(29 early_edge port_timing.cpp "return engine_.cycle_from(ps)"
          "return ACTIVE ? engine_.cycle_until(ps) : engine_.cycle_from(ps)"
          CASE PortTiming.TimesBetweenEdgesAreThoseOfTheNextEdge)
mxe_fault(30 two_beats_a_cycle port_timing.cpp "std::max(cycle + 1, read_free_cycle_)"
          "std::max(cycle + 1, ACTIVE ? 0 : read_free_cycle_)" CASE PortTiming.BeatsArriveInTheOrderOfTheBursts)
mxe_fault(31 ack_a_cycle_late port_timing.cpp "{(last - std::min(last, before))"
          "{((ACTIVE ? 1 : 0) + last - std::min(last, before))"
          CASE PortTiming.AWriteIsAcknowledgedWhenItHasEntered)
mxe_fault(32 late_offers plugin_dram.cpp "arrival : now_ps_ + cycle_ps_" "arrival : ACTIVE ? to_ps : now_ps_ + cycle_ps_"
          CASE Plugin.AFullPluginDelaysTheNextAccess)
# cmake-format: on
