// SPDX-License-Identifier: Apache-2.0
function cycleParts(entry) {
  const stalls = new Map(entry.stalls);
  const named = [...stalls.values()].reduce((sum, v) => sum + (v || 0), 0);
  if (!stalls.has("mac_active")) stalls.set("mac_active", Math.max(0, entry.cycles - named));
  return stalls;
}

function drawStalls(chart, point, byShare) {
  const layers = layersOf(point);
  const rows = layers.length ? layers : [{...point, name: "all layers", runs: 1}];
  const parts = rows.map(cycleParts);
  const found = new Set(parts.flatMap((p) => [...p.keys()]));
  const kinds = [...stallKinds.filter(([key]) => found.has(key)),
                 ...[...found].filter((key) => !stallKinds.some(([k]) => k === key)).map((key, i) => [key, chartText(key), 2 + i])];
  const value = (row, part, key) => ((part.get(key) || 0) * (byShare ? 1 / row.cycles : row.runs));
  const shown = 22;
  chart.setOption({
    ...baseOption(),
    grid: {...baseOption().grid, right: rows.length > shown ? 46 : 18},
    tooltip: {...baseOption().tooltip, trigger: "axis", axisPointer: {type: "shadow"},
              formatter: (items) => stallTip(rows[items[0].dataIndex], parts[items[0].dataIndex], kinds)},
    xAxis: {...axis(byShare ? "Share of the layer's cycles" : "Cycles", false,
                    byShare ? (v) => Math.round(100 * v) + " %" : (v) => si(v).trim()), scale: false,
            ...(byShare ? {max: 1} : {})},
    yAxis: {type: "category", inverse: true, data: rows.map((r) => chartText(r.name)),
            axisLabel: {color: css("--muted"), width: 110, overflow: "truncate"}, axisTick: {show: false},
            axisLine: {lineStyle: {color: css("--line")}}},
    dataZoom: rows.length > shown
      ? [{type: "slider", yAxisIndex: 0, startValue: 0, endValue: shown - 1, width: 16, right: 6, brushSelect: false,
          showDetail: false, borderColor: css("--line"), fillerColor: css("--grid")}] : [],
    series: kinds.map(([key, name, colour]) => ({
      name, type: "bar", stack: "cycles", barMaxWidth: 22,
      itemStyle: {color: paint(colour), borderColor: css("--card"), borderWidth: 0.5},
      data: rows.map((row, i) => value(row, parts[i], key)),
    })),
  }, {notMerge: true});
}

function stallTip(row, part, kinds) {
  const lines = kinds.filter(([key]) => part.get(key))
    .map(([key, name]) => [name, `${count(part.get(key) * row.runs)} (${percent(part.get(key) / row.cycles)})`]);
  if (row.format_a) lines.push(["A × B", pairOf(row)]);
  return tip(row.name, [["Cycles", count(row.cycles * row.runs)], ...lines]);
}
