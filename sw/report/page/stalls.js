// SPDX-License-Identifier: Apache-2.0
// The cycles of each layer by what the array did in them.
function cycleParts(entry) {
  const stalls = {...entry.stalls};
  const named = Object.values(stalls).reduce((sum, v) => sum + (v || 0), 0);
  if (stalls.mac_active === undefined) stalls.mac_active = Math.max(0, entry.cycles - named);
  return stalls;
}

function drawStalls(chart, point, byShare) {
  const layers = layersOf(point);
  const rows = layers.length ? layers : [{...point, name: "all layers", runs: 1}];
  const parts = rows.map(cycleParts);
  const found = new Set(parts.flatMap((p) => Object.keys(p)));
  const kinds = [...stallKinds.filter(([key]) => found.has(key)),
                 ...[...found].filter((key) => !stallKinds.some(([k]) => k === key)).map((key, i) => [key, key, 2 + i])];
  const value = (row, part, key) => ((part[key] || 0) * (byShare ? 1 / row.cycles : row.runs));
  const shown = 22;
  chart.setOption({
    ...baseOption(),
    grid: {...baseOption().grid, right: rows.length > shown ? 46 : 18},
    tooltip: {...baseOption().tooltip, trigger: "axis", axisPointer: {type: "shadow"},
              formatter: (items) => stallTip(rows[items[0].dataIndex], parts[items[0].dataIndex], kinds)},
    xAxis: {...axis(byShare ? "Share of the layer's cycles" : "Cycles", false,
                    byShare ? (v) => Math.round(100 * v) + " %" : (v) => si(v).replace(/ $/, "")), scale: false,
            ...(byShare ? {max: 1} : {})},
    yAxis: {type: "category", inverse: true, data: rows.map((r) => r.name),
            axisLabel: {color: css("--muted"), width: 110, overflow: "truncate"}, axisTick: {show: false},
            axisLine: {lineStyle: {color: css("--line")}}},
    dataZoom: rows.length > shown
      ? [{type: "slider", yAxisIndex: 0, startValue: 0, endValue: shown - 1, width: 16, right: 6, brushSelect: false,
          showDetail: false, borderColor: css("--line"), fillerColor: css("--grid")}] : [],
    series: kinds.map(([key, name, colour]) => ({
      name, type: "bar", stack: "cycles", barMaxWidth: 22, itemStyle: {color: paint(colour)},
      data: rows.map((row, i) => value(row, parts[i], key)),
    })),
  }, {notMerge: true});
}

function stallTip(row, part, kinds) {
  const lines = kinds.filter(([key]) => part[key])
    .map(([key, name]) => [name, `${count(part[key] * row.runs)} (${percent(part[key] / row.cycles)})`]);
  if (row.format_a) lines.push(["A × B", pairOf(row)]);
  return tip(row.name, [["Cycles", count(row.cycles * row.runs)], ...lines]);
}
