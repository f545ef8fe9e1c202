// SPDX-License-Identifier: Apache-2.0
function frontLine(name, front, x, y, colour) {
  return {
    name, type: "line", step: y.best === x.best ? "end" : "start", silent: true, showSymbol: false,
    lineStyle: {color: colour, width: 1.5, type: "dashed"}, itemStyle: {color: colour},
    data: [...front].sort((p, q) => x.of(p) - x.of(q)).map((p) => [x.of(p), y.of(p)]),
  };
}

/// Returns [name, points] for the front of `list`, or with `each` for the front of each pair of formats.
function frontsOf(list, x, y, each) {
  if (!each) return [["front", frontOf(list, x, y)]];
  return pairs.map((pair) => [pair, frontOf(list.filter((p) => pairOf(p) === pair), x, y)])
    .filter(([, front]) => front.length);
}

/// True if the measure's axis (logarithmic, except for dB) can show the point.
const hasPlace = (measure, point) =>
  isNumber(measure.of(point)) && (measure === measures.sqnr || fitsLogAxis(measure.of(point)));

function drawFront(chart, list, x, y, picked, each) {
  const known = list.filter((p) => hasPlace(x, p) && hasPlace(y, p));
  const place = (p) => ({value: [x.of(p), y.of(p)], id: p.id});
  const fronts = frontsOf(known, x, y, each);
  const onFront = new Set(fronts.flatMap(([, front]) => front.map((p) => p.id)));
  const series = pairs.map((pair) => ({
    name: pair, type: "scatter", symbol: symbolOf(pair), cursor: "pointer",
    itemStyle: {color: colourOf(pair)}, emphasis: {scale: 1.6},
    data: known.filter((p) => pairOf(p) === pair).map((p) => ({
      ...place(p), symbolSize: onFront.has(p.id) ? 11 : 7, itemStyle: {opacity: onFront.has(p.id) ? 1 : 0.45},
    })),
  })).filter((s) => s.data.length);
  series.unshift(...fronts.map(([name, front]) => frontLine(name, front, x, y, each ? colourOf(name) : css("--muted"))));
  if (picked && known.includes(picked)) {
    series.push({name: "selected", type: "scatter", symbol: "circle", symbolSize: 20, z: 5, silent: true,
                 itemStyle: {color: "transparent", borderColor: css("--text"), borderWidth: 2.5},
                 data: [[x.of(picked), y.of(picked)]]});
  }
  const logX = x !== measures.sqnr;
  const short = (m) => (v) => (m.unit === "dB" ? v : si(v, m.unit, 5));
  chart.setOption({
    ...baseOption(), series,
    legend: {...baseOption().legend, data: [...new Set(series.map((s) => s.name))].filter((n) => n !== "selected")},
    tooltip: {...baseOption().tooltip, trigger: "item",
              formatter: (item) => (item.data.id ? pointTip(pointById(item.data.id)) : "")},
    xAxis: logX ? logAxis(x.axis, logRange(known.map(x.of)), short(x)) : axis(x.axis, false, short(x)),
    yAxis: {...logAxis(y.axis, logRange(known.map(y.of)), short(y)), nameGap: 62},
  }, {notMerge: true});
}
