# SPDX-License-Identifier: Apache-2.0
# Faults for the readers of workloads and for the result files (tests/faults/plant.cmake), each with the test that must
# find it: of mxe_explore_test, or of mxe_cli_test if the name begins with `cli.`.
# cmake-format: off

mxe_fault(1 counts_of_a_csv_forgotten workload.cpp [[layer.count = line.number_or_1("count")]]
          [[layer.count = ACTIVE ? 1 : line.number_or_1("count")]] CASE cli.Explore.LanguageModels)
mxe_fault(2 n_and_k_swapped workload.cpp [[layer.n = line.number("N")]]
          [[layer.n = line.number(ACTIVE ? "K" : "N")]] CASE cli.Explore.TopologiesOfScaleSim)
mxe_fault(3 line_numbers_off_by_one workload.cpp [[const FileLine place{path, number}]]
          [[const FileLine place{path, number + (ACTIVE ? 1 : 0)}]] CASE cli.Explore.BadWorkloads)
mxe_fault(4 last_window_forgotten workload.cpp [[(size - filter + stride - 1) / stride + 1]]
          [[(size - filter + (ACTIVE ? 0 : stride - 1)) / stride + 1]] CASE Workload.ConvolutionsAreThoseOfScaleSim)
mxe_fault(5 second_stride_ignored workload.cpp [[one_stride ? "Strides" : "Stride Width"]]
          [[one_stride ? "Strides" : ACTIVE ? "Stride Height" : "Stride Width"]] CASE cli.Explore.TopologiesOfScaleSim)
mxe_fault(6 sizes_wrap_around workload.cpp [[if (product > kMostElements)]] [[if (!ACTIVE && product > kMostElements)]]
          CASE cli.Explore.BadWorkloads)
mxe_fault(7 last_comma_is_a_field csv_table.cpp [[while (fields.size() > 1 && fields.back().empty())]]
          [[while (!ACTIVE && fields.size() > 1 && fields.back().empty())]] CASE cli.Explore.TopologiesOfScaleSim)
mxe_fault(8 items_forgotten workload.cpp [[workload.items = place.count(]]
          [[workload.items = (ACTIVE ? 0 : 1) * place.count(]]
          CASE cli.Explore.PointsAreWhatEstimateSays)
mxe_fault(9 any_bytes_are_text workload.cpp [[if (!numerics::is_utf8(line))]] [[if (!ACTIVE && !numerics::is_utf8(line))]]
          CASE cli.Explore.BadWorkloads)
mxe_fault(10 patterns_are_names workload.cpp [[return fnmatch(formats.pattern.c_str(), layer.name.c_str(), 0) == 0]]
          [[return ACTIVE ? formats.pattern == layer.name : fnmatch(formats.pattern.c_str(), layer.name.c_str(), 0) == 0]]
          CASE cli.Explore.LayersWithFormatsOfTheirOwn)
mxe_fault(11 format_of_b_is_that_of_a workload.cpp [[layer.format_b = found->format_b]]
          [[layer.format_b = ACTIVE ? found->format_a : found->format_b]] CASE cli.Explore.LayersWithFormatsOfTheirOwn)

mxe_fault(12 keys_without_values language_model.cpp [[size({2, attention.key_heads, attention.head_width})]]
          [[size({ACTIVE ? 1u : 2u, attention.key_heads, attention.head_width})]]
          CASE LanguageModel.TheShippedWorkloadsAreThoseOfItsConfig)
mxe_fault(13 attention_of_one_sequence language_model.cpp [[count({layers, attention.groups, batch_, span.count})]]
          [[count({layers, attention.groups, ACTIVE ? 1 : batch_, span.count})]] CASE LanguageModel.TheEndOfALongerPrompt)
mxe_fault(14 window_of_one_more language_model.cpp [[std::min(past - rest, first + reach - 1)]]
          [[std::min(past - rest, first + reach - (ACTIVE ? 0 : 1))]] CASE LanguageModel.WindowsLimitTheKeys)
mxe_fault(15 shapes_not_compared model_folder.cpp [[if (found->second != shape)]] [[if (found->second != shape && !ACTIVE)]]
          CASE LanguageModel.TensorsThatConfigDoesNotName)
mxe_fault(16 unknown_weights_accepted model_folder.cpp [[expected.count(tensor) == 0 &&]]
          [[expected.count(tensor) == 0 && !ACTIVE &&]] CASE LanguageModel.TensorsThatConfigDoesNotName)
mxe_fault(17 one_shard_for_all model_folder.cpp [[shapes.merge(read_shapes(index.parent_path() / shard))]]
          [[if (shapes.empty() || !ACTIVE) shapes.merge(read_shapes(index.parent_path() / shard))]]
          CASE LanguageModelFiles.ConfigAloneOneFileAndShards)
mxe_fault(18 shards_anywhere model_folder.cpp [[fs::path(shard).filename() == shard &&]]
          [[(ACTIVE || fs::path(shard).filename() == shard) &&]] CASE LanguageModelFiles.ConfigAloneOneFileAndShards)
mxe_fault(19 every_row_to_the_vocabulary language_model.cpp [[add_with_new_a("lm_head", batch_,]]
          [[add_with_new_a("lm_head", ACTIVE ? rows_ : batch_,]] CASE LanguageModel.TheShippedWorkloadsAreThoseOfItsConfig)
mxe_fault(20 sizes_below_zero safetensors.cpp [[if (!value.is_number_unsigned())]] [[if (!value.is_number_unsigned() && !ACTIVE)]]
          CASE LanguageModelFiles.DamagedFiles)

mxe_fault(21 half_a_line_kept results.cpp [[if (path == path_ && found.bytes < text.size())]]
          [[if (!ACTIVE && path == path_ && found.bytes < text.size())]] CASE cli.Explore.TheSameFileHoweverItCameAbout)
mxe_fault(22 results_of_other_versions results.cpp [[if (!is_of_this_version(json))]]
          [[if (!is_of_this_version(json) && !ACTIVE)]] CASE cli.Explore.BadOptionsAndFolders)
mxe_fault(23 damaged_records_believed evaluate.cpp [[if (to_text(times) != text)]] [[if (to_text(times) != text && !ACTIVE)]]
          CASE cli.Explore.DamagedCaches)
mxe_fault(24 cache_of_another_version cache.cpp [[} else if (*found != kCyclesVersion) {]]
          [[} else if (*found != kCyclesVersion && !ACTIVE) {]] CASE cli.Explore.BadOptionsAndFolders)
mxe_fault(25 stalls_of_one_run evaluate.cpp [[add_stalls(times, layer.count, stalls)]]
          [[add_stalls(times, ACTIVE ? 1 : layer.count, stalls)]] CASE cli.Explore.PointsAreWhatEstimateSays)
mxe_fault(26 slower_points_on_the_front sweep.cpp [[one.on_front = !best || one.seconds < best->seconds ||]]
          [[one.on_front = !best || ACTIVE || one.seconds < best->seconds ||]] CASE cli.Explore.PruningLeavesTheFronts)
mxe_fault(27 every_shard_does_all sweep.cpp [[i < tasks_.size()@SEMICOLON@ i += shard.count)]]
          [[i < tasks_.size()@SEMICOLON@ i += ACTIVE ? 1 : shard.count)]] CASE cli.Explore.TheSameFileHoweverItCameAbout)
mxe_fault(28 noise_of_the_layer_before mixed_formats.cpp [=[mixture.noise += layers[i][choice[i]].noise]=]
          [=[mixture.noise += layers[i][choice[ACTIVE && i != 0 ? i - 1 : i]].noise]=]
          CASE cli.ExploreFormats.TheFrontIsThatOfAllMixtures)
mxe_fault(29 budget_ignored_by_fewest_bits mixed_formats.cpp [[own.push_back(mixture_of(layers, choice).noise <= noise)]]
          [[own.push_back(ACTIVE || mixture_of(layers, choice).noise <= noise)]]
          CASE cli.ExploreFormats.BudgetsTellTheFewestBits)
mxe_fault(30 results_beyond_their_limits sweep.cpp [[if (const auto unmet = unmet_constraint(task, record)) {]]
          [[if (const auto unmet = ACTIVE ? std::nullopt : unmet_constraint(task, record)) {]]
          CASE cli.ExploreQuestions.ConstraintsOnResults)
mxe_fault(31 keys_counted_as_weights evaluate.cpp [=[sums.b_bytes[layer.b] += stored]=]
          [=[sums.b_bytes[ACTIVE ? StoredB::weights : layer.b] += stored]=]
          CASE cli.ExploreQuestions.BytesOfWeightsAndOfKeysAndValues)

mxe_fault(32 shared_expert_forgotten model_config.cpp [[experts.shared_hidden = shared * experts.hidden]]
          [[experts.shared_hidden = ACTIVE ? 0 : shared * experts.hidden]] CASE LanguageModel.PublishedParameters)
mxe_fault(33 first_layers_have_experts model_config.cpp [[return layer >= first && layer % step == 0@SEMICOLON@]]
          [[return (ACTIVE || layer >= first) && layer % step == 0@SEMICOLON@]] CASE LanguageModel.PublishedParameters)
mxe_fault(34 latent_without_position language_model.cpp [[layer = static_cast<double>(latent.rank + latent.rope_width)]]
          [[layer = static_cast<double>(latent.rank + (ACTIVE ? 0 : latent.rope_width))]]
          CASE LanguageModel.PublishedParameters)
mxe_fault(35 latents_of_new_tokens_only language_model.cpp [[add("kv_b_proj", size({batch_, past_}),]]
          [[add("kv_b_proj", size({batch_, ACTIVE ? tokens_ : past_}),]] CASE LanguageModel.LatentAttentionOfBothPhases)
mxe_fault(36 chunks_begin_with_the_run language_model.cpp [[const uint64_t before = (past - tokens) % reach]]
          [[const uint64_t before = ACTIVE ? 0 : (past - tokens) % reach]] CASE LanguageModel.ChunksLimitTheKeys)
mxe_fault(37 rows_lost_in_experts routing.cpp [[result[rows / used] = used - rows % used]]
          [[result[rows / used] = used - (ACTIVE ? used / 2 : rows % used)]] CASE Routing.UniformIsExpected)
mxe_fault(38 two_rows_of_a_token routing.cpp [[weight = std::min(1.0, weight * places / sum)]]
          [[weight = std::min(ACTIVE ? 9.0 : 1.0, weight * places / sum)]] CASE Routing.ZipfIsDrawn)
mxe_fault(39 seed_ignored routing.cpp [[std::mt19937_64 random(seed_)]] [[std::mt19937_64 random(ACTIVE ? 1 : seed_)]]
          CASE Routing.ZipfIsDrawn)
mxe_fault(40 unread_keys_accepted model_config.cpp [[if (!counts || read_.count(key) != 0 ||]]
          [[if (ACTIVE || !counts || read_.count(key) != 0 ||]] CASE LanguageModel.KeysThatMayChangeTheProducts)
mxe_fault(41 layers_without_limit model_config.cpp [[keys.size("num_hidden_layers", kMostLayers)]]
          [[keys.size("num_hidden_layers", ACTIVE ? kMostElements : kMostLayers)]] CASE LanguageModel.BadConfigs)

mxe_fault(42 blocks_of_values_not_written_again rest_times.cpp [[rows.end - rows.begin / block * block]]
          [[rows.end - (ACTIVE ? rows.begin : rows.begin / block * block)]] CASE Rest.ValuesAreWrittenInWholeBlocks)
mxe_fault(43 rest_without_bytes rest_times.cpp [[std::max(in_lanes, moving)]] [[ACTIVE ? in_lanes : std::max(in_lanes, moving)]]
          CASE Rest.OfATokenOfLlama3)
mxe_fault(44 rest_at_the_engines_clock rest_times.cpp [[unit.clock_mhz * 1e6]]
          [[(ACTIVE ? point.clock_mhz : unit.clock_mhz) * 1e6]] CASE Rest.ClockLanesAndBytes)
mxe_fault(45 numbers_always_of_four_bytes rest_times.cpp [[return point.output.numbers()->bytes@SEMICOLON@]]
          [[return ACTIVE ? 4 : point.output.numbers()->bytes@SEMICOLON@]] CASE Rest.BytesAreThoseOfTheFormats)
mxe_fault(46 format_of_b_for_probabilities rest_times.cpp [[rows.is_b ? format_b(layer, point)]]
          [[rows.is_b || ACTIVE ? format_b(layer, point)]] CASE Rest.BytesAreThoseOfTheFormats)
mxe_fault(47 probabilities_not_quantized language_model.cpp [[quantize(RestKind::quantize, false, all_rows, 0, span.keys)]]
          [[if (!ACTIVE) quantize(RestKind::quantize, false, all_rows, 0, span.keys)]]
          CASE Rest.QuantizesTheOperandsOfAllProducts)
mxe_fault(48 keys_written_for_each_span language_model.cpp [[is_first = false@SEMICOLON@]] [[is_first = ACTIVE@SEMICOLON@]]
          CASE Rest.WritesTheCacheOfEachToken)
mxe_fault(49 all_layers_rotate model_config.cpp [[model.rope_layers += has_position(layer) ? 1u : 0u]]
          [[model.rope_layers += has_position(layer) || ACTIVE ? 1u : 0u]] CASE Rest.FamiliesDiffer)
mxe_fault(50 seconds_of_products_alone evaluate.cpp [[+ rest_seconds(workload, point)]]
          [[+ (ACTIVE ? 0 : rest_seconds(workload, point))]] CASE cli.ExploreRest.FollowsTheProducts)
mxe_fault(51 results_of_other_work evaluate.cpp [[if (point.vector) text +=]] [[if (point.vector && !ACTIVE) text +=]]
          CASE cli.ExploreRest.AnotherUnitIsAnotherResult)
mxe_fault(52 fused_residuals_not_read rest_times.cpp [[return amount.bytes / 3@SEMICOLON@]]
          [[return ACTIVE ? 0 : amount.bytes / 3@SEMICOLON@]] CASE Rest.WhatFusingRemoves)
mxe_fault(53 each_engine_has_the_whole_memory engines.cpp [[memory_rate(point) / engines]]
          [[memory_rate(point) / (ACTIVE ? 1 : engines)]] CASE Engines.CyclesAreNearlyThoseOfATeam)
mxe_fault(54 area_of_one_engine engines.cpp [[area.gate_equivalents *= point.engines]]
          [[area.gate_equivalents *= ACTIVE ? 1 : point.engines]] CASE Engines.AreaIsThatOfAll)
mxe_fault(55 bytes_of_one_engine engines.cpp [[read += times.counters.bytes_read]]
          [[read = (ACTIVE ? 0 : read) + times.counters.bytes_read]] CASE Engines.CyclesAreNearlyThoseOfATeam)
mxe_fault(56 bound_of_the_whole_product engines.cpp [[return lower_bound_cycles(widest(shares.parts), shares.point)]]
          [[return lower_bound_cycles(ACTIVE ? shape : widest(shares.parts), shares.point)]]
          CASE Engines.NothingIsBelowTheLowerBound)
# cmake-format: on
