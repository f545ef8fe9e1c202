// SPDX-License-Identifier: Apache-2.0
// The points and values derived from them. Names in the data may be any text, such as "__proto__", so
// they are values and keys of Maps, never property names.
const exploration = JSON.parse(document.getElementById("data").textContent);
const points = exploration.points;
const mixturesByWorkload = new Map(exploration.mixtures);
const traces = new Map(exploration.traces);  // index of a point -> path of its trace

const mapOf = (object) => new Map(Object.entries(object || {}));

/// Inverse of pack_layers(). `figures` are names of layers.cpp, not of the user's file, so they may be property names.
function unpackLayer([common, ...numbers]) {
  const {figures, stalls} = exploration.layers;
  const layer = {...exploration.layers.common[common], stalls: new Map()};
  figures.forEach((name, i) => { if (numbers[i] !== null) layer[name] = numbers[i]; });
  stalls.forEach((name, i) => { if (numbers[figures.length + i]) layer.stalls.set(name, numbers[figures.length + i]); });
  return layer;
}
for (const [place, point] of points.entries()) {
  if (point.layers) point.layers = point.layers.map(unpackLayer);
  point.stalls = mapOf(point.stalls);
  point.parameters = mapOf(point.parameters);
  point.trace = traces.get(place);
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/// Example: 1234567 is "1.23 M" with 3 significant digits.
function si(value, unit = "", digits = 3) {
  if (!isNumber(value)) return "–";
  if (value === 0) return "0 " + unit;
  const prefixes = ["f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];
  let step = Math.floor(Math.log10(Math.abs(value)) / 3);
  if (Math.abs(value) / 1000 ** step >= 999.5) step++;
  step = Math.max(-5, Math.min(6, step));
  return Number((value / 1000 ** step).toPrecision(digits)) + " " + prefixes[step + 5] + unit;
}
const percent = (value) => (isNumber(value) ? (100 * value).toFixed(1) + " %" : "–");
const decibel = (value) => (isNumber(value) ? value.toFixed(1) + " dB" : "–");
const count = (value) => (isNumber(value) ? Math.round(value).toLocaleString("en") : "–");

// One line, also for names in the data with line breaks.
const pairOf = (entry) => `${entry.format_a || "?"} × ${entry.format_b || "?"}`.replace(/\s+/g, " ");

/// `of` reads a quantity, `text` formats it; `best` is -1 if less is better, else 1.
const measures = {
  latency: {name: "Latency", axis: "Latency", unit: "s", of: (p) => p.seconds, text: (v) => si(v, "s"), best: -1},
  energy: {name: "Energy", axis: "Energy", unit: "J", of: (p) => (p.energy || {}).joules, text: (v) => si(v, "J"), best: -1},
  area: {name: "Area", axis: "Area in gate equivalents (GE), memories included", unit: "GE", of: (p) => (p.area || {}).ge, text: (v) => si(v, "GE"), best: -1},
  sram: {name: "SRAM", axis: "SRAM (KiB)", unit: "KiB", of: (p) => (p.area || {}).sram_kib,
         text: (v) => (isNumber(v) ? Number(v.toPrecision(4)) + " KiB" : "–"), best: -1},
  sqnr: {name: "SQNR", axis: "SQNR (dB)", unit: "dB", of: (p) => p.sqnr_db, text: decibel, best: 1},
  per_area: {name: "MAC/s per GE", axis: "MAC/s per GE", unit: "", best: 1, text: (v) => si(v),
             of: (p) => p.macs_per_second_per_ge},
  utilisation: {name: "Utilisation", axis: "", unit: "", of: (p) => p.utilisation, text: percent, best: 1},
  share: {name: "Of the roofline", axis: "", unit: "", of: (p) => p.roofline_share, text: percent, best: 1},
};

function settingsOf(point) {
  const settings = new Map(point.parameters);
  for (const key of ["engines", "clock_mhz", "memory", "mem_latency", "mem_bytes_per_cycle", "mem_half_duplex", "format_d", "batch",
                     "tokens"])
    if (point[key] !== undefined) settings.set(key, point[key]);
  return settings;
}

function varyingSettings(list) {
  const values = new Map();
  for (const point of list)
    for (const [key, value] of settingsOf(point)) {
      if (!values.has(key)) values.set(key, new Set());
      values.get(key).add(value);
    }
  return [...values].filter(([, set]) => set.size > 1)
    .map(([key, set]) => [key, [...set].sort((a, b) => (isNumber(a) && isNumber(b) ? a - b : String(a) < String(b) ? -1 : 1))]);
}

/// The points that no other point beats in the two measures, in the order of the first.
function frontOf(list, one, two) {
  const known = list.filter((p) => isNumber(one.of(p)) && isNumber(two.of(p)));
  known.sort((p, q) => one.best * (one.of(q) - one.of(p)) || two.best * (two.of(q) - two.of(p)));
  const front = [];
  let best = -Infinity;
  for (const point of known) {
    const value = two.best * two.of(point);
    const last = front[front.length - 1];
    if (value > best || (value === best && one.of(point) === one.of(last))) {
      best = value;
      front.push(point);
    }
  }
  return front;
}

function parameter(point, name, otherwise) {
  const value = point.parameters.get(name);
  return isNumber(value) && value > 0 ? value : otherwise;
}

/// Parses a number with optional SI prefix and unit: "2.5 MGE", "3000000"; else NaN.
function numberFrom(text, unit) {
  const [, digits, rest] = /^\s*([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\s*(.*?)\s*$/i.exec(text) || [];
  if (digits === undefined) return NaN;
  const prefix = rest.endsWith(unit) ? rest.slice(0, rest.length - unit.length) : rest;
  const powers = new Map([["p", -4], ["n", -3], ["u", -2], ["µ", -2], ["m", -1], ["", 0], ["k", 1], ["M", 2], ["G", 3], ["T", 4]]);
  return powers.has(prefix) ? Number(digits) * 1000 ** powers.get(prefix) : NaN;
}

/// The lower of the memory's and the ports' bytes per cycle. Both directions of a port serve a half-duplex memory. Rate 0
/// means the width of one port, which several engines share.
function bytesPerCycle(point) {
  const width = parameter(point, "MEM_W", 0) / 8, port = width * (point.engines || 1);
  const memory = point.mem_bytes_per_cycle || width;
  return port ? Math.min(port * (point.mem_half_duplex ? 2 : 1), memory) : memory;
}

/// Two 4-bit formats use the dual rate if FP4_DUAL is 1.
function macsPerCycle(point, pair) {
  const four = (format) => /e2m1|fp4|int4/i.test(format || "");
  const dual = parameter(point, "FP4_DUAL", 0) && four(pair.format_a) && four(pair.format_b);
  return 32 * parameter(point, "NUM_PE", 1) * (dual ? 2 : 1) * (point.engines || 1);
}

/// The layers of a point; their cycles count `runs` times.
function layersOf(point) {
  const layers = point.layers || [];
  const times = (layer) => layer.count || 1;
  const once = layers.reduce((sum, l) => sum + l.cycles, 0);
  const all = layers.reduce((sum, l) => sum + l.cycles * times(l), 0);
  // A layer's cycles are those of one of its `count` products, or of all if these add up better.
  const single = Math.abs(all - point.cycles) <= Math.abs(once - point.cycles);
  return layers.map((layer) => ({...layer, runs: single ? times(layer) : 1}));
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
