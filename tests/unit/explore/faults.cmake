# SPDX-License-Identifier: Apache-2.0
# Faults for the readers of workloads and for the result files (tests/faults/plant.cmake), each with the test that must
# find it: of mxe_explore_test, or of mxe_cli_test if the name begins with `cli.`.
# cmake-format: off

mxe_fault(1 counts_of_a_csv_forgotten workload.cpp [[layer.count = line.number_or_1("count")]]
          [[layer.count = ACTIVE ? 1 : line.number_or_1("count")]] CASE cli.Explore.ModelsLikeLlama)
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

mxe_fault(12 keys_without_values llama.cpp [[size({2, config.key_heads, config.head_width})]]
          [[size({ACTIVE ? 1u : 2u, config.key_heads, config.head_width})]] CASE Llama.TheShippedWorkloadsAreThoseOfItsConfig)
mxe_fault(13 attention_of_one_sequence llama.cpp [[count({config.layers, config.key_heads, batch})]]
          [[count({config.layers, config.key_heads, ACTIVE ? 1 : batch})]] CASE Llama.TheEndOfALongerPrompt)
mxe_fault(14 window_of_one_more llama.cpp [[past > config.window)]] [[past > config.window + (ACTIVE ? 1 : 0))]]
          CASE Llama.RunsThatAreTooMuch)
mxe_fault(15 shapes_not_compared llama.cpp [[if (found->second != shape)]] [[if (found->second != shape && !ACTIVE)]]
          CASE Llama.TensorsThatConfigDoesNotName)
mxe_fault(16 unknown_weights_accepted llama.cpp [[expected.count(tensor) == 0) {]]
          [[expected.count(tensor) == 0 && !ACTIVE) {]] CASE Llama.TensorsThatConfigDoesNotName)
mxe_fault(17 one_shard_for_all llama.cpp [[shapes.merge(read_shapes(index.parent_path() / shard))]]
          [[if (shapes.empty() || !ACTIVE) shapes.merge(read_shapes(index.parent_path() / shard))]]
          CASE LlamaFiles.ConfigAloneOneFileAndShards)
mxe_fault(18 shards_anywhere llama.cpp [[fs::path(shard).filename() == shard &&]]
          [[(ACTIVE || fs::path(shard).filename() == shard) &&]] CASE LlamaFiles.ConfigAloneOneFileAndShards)
mxe_fault(19 every_row_to_the_vocabulary llama.cpp [[layer("lm_head", batch,]] [[layer("lm_head", ACTIVE ? rows : batch,]]
          CASE Llama.TheShippedWorkloadsAreThoseOfItsConfig)
mxe_fault(20 sizes_below_zero safetensors.cpp [[if (!value.is_number_unsigned())]] [[if (!value.is_number_unsigned() && !ACTIVE)]]
          CASE LlamaFiles.DamagedFiles)

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
# cmake-format: on
