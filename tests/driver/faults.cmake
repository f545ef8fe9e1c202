# SPDX-License-Identifier: Apache-2.0
# Faults for the driver, the virtual platform and the RTL's simulation (tests/faults/plant.cmake), each with the case
# that must find it.
# cmake-format: off

mxe_fault(1 doorbell_before_descriptor mxe_driver.c
          "  write_barrier(dev)@SEMICOLON@\n  write_reg(dev, MXE_REG_RING_TAIL"
          "  if (!ACTIVE) write_barrier(dev)@SEMICOLON@\n  write_reg(dev, MXE_REG_RING_TAIL"
          CASE memory_that_is_not_coherent)
mxe_fault(2 stale_record mxe_driver.c
          "    show_host(dev, entry_of(dev, dev->finished), MXE_DESC_STATUS, RECORD_SIZE)@SEMICOLON@\n    harvest_oldest"
          "    if (!ACTIVE) show_host(dev, entry_of(dev, dev->finished), MXE_DESC_STATUS, RECORD_SIZE)@SEMICOLON@\n    harvest_oldest"
          CASE memory_that_is_not_coherent)
mxe_fault(3 handler_looks_once mxe_driver.c "round < IRQ_ROUNDS" "round < (ACTIVE ? 1 : IRQ_ROUNDS)"
          CASE messages_during_the_handler)
mxe_fault(4 id_of_zero mxe_driver.c "if (++dev->next_id == 0)" "if (++dev->next_id == 0 && !ACTIVE)"
          CASE number_of_32_bits_wraps)
mxe_fault(5 index_of_32_bits mxe_driver.c "(uint16_t)(value - (dev->finished - dev->origin))"
          "ACTIVE ? value - (dev->finished - dev->origin) : (uint16_t)(value - (dev->finished - dev->origin))"
          CASE index_of_16_bits_wraps)
mxe_fault(6 fault_of_another_job mxe_driver.c "if (info >> MXE_FAULT_INFO_INDEX_SHIFT !="
          "if (!ACTIVE && info >> MXE_FAULT_INFO_INDEX_SHIFT !=" CASE bus_error_in_a_later_job)
mxe_fault(7 torn_fault_address mxe_driver.c "if (read_reg(&dev->port, MXE_REG_FAULT_INFO) != info ||"
          "if ((!ACTIVE && read_reg(&dev->port, MXE_REG_FAULT_INFO) != info) ||"
          CASE bus_error_that_changes_meanwhile)
mxe_fault(8 deadline_forgotten mxe_driver.c "if (now < slot->options.deadline_us) continue"
          "if (ACTIVE || now < slot->options.deadline_us) continue" CASE deadline_of_a_running_job)
mxe_fault(9 cancelled_job_runs mxe_driver.c "    store(entry, MXE_DESC_M, 0)@SEMICOLON@"
          "    if (!ACTIVE) store(entry, MXE_DESC_M, 0)@SEMICOLON@" CASE cancel_middle)
mxe_fault(10 jobs_not_moved mxe_driver.c "rotate_ring(dev, by)@SEMICOLON@\n" "rotate_ring(dev, ACTIVE ? 0 : by)@SEMICOLON@\n"
          CASE cancel_at_every_place_of_the_ring)
mxe_fault(11 entry_kept_in_callback mxe_driver.c
          "    store_shared(&dev->head, dev->head + 1u)@SEMICOLON@  // from here on the slot may have another job\n    count++@SEMICOLON@\n    if (done) done(user, &completion)@SEMICOLON@"
          "    if (!ACTIVE) store_shared(&dev->head, dev->head + 1u)@SEMICOLON@\n    count++@SEMICOLON@\n    if (done) done(user, &completion)@SEMICOLON@\n    if (ACTIVE) store_shared(&dev->head, dev->head + 1u)@SEMICOLON@"
          CASE callback_submits)
mxe_fault(12 ring_one_too_full mxe_driver.c "return dev->ring_entries - (dev->tail"
          "return dev->ring_entries + (ACTIVE ? 1u : 0u) - (dev->tail" CASE ring_full)
mxe_fault(13 refused_doorbell_unnoticed mxe_driver.c "store_shared(&dev->overflowed, 1)"
          "store_shared(&dev->overflowed, ACTIVE ? 0 : 1)" CASE doorbell_refused)
mxe_fault(14 interrupts_for_nobody mxe_driver.c "takes_interrupts(dev) ? irq_sources : 0"
          "ACTIVE || takes_interrupts(dev) ? irq_sources : 0" CASE interrupts_stay_masked)
mxe_fault(15 long_job_called_hang mxe_driver.c "|| !has_worked(dev)) return code"
          "|| ACTIVE || !has_worked(dev)) return code" CASE long_job_is_no_hang)
mxe_fault(16 reset_not_awaited mxe_driver.c "if (!(status & MXE_STATUS_RESETTING_MASK)) break"
          "if (ACTIVE || !(status & MXE_STATUS_RESETTING_MASK)) break" CASE reset_that_does_not_end)
mxe_fault(17 all_ones_believed mxe_driver.c "if (value == all_ones) return MXE_ERR_GONE"
          "if (value == all_ones && !ACTIVE) return MXE_ERR_GONE" CASE device_gone)
mxe_fault(18 last_moment_lost mxe_driver.c "  harvest_last_moment(dev)@SEMICOLON@\n  while"
          "  if (!ACTIVE) harvest_last_moment(dev)@SEMICOLON@\n  while" CASE cancel_of_a_job_about_to_end)
mxe_fault(19 mask_left_at_close mxe_driver.c "  write_reg(dev, MXE_REG_IRQ_MASK, 0)@SEMICOLON@\n"
          "  if (!ACTIVE) write_reg(dev, MXE_REG_IRQ_MASK, 0)@SEMICOLON@\n" CASE close_with_jobs_in_flight)
mxe_fault(20 rows_meet_unnoticed mxe_driver.c "rest < lower->size) return true"
          "rest + (ACTIVE ? 1u : 0u) < lower->size) return true" CASE extents_of_interleaved_rows)

# The virtual platform; only firmware reaches these faults.
mxe_fault(21 timer_never_rings timer.cpp "time < kFarthest)" "time < kFarthest && !ACTIVE)"
          CASE clock_and_wait_of_the_port)
mxe_fault(22 timer_rings_at_once timer.cpp "set_irq_(time <= time_.now())" "set_irq_(time <= time_.now() || (ACTIVE && time < kFarthest))"
          CASE clock_and_wait_of_the_port)
mxe_fault(23 engine_never_pending interrupt_controller.cpp "value = pending_@SEMICOLON@"
          "value = ACTIVE ? pending_ & ~uint32_t{SOC_INTERRUPTS_PENDING_ENGINE} : pending_@SEMICOLON@"
          CASE every_event_masked_and_not)
mxe_fault(24 enable_ignored interrupt_controller.cpp "(pending_ & enable_) != 0"
          "(ACTIVE ? pending_ : pending_ & enable_) != 0" CASE clock_and_wait_of_the_port)
mxe_fault(25 line_never_falls interrupt_controller.cpp "pending_ | bit : pending_ & ~bit"
          "pending_ | bit : pending_ & (ACTIVE ? ~0u : ~bit)" CASE every_event_masked_and_not)
mxe_fault(26 writes_lost engine_port.cpp "payload_.set_command(command)"
          "payload_.set_command(ACTIVE ? tlm::TLM_READ_COMMAND : command)" CASE registers_keep_what_is_written)
mxe_fault(27 interrupt_lost soc.cpp "SOC_INTERRUPTS_PENDING_ENGINE, engine_irq_.read()"
          "SOC_INTERRUPTS_PENDING_ENGINE, engine_irq_.read() && !ACTIVE" CASE clock_and_wait_of_the_port)

# The clocks of an idle RTL stop (model/platform/rtl/held_clocks.h): only the native tests on the RTL reach these faults.
if(MXE_BUILD_RTL)
  mxe_fault(28 clock_never_released rtl_engine.cpp
            "held_ = top_->hold(concerns_registers_alone(*requested_))"
            "held_ = top_->hold((ACTIVE && held_) || concerns_registers_alone(*requested_))" CASE counters_stand_still_in_a_snapshot)
  mxe_fault(29 clock_released_after_the_write rtl_engine.cpp
            "    registers_->start(*requested_)@SEMICOLON@"
            "    if (ACTIVE) held_ = top_->hold(options_.stop_clock && requested_->write)@SEMICOLON@\n    registers_->start(*requested_)@SEMICOLON@"
            CASE counters_stand_still_in_a_snapshot)
  mxe_fault(30 clock_held_for_any_write rtl_engine.cpp "return !transfer.write ||" "return ACTIVE || !transfer.write ||"
            CASE counters_stand_still_in_a_snapshot)
  mxe_fault(31 clock_held_while_busy rtl_engine.cpp
            "return held_ || (idle_cycles_ >= kIdleCycles &&"
            "return held_ || ((ACTIVE || idle_cycles_ >= kIdleCycles) &&"
            CASE ring_wrapped)
  mxe_fault(32 clock_held_before_it_settles rtl_engine.cpp
            "&& settled_cycles_ > kSettlingCycles)@SEMICOLON@" "&& (ACTIVE || settled_cycles_ > kSettlingCycles))@SEMICOLON@"
            CASE every_event_masked_and_not)
endif()
# cmake-format: on
