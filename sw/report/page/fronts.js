// SPDX-License-Identifier: Apache-2.0
// The two charts of points and fronts.
function drawFront(chart, list, x, y, picked) {
  const known = list.filter((p) => isNumber(x.of(p)) && isNumber(y.of(p)));
  const place = (p) => ({value: [x.of(p), y.of(p)], id: p.id});
  const front = frontOf(known, x, y);
  const onFront = new Set(front.map((p) => p.id));
  const series = pairs.map((pair) => ({
    name: pair, type: "scatter", symbol: symbolOf(pair), cursor: "pointer",
    itemStyle: {color: colourOf(pair)}, emphasis: {scale: 1.6},
    data: known.filter((p) => pairOf(p) === pair).map((p) => ({
      ...place(p), symbolSize: onFront.has(p.id) ? 11 : 7, itemStyle: {opacity: onFront.has(p.id) ? 1 : 0.45},
    })),
  })).filter((s) => s.data.length);
  series.unshift({
    name: "front", type: "line", step: y.best === x.best ? "end" : "start", silent: true, showSymbol: false,
    lineStyle: {color: css("--muted"), width: 1.5, type: "dashed"}, itemStyle: {color: css("--muted")},
    data: [...front].sort((p, q) => x.of(p) - x.of(q)).map((p) => [x.of(p), y.of(p)]),
  });
  if (picked && known.includes(picked)) {
    series.push({name: "selected", type: "scatter", symbol: "circle", symbolSize: 20, z: 5, silent: true,
                 itemStyle: {color: "transparent", borderColor: css("--text"), borderWidth: 2.5},
                 data: [[x.of(picked), y.of(picked)]]});
  }
  const logX = x !== measures.sqnr;
  const short = (m) => (v) => (m.unit === "dB" ? v : si(v).replace(/ $/, ""));
  chart.setOption({
    ...baseOption(), series,
    legend: {...baseOption().legend, data: series.map((s) => s.name).filter((n) => n !== "selected")},
    tooltip: {...baseOption().tooltip, trigger: "item",
              formatter: (item) => (item.data.id ? pointTip(pointById(item.data.id)) : "")},
    xAxis: logX ? logAxis(x.axis, logRange(known.map(x.of)), short(x)) : axis(x.axis, false, short(x)),
    yAxis: {...logAxis(y.axis, logRange(known.map(y.of)), short(y)), nameGap: 46},
  }, {notMerge: true});
  return front;
}
