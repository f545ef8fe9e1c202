// SPDX-License-Identifier: Apache-2.0
// The front of mixtures (mxe explore --formats) and the selected mixture.
const pickedMixtures = new Map();  // workload -> index of the mixture

const mixturesOf = (workload) => mixturesByWorkload.get(workload);
const mixturePair = (all, number) => pairOf({format_a: all.pairs[number][0], format_b: all.pairs[number][1]});

/// The selected mixture; default: the one chosen for the budget, else the middle one.
function pickedMixture(workload) {
  const {mixtures} = mixturesOf(workload);
  const chosen = mixtures.findIndex((one) => one.chosen);
  return pickedMixtures.get(workload) ?? (chosen >= 0 ? chosen : Math.floor(mixtures.length / 2));
}

function pickMixture(workload, number) {
  pickedMixtures.set(workload, number);
  drawMixtures(workload);
}

/// Example: "3: mxfp8_e4m3 × mxfp4_e2m1, ...", most layers first.
function countedPairs(all, mixture) {
  const counts = new Map();
  for (const number of mixture.layers) counts.set(number, (counts.get(number) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([number, layers]) => `${layers}: ${mixturePair(all, number)}`).join(", ");
}

const isUniform = (mixture) => mixture.layers.every((number) => number === mixture.layers[0]);

function mixtureTip(all, mixture) {
  const rows = [["Cycles", count(mixture.cycles)], ["Latency", si(mixture.seconds, "s")], ["SQNR", mixture.sqnr_db.toFixed(2) + " dB"]];
  if (isNumber(mixture.correct)) rows.push(["Digits right", count(mixture.correct)]);
  rows.push(["Layers", countedPairs(all, mixture)]);
  return tip(mixture.chosen ? "In the budget" : isUniform(mixture) ? "The same formats for all layers" : "A mixture", rows);
}

function drawMixtureFront(chart, workload) {
  const all = mixturesOf(workload), picked = pickedMixture(workload);
  const place = (mixture, number) => ({value: [mixture.sqnr_db, mixture.cycles], number});
  const kinds = [["mixtures", (m) => !m.chosen && !isUniform(m), "circle", 6, paint(0)],
                 ["the same for all layers", (m) => !m.chosen && isUniform(m), "diamond", 13, paint(1)],
                 ["in the budget", (m) => m.chosen, "triangle", 14, paint(2)]];
  const series = kinds.map(([name, belongs, symbol, symbolSize, color]) => ({
    name, type: "scatter", symbol, symbolSize, cursor: "pointer", itemStyle: {color, opacity: 0.85},
    data: all.mixtures.map(place).filter((_, number) => belongs(all.mixtures[number])),
  })).filter((one) => one.data.length);
  series.unshift({name: "front", type: "line", step: "start", silent: true, showSymbol: false,
                  lineStyle: {color: css("--muted"), width: 1.5, type: "dashed"}, itemStyle: {color: css("--muted")},
                  data: all.mixtures.map((m) => [m.sqnr_db, m.cycles])});
  const now = all.mixtures[picked];
  series.push({name: "selected", type: "scatter", symbol: "circle", symbolSize: 22, z: 5, silent: true,
               itemStyle: {color: "transparent", borderColor: css("--text"), borderWidth: 2.5}, data: [[now.sqnr_db, now.cycles]]});
  const short = (v) => si(v, "", 5).trim();
  chart.setOption({
    ...baseOption(), series,
    legend: {...baseOption().legend, data: series.map((s) => s.name).filter((name) => name !== "selected")},
    tooltip: {...baseOption().tooltip, trigger: "item",
              formatter: (item) => (isNumber(item.data.number) ? mixtureTip(all, all.mixtures[item.data.number]) : "")},
    xAxis: axis("SQNR of the network's sum of noises (dB)", false, (v) => v),
    yAxis: {...axis("Cycles", false, short), nameGap: 46},
  }, {notMerge: true});
}

const quotedPattern = (name) => JSON.stringify(name.replace(/[*?[\\]/g, "\\$&"));

function formatMapText(workload, number) {
  const all = mixturesOf(workload), mixture = all.mixtures[number];
  return `# ${JSON.stringify(workload).slice(1, -1)}: ${mixture.cycles} cycles, SQNR ${mixture.sqnr_db.toFixed(2)} dB\n` +
    mixture.layers.map((pair, i) =>
      `${quotedPattern(all.names[i])}: {format_a: ${yamlText(all.pairs[pair][0])}, format_b: ${yamlText(all.pairs[pair][1])}}\n`).join("");
}

function drawMixtureLayers(workload) {
  const all = mixturesOf(workload), number = pickedMixture(workload), mixture = all.mixtures[number];
  document.getElementById("mixture-figures").replaceChildren(...[
    ["Cycles", count(mixture.cycles)], ["Latency", si(mixture.seconds, "s")], ["SQNR", mixture.sqnr_db.toFixed(2) + " dB"],
    ...(isNumber(mixture.correct) ? [["Digits right", count(mixture.correct)]] : [])].map((entry) => figure(...entry)));
  drawTable(document.getElementById("mixture-layers"), [
    {name: "Layer", of: (r) => r.name, className: "text"},
    {name: "A × B", of: (r) => r.pair, className: "text", swatch: true},
  ], all.names.map((name, i) => ({name, pair: mixturePair(all, mixture.layers[i])})));
  const button = document.getElementById("copy-map");
  button.onclick = () => copy(formatMapText(workload, number), button);
}

/// About `most` evenly spaced rows, both ends, and the selected and chosen ones.
function someMixtures(all, picked, most = 60) {
  const last = all.length - 1, step = Math.max(1, last / (most - 1));
  const numbers = new Set([picked, ...all.flatMap((one, i) => (one.chosen ? [i] : []))]);
  for (let at = 0; at <= last; at += step) numbers.add(Math.round(at));
  numbers.add(last);
  return [...numbers].sort((a, b) => a - b);
}

function drawMixtureTable(workload) {
  const all = mixturesOf(workload), picked = pickedMixture(workload);
  const rows = someMixtures(all.mixtures, picked).map((number) => ({
    ...all.mixtures[number], id: String(number), picked: number === picked, choose: () => pickMixture(workload, number)}));
  drawTable(document.getElementById("mixtures"), [
    {name: "Cycles", of: (r) => r.cycles, text: count},
    {name: "Latency", of: (r) => r.seconds, text: measures.latency.text},
    {name: "SQNR", of: (r) => r.sqnr_db, text: (v) => v.toFixed(2) + " dB"},
    ...(all.mixtures.some((one) => isNumber(one.correct)) ? [{name: "Digits right", of: (r) => r.correct, text: count}] : []),
    {name: "Layers in formats A × B", of: (r) => countedPairs(all, r), className: "text"},
  ], rows);
}

function drawMixtures(workload) {
  const all = mixturesOf(workload);
  document.getElementById("mixtures-card").hidden = !all;
  if (!all) return;
  charts.mixtures.resize();
  document.getElementById("mixtures-note").textContent =
    `${count(all.mixtures.length)} mixtures of formats that no other one dominates` +
    (all.exact ? "" : " (the best of equal ranges of cycles, and the hull)") + ". Select one to see its layers.";
  drawMixtureFront(charts.mixtures, workload);
  drawMixtureLayers(workload);
  drawMixtureTable(workload);
}
