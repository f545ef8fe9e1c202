// SPDX-License-Identifier: Apache-2.0
// Which points are shown: one workload, limits, and the values of what differs between points.
const filters = {workload: points[0].workload, limits: {}, values: new Map(), frontOnly: false, eachPair: false};

const varying = varyingSettings(points);
const varyingNames = varying.map(([name]) => name);

const limitKinds = [["area", "Area at most (GE)", -1], ["latency", "Latency at most (s)", -1], ["sqnr", "SQNR at least (dB)", 1]];

function passes(point) {
  if (point.workload !== filters.workload) return false;
  for (const [name, , sign] of limitKinds) {
    const limit = filters.limits[name];
    if (limit !== undefined && !(sign * measures[name].of(point) >= sign * limit)) return false;
  }
  for (const [name, wanted] of filters.values) {
    const value = name === "formats" ? pairOf(point) : settingsOf(point)[name];
    if (wanted.size && !wanted.has(value)) return false;
  }
  return true;
}

function chipRow(name, values) {
  const wanted = new Set();
  filters.values.set(name, wanted);
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
  const names = [...new Set(points.map((p) => p.workload))].sort();
  filters.workload = names[0];
  const workload = element("select", {id: "workload"}, ...names.map((n) => element("option", {value: n, textContent: n})));
  workload.onchange = () => { filters.workload = workload.value; draw(); };
  const room = document.getElementById("main-filters");
  room.append(element("label", {}, "Workload", workload));
  for (const [name, text] of limitKinds) {
    if (!points.some((p) => isNumber(measures[name].of(p)))) continue;
    const input = element("input", {type: "number", id: "limit-" + name, step: "any"});
    input.oninput = () => {
      filters.limits[name] = input.value === "" ? undefined : Number(input.value);
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
  if (pairs.length > 1) chips.append(chipRow("formats", pairs));
  for (const [name, values] of varying) chips.append(chipRow(name, values));
}

function resetFilters() {
  filters.limits = {};
  filters.frontOnly = filters.eachPair = false;
  for (const wanted of filters.values.values()) wanted.clear();
  for (const input of document.querySelectorAll("#main-filters input")) {
    input.value = "";
    input.checked = false;
  }
  for (const chip of document.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", "false");
  draw();
}

function tellFilters(shown) {
  const active = [...filters.values].filter(([, wanted]) => wanted.size).map(([name]) => name);
  document.getElementById("active").textContent = active.length ? "· " + active.join(", ") : "";
  const all = points.filter((p) => p.workload === filters.workload).length;
  document.getElementById("shown").textContent = `${count(shown)} of ${count(all)} points of this workload`;
}
