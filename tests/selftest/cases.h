// SPDX-License-Identifier: Apache-2.0
#ifndef CASES_H_
#define CASES_H_

#include "bench.h"

// X(name): void case_name(struct bench*).
#define DRIVER_CASES(X)                    \
  X(registers_have_their_fixed_bits)       \
  X(registers_keep_what_is_written)        \
  X(registers_are_constant_while_idle)     \
  X(counters_stand_still_in_a_snapshot)    \
  X(every_event_masked_and_not)            \
  X(every_pair_of_formats)                 \
  X(every_code_of_every_format)            \
  X(scale_that_is_no_number)               \
  X(results_in_bf16)                       \
  X(results_in_fp16)                       \
  X(results_in_every_format_by_every_rule) \
  X(results_that_overflow)                 \
  X(biases)                                \
  X(bus_error_on_a)                        \
  X(bus_error_on_scales_of_a)              \
  X(bus_error_on_b)                        \
  X(bus_error_on_scales_of_b)              \
  X(bus_error_on_c)                        \
  X(bus_error_on_d)                        \
  X(bus_error_on_scales_of_d)              \
  X(bus_error_on_descriptors)              \
  X(bus_error_in_a_later_job)              \
  X(bus_error_that_changes_meanwhile)      \
  X(bus_error_of_an_older_device)          \
  X(illegal_reserved_bits)                 \
  X(illegal_shape)                         \
  X(illegal_format)                        \
  X(illegal_pair)                          \
  X(illegal_out_format)                    \
  X(illegal_alignment)                     \
  X(codes_without_a_field)                 \
  X(records_with_every_status)             \
  X(record_of_another_job)                 \
  X(spurious_interrupts)                   \
  X(lost_interrupts)                       \
  X(shared_interrupts)                     \
  X(messages)                              \
  X(messages_during_the_handler)           \
  X(interrupt_that_cannot_be_awaited)      \
  X(interrupts_stay_masked)                \
  X(handler_without_a_device)              \
  X(clock_and_wait_of_the_port)            \
  X(polling)                               \
  X(handler_of_the_processor)              \
  X(open_refuses_bad_arguments)            \
  X(open_refuses_bad_rings)                \
  X(open_refuses_other_devices)            \
  X(open_of_a_device_that_fails)           \
  X(ring_full)                             \
  X(ring_wrapped)                          \
  X(many_with_one_doorbell)                \
  X(many_up_to_an_impossible_one)          \
  X(index_of_16_bits_wraps)                \
  X(number_of_32_bits_wraps)               \
  X(memory_that_is_not_coherent)           \
  X(callbacks_once_and_in_order)           \
  X(callbacks_within_a_budget)             \
  X(callback_submits)                      \
  X(callback_waits)                        \
  X(callback_cancels)                      \
  X(callback_recovers)                     \
  X(callback_closes)                       \
  X(waits_in_any_order)                    \
  X(unknown_jobs)                          \
  X(deadline_of_a_running_job)             \
  X(deadline_of_a_waiting_job)             \
  X(deadlines_of_all_jobs)                 \
  X(deadline_kept)                         \
  X(deadline_wakes_the_wait)               \
  X(cancel_first)                          \
  X(cancel_middle)                         \
  X(cancel_last)                           \
  X(cancel_all)                            \
  X(cancel_at_every_place_of_the_ring)     \
  X(cancel_of_an_ended_job)                \
  X(cancel_of_a_job_about_to_end)          \
  X(reset_while_busy)                      \
  X(recover_after_every_error)             \
  X(reset_that_does_not_end)               \
  X(doorbell_lost)                         \
  X(doorbell_refused)                      \
  X(head_that_cannot_be)                   \
  X(long_job_is_no_hang)                   \
  X(device_gone)                           \
  X(device_gone_during_each_access)        \
  X(close_with_jobs_in_flight)             \
  X(close_twice)                           \
  X(contexts_in_each_others_way)           \
  X(counters)                              \
  X(extents_of_a_job)                      \
  X(extents_that_overlap)                  \
  X(extents_of_interleaved_rows)           \
  X(extents_in_the_ring)                   \
  X(extents_beyond_64_bits)                \
  X(extents_in_ranges)                     \
  X(extents_of_illegal_jobs)               \
  X(text_of_every_code)

struct driver_case {
  const char* name;
  void (*run)(struct bench* b);
};

extern const struct driver_case driver_cases[];
extern const uint32_t driver_case_count;

/// Returns the number of failed checks. The runner has filled its part of `b`.
uint32_t driver_case_run(struct bench* b, const struct driver_case* which);

#define DECLARE(name) void case_##name(struct bench* b);
DRIVER_CASES(DECLARE)
#undef DECLARE

#endif  // CASES_H_
