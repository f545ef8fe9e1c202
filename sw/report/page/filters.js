// SPDX-License-Identifier: Apache-2.0
// Filters of points. `rows`: {name, of(point), wanted}; an empty `wanted` passes all points.
const filters = {workload: points[0].workload, limits: {}, rows: [], frontOnly: false, eachPair: false};

const varying = varyingSettings(points);
const varyingNames = varying.map(([name]) => name);

const limitKinds = [["area", "Area at most", -1, "2.5 MGE"], ["latency", "Latency at most", -1, "20 ms"], ["sqnr", "SQNR at least", 1, "20 dB"]];

function passes(point) {
  if (point.workload !== filters.workload) return false;
  for (const [name, , sign] of limitKinds) {
    const limit = filters.limits[name];
    if (limit !== undefined && !(sign * measures[name].of(point) >= sign * limit)) return false;
  }
  return filters.rows.every(({of, wanted}) => !wanted.size || wanted.has(of(point)));
}

function chipRow(name, of, values) {
  const wanted = new Set();
  filters.rows.push({name, of, wanted});
  const row = element("fieldset", {}, element("legend", {textContent: name}));
  row.dataset.name = name;
  for (const value of values) {
    const chip = element("button", {type: "button", className: "chip", textContent: String(value)});
    chip.setAttribute("aria-pressed", "false");
    chip.onclick = () => {
      const on = !wanted.has(value);
      if (on) wanted.add(value); else wanted.delete(value);
      chip.setAttribute("aria-pressed", String(on));
      draw();
    };
    row.append(chip);
  }
  return row;
}

function buildFilters() {
  // Combined workloads first.
  const combined = new Set(points.filter((p) => p.weights).map((p) => p.workload));
  const names = [...new Set(points.map((p) => p.workload))].sort((a, b) => combined.has(b) - combined.has(a) || (a < b ? -1 : 1));
  filters.workload = names[0];
  const workload = element("select", {id: "workload"}, ...names.map((n) => element("option", {value: n, textContent: n})));
  workload.onchange = () => { filters.workload = workload.value; draw(); };
  const room = document.getElementById("main-filters");
  room.append(element("label", {}, "Workload", workload));
  for (const [name, text, , example] of limitKinds) {
    if (!points.some((p) => isNumber(measures[name].of(p)))) continue;
    const input = element("input", {type: "text", className: "limit", id: "limit-" + name, placeholder: "e.g. " + example});
    input.oninput = () => {
      const limit = numberFrom(input.value, measures[name].unit);
      input.setAttribute("aria-invalid", String(input.value.trim() !== "" && Number.isNaN(limit)));
      filters.limits[name] = Number.isNaN(limit) ? undefined : limit;
      draw();
    };
    room.append(element("label", {}, text, input));
  }
  const only = element("input", {type: "checkbox", id: "front-only"});
  only.onchange = () => { filters.frontOnly = only.checked; draw(); };
  const each = element("input", {type: "checkbox", id: "each-pair"});
  each.onchange = () => { filters.eachPair = each.checked; draw(); };
  const reset = element("button", {type: "button", id: "reset", textContent: "Show all"});
  reset.onclick = resetFilters;
  room.append(element("label", {className: "tick"}, only, "only the fronts"));
  if (pairs.length > 1) room.append(element("label", {className: "tick"}, each, "a front for each pair of formats"));
  room.append(reset);
  const chips = document.getElementById("chips");
  if (pairs.length > 1) chips.append(chipRow("formats", pairOf, pairs));
  for (const [name, values] of varying) chips.append(chipRow(name, (point) => settingsOf(point).get(name), values));
}

function resetFilters() {
  filters.limits = {};
  filters.frontOnly = filters.eachPair = false;
  for (const {wanted} of filters.rows) wanted.clear();
  for (const input of document.querySelectorAll("#main-filters input")) {
    input.value = "";
    input.checked = false;
    input.removeAttribute("aria-invalid");
  }
  for (const chip of document.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", "false");
  draw();
}

function tellFilters(shown) {
  const active = filters.rows.filter(({wanted}) => wanted.size).map(({name}) => name);
  document.getElementById("active").textContent = active.length ? "· " + active.join(", ") : "";
  const all = points.filter((p) => p.workload === filters.workload).length;
  document.getElementById("shown").textContent = `${count(shown)} of ${count(all)} points of this workload`;
}
