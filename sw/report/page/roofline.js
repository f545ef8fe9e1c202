// SPDX-License-Identifier: Apache-2.0
function rooflineDots(point) {
  const hertz = point.cycles / point.seconds;
  const layers = layersOf(point);
  const whole = [{...point, name: "all layers", runs: 1}];
  return (layers.length ? layers : whole)
    .map((l) => ({layer: l, intensity: l.macs / ((l.bytes_read || 0) + (l.bytes_written || 0)),
                  rate: (l.macs / l.cycles) * hertz, share: (l.cycles * l.runs) / point.cycles}))
    .filter((d) => isNumber(d.intensity) && isNumber(d.rate) && d.intensity > 0 && d.rate > 0);
}

function drawRoofline(chart, point) {
  const dots = rooflineDots(point);
  const hertz = point.cycles / point.seconds;
  const bytes = bytesPerCycle(point) * hertz;
  const peaks = [...new Set([point, ...(point.layers || [])].map((l) => macsPerCycle(point, {...point, ...l})))]
    .map((macs) => macs * hertz).sort((a, b) => a - b);
  const ridges = peaks.map((peak) => (bytes ? peak / bytes : 1));
  const xs = logRange([...dots.map((d) => d.intensity), ...ridges.map((r) => r * 4), ...ridges.map((r) => r / 4)]);
  const roofs = peaks.map((peak, index) => ({
    name: peaks.length > 1 ? (index ? "peak, 4-bit pairs" : "peak, other pairs") : "roof", type: "line",
    silent: true, showSymbol: false, lineStyle: {color: css(index ? "--accent" : "--text"), width: 2},
    itemStyle: {color: css(index ? "--accent" : "--text")},
    data: [...(bytes ? [[xs.min, xs.min * bytes], [ridges[index], peak]] : [[xs.min, peak]]), [xs.max, peak]],
  }));
  const rate = (v) => si(v, "", 5).trim();
  const ys = logRange([...dots.map((d) => d.rate), ...peaks, ...peaks.map((p) => p / 8)]);
  chart.setOption({
    ...baseOption(),
    xAxis: logAxis("MAC per byte of memory traffic", xs, rate),
    yAxis: {...logAxis("MAC/s", ys, rate), nameGap: 46},
    tooltip: {...baseOption().tooltip, trigger: "item", formatter: (item) => (item.data.layer ? layerTip(item.data) : "")},
    series: [...roofs, {
      name: "layers", type: "scatter", cursor: "default", itemStyle: {color: colourOf(pairOf(point)), opacity: 0.75},
      data: dots.map((d) => ({value: [d.intensity, d.rate], symbolSize: 6 + 34 * Math.sqrt(d.share), ...d})),
    }],
  }, {notMerge: true});
}

function layerTip({layer, intensity, rate, share}) {
  const rows = [["Rate", si(rate, "MAC/s")], ["Traffic", Number(intensity.toPrecision(3)) + " MAC/B"],
                ["Time", percent(share)]];
  if (isNumber(layer.bound_cycles) && layer.cycles) rows.push(["Of the roofline", percent(layer.bound_cycles / layer.cycles)]);
  if (layer.bound_by) rows.push(["Bound by", layer.bound_by]);
  if (layer.format_a) rows.push(["A × B", pairOf(layer)]);
  if (isNumber(layer.m)) rows.push(["M × N × K", `${layer.m} × ${layer.n} × ${layer.k}`], ["Runs", String(layer.count || 1)]);
  return tip(layer.name, rows);
}
