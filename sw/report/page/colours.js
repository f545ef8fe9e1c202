// SPDX-License-Identifier: Apache-2.0
// Colours and symbols of format pairs, colours of stalls, and the theme. The palette is Okabe and
// Ito's, for colour deficiencies; the dark theme has a lighter one.
const palettes = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b5679a", "#a77c00", "#000077", "#6b4fa0", "#5f6b78",
          "#b02a4c", "#4d7a1f", "#8a5a3c", "#440000"],
  dark: ["#56b4e9", "#ff8c42", "#2fd0a0", "#e29cc8", "#f0c040", "#557700", "#b79cf0", "#aab4c0",
         "#ff7f9f", "#a9d65c", "#d6a684", "#4455ff"],
};
const symbols = ["circle", "diamond", "triangle", "rect", "pin", "roundRect"];
const pairs = [...new Set(points.map(pairOf))].sort();
const colouredPairs = [...new Set([
  ...pairs, ...points.flatMap((p) => (p.layers || []).filter((l) => l.format_a).map(pairOf)),
  ...[...mixturesByWorkload.values()].flatMap((all) => all.pairs.map(([a, b]) => pairOf({format_a: a, format_b: b})))])];

/// A name as one line of text in a chart. ECharts uses texts as property names, so the zero-width space
/// protects it from "__proto__" and "constructor".
const chartText = (name) => "\u200b" + name.replace(/\s+/g, " ");

const theme = () => document.documentElement.dataset.theme;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const paint = (index) => palettes[theme()][index % palettes.light.length];
const colourOf = (pair) => paint(colouredPairs.indexOf(pair));
const symbolOf = (pair) => symbols[pairs.indexOf(pair) % symbols.length];

// Each stall has the same colour in every chart; neighbours contrast.
const stallKinds = [
  ["mac_active", "multiplying", 0], ["stall_a", "waits for A", 8], ["stall_b", "waits for B", 2],
  ["stall_c", "waits for bias", 6], ["stall_drain", "waits for the drain", 9],
  ["stall_latency", "waits for pipeline or feeder", 1], ["idle", "idle between jobs", 7],
];

function baseOption() {
  return {
    animation: false,
    textStyle: {fontFamily: "inherit", color: css("--text")},
    grid: {left: 26, right: 18, top: 36, bottom: 30, containLabel: true},
    legend: {type: "scroll", top: 0, itemWidth: 16, itemHeight: 10, itemGap: 12, textStyle: {color: css("--text")}, pageTextStyle: {color: css("--text")},
             pageIconColor: css("--accent"), inactiveColor: css("--muted")},
    tooltip: {backgroundColor: css("--card"), borderColor: css("--line"), confine: true,
              textStyle: {color: css("--text")}},
  };
}

function axis(name, logarithmic, label) {
  return {
    type: logarithmic ? "log" : "value", name, nameLocation: "middle", scale: true,
    nameTextStyle: {color: css("--muted")}, nameGap: 26,
    axisLabel: {color: css("--muted"), formatter: label, hideOverlap: true},
    axisLine: {lineStyle: {color: css("--line")}}, splitLine: {lineStyle: {color: css("--grid")}},
  };
}

/// `numbers` times powers of ten from min to max, in rising order.
function ticksBetween(min, max, numbers) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++)
    for (const number of numbers) {
      const tick = Number((number * 10 ** power).toPrecision(6));
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  return ticks;
}

/// False for values that would need endless ticks on a logarithmic axis.
const fitsLogAxis = (value) => value > 1e-100 && value < 1e100;

/// A range of a logarithmic axis around the values, with at least three ticks: powers of ten, also
/// times 2 and 5, or finer for a short range.
function logRange(all) {
  const values = all.filter(fitsLogAxis);
  if (!values.length) return {};
  const min = Math.min(...values) / 1.25, max = Math.max(...values) * 1.25;
  // Even the shortest range, max / min = 1.56, has three ticks of `finest`: 5.6 to 8.75 has 6, 7, 8.
  const finest = [1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.3, 2.6, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9];
  const choices = [max / min > 2000 ? [1] : [1, 2, 5], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7], finest];
  const found = choices.map((numbers) => ticksBetween(min, max, numbers));
  return {min, max, ticks: found.find((ticks) => ticks.length >= 3) || found[3]};
}

function logAxis(name, range, label) {
  const plain = axis(name, true, label);
  if (range.min === undefined) return plain;
  return {...plain, min: range.min, max: range.max,
          axisTick: {customValues: range.ticks}, axisLabel: {...plain.axisLabel, customValues: range.ticks}};
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}
