// SPDX-License-Identifier: Apache-2.0
// A colour and a symbol for each pair of formats, for each kind of stall, and the theme.
// Okabe and Ito's colours, told apart with the common colour deficiencies; a lighter set on dark.
const palettes = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b5679a", "#a77c00", "#3a8fc4", "#6b4fa0", "#5f6b78",
          "#b02a4c", "#4d7a1f", "#8a5a3c", "#00838f"],
  dark: ["#56b4e9", "#ff8c42", "#2fd0a0", "#e29cc8", "#f0c040", "#8fd0ff", "#b79cf0", "#aab4c0",
         "#ff7f9f", "#a9d65c", "#d6a684", "#4dd0e1"],
};
const symbols = ["circle", "diamond", "triangle", "rect", "pin", "roundRect"];
const pairs = [...new Set(points.map(pairOf))].sort();
// Layers may have formats that no point has.
const colouredPairs = [...new Set([
  ...pairs, ...points.flatMap((p) => (p.layers || []).filter((l) => l.format_a).map(pairOf)),
  ...Object.values(exploration.mixtures).flatMap((all) => all.pairs.map((pair) => pair.join(" × ")))])];

const theme = () => document.documentElement.dataset.theme;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const paint = (index) => palettes[theme()][index % palettes.light.length];
const colourOf = (pair) => paint(colouredPairs.indexOf(pair));
const symbolOf = (pair) => symbols[Math.floor(pairs.indexOf(pair) / palettes.light.length) % symbols.length];

// Useful cycles are blue; each wait keeps its colour in every chart.
const stallKinds = [
  ["mac_active", "multiplying", 0], ["stall_a", "waits for A", 1], ["stall_b", "waits for B", 4],
  ["stall_c", "waits for bias", 3], ["stall_drain", "waits for the drain", 6],
  ["stall_latency", "pipeline latency", 5], ["idle", "idle between jobs", 7],
];

/// What all charts share.
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

/// An axis with numbers.
function axis(name, logarithmic, label) {
  return {
    type: logarithmic ? "log" : "value", name, nameLocation: "middle", scale: true,
    nameTextStyle: {color: css("--muted")}, nameGap: 26,
    axisLabel: {color: css("--muted"), formatter: label, hideOverlap: true},
    axisLine: {lineStyle: {color: css("--line")}}, splitLine: {lineStyle: {color: css("--grid")}},
  };
}

/// Ends of a logarithmic axis with a little room around the values, and ticks at 1, 2 and 5 times the
/// powers of ten: all of them where few fit, else only the powers.
function logRange(values) {
  if (!values.length) return {};
  const min = Math.min(...values) / 1.25, max = Math.max(...values) * 1.25;
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++)
    for (const step of max / min > 2000 ? [1] : [1, 2, 5]) {
      const tick = Number((step * 10 ** power).toPrecision(6));
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  return {min, max, ticks};
}

/// A logarithmic axis from logRange's `min` to its `max`.
function logAxis(name, range, label) {
  const plain = axis(name, true, label);
  if (range.min === undefined) return plain;
  return {...plain, min: range.min, max: range.max,
          axisTick: {customValues: range.ticks}, axisLabel: {...plain.axisLabel, customValues: range.ticks}};
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}
