// SPDX-License-Identifier: Apache-2.0
const sortedBy = new Map();  // table -> [column, direction]

/// `columns`: {name, of(row), text(value), className, swatch}. `rows`: {point, ...} selects a point, {id, choose(),
/// picked, ...} calls choose() instead; other rows cannot be selected.
function drawTable(table, columns, rows, picked) {
  const [by, direction] = sortedBy.get(table.id) || [-1, 1];
  const order = [...rows];
  if (columns[by]) {
    const value = columns[by].of;
    order.sort((p, q) => {
      const one = value(p), two = value(q);
      if (one === undefined || two === undefined) return (one === undefined) - (two === undefined);
      return direction * (one < two ? -1 : one > two ? 1 : 0);
    });
  }
  const head = element("tr", {}, ...columns.map((column, index) => {
    const button = element("button", {type: "button", textContent: column.name + (index === by ? (direction > 0 ? " ▴" : " ▾") : "")});
    button.onclick = () => {
      sortedBy.set(table.id, [index, index === by ? -direction : 1]);
      drawTable(table, columns, rows, picked);
    };
    return element("th", {className: column.className || ""}, button);
  }));
  const body = order.map((row) => {
    const line = element("tr", {}, ...columns.map((column) => {
      const cell = element("td", {className: column.className || "", textContent: column.text ? column.text(column.of(row)) : String(column.of(row) ?? "–")});
      if (column.swatch) {
        const dot = element("span", {className: "swatch"});
        dot.style.background = colourOf(column.of(row));
        cell.prepend(dot);
      }
      return cell;
    }));
    const choose = row.choose || (row.point && (() => select(row.point.id)));
    if (choose) {
      line.dataset.id = row.id ?? row.point.id;
      line.tabIndex = 0;
      line.classList.toggle("picked", row.picked ?? row.point === picked);
      line.onclick = choose;
      line.onkeydown = (event) => { if (event.key === "Enter") choose(); };
    }
    return line;
  });
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}

const measured = (name, of = (row) => row.point) =>
  ({name: measures[name].name, of: (row) => measures[name].of(of(row)), text: measures[name].text});

function best(list, measure) {
  const known = list.filter((p) => isNumber(measure.of(p)));
  return known.reduce((a, b) => (measure.best * measure.of(b) > measure.best * measure.of(a) ? b : a), known[0]);
}

function drawFormats(list, picked) {
  const rows = pairs.map((pair) => ({pair, all: list.filter((p) => pairOf(p) === pair)})).filter((r) => r.all.length)
    .map((r) => ({...r, point: best(r.all, measures.latency)}));
  const top = (row, name) => { const p = best(row.all, measures[name]); return p && measures[name].of(p); };
  drawTable(document.getElementById("formats"), [
    {name: "A × B", of: (r) => r.pair, className: "text", swatch: true},
    {name: "Points", of: (r) => r.all.length},
    ...(list.some((p) => isNumber(p.sqnr_db)) ? [{name: "Best SQNR", of: (r) => top(r, "sqnr"), text: decibel}] : []),
    {name: "Least latency", of: (r) => top(r, "latency"), text: measures.latency.text},
    {name: "its area", of: (r) => measures.area.of(r.point), text: measures.area.text},
    {name: "Least area", of: (r) => top(r, "area"), text: measures.area.text},
    {name: "Most MAC/s per GE", of: (r) => top(r, "per_area"), text: (v) => si(v)},
    {name: "Least energy", of: (r) => top(r, "energy"), text: measures.energy.text},
    {name: "Best utilisation", of: (r) => top(r, "utilisation"), text: percent},
  ], rows, picked);
}

function drawFrontTable(front, picked) {
  drawTable(document.getElementById("front"), [
    {name: "A × B", of: (r) => pairOf(r.point), className: "text", swatch: true},
    ...["latency", "area", "sram", "sqnr", "energy", "per_area", "utilisation", "share"].map((name) => measured(name))
      .filter((column) => front.some((p) => isNumber(column.of({point: p})))),
    ...(front.some((p) => p.bound_by) ? [{name: "Bound by", of: (r) => r.point.bound_by, className: "text"}] : []),
    ...varyingNames.map((name) => ({name, of: (r) => settingsOf(r.point).get(name)})),
  ], front.map((point) => ({point})), picked);
}

const storedNames = new Map([["weights", "weights"], ["kv_cache", "keys or values"], ["activations", "activations"]]);

function drawLayers(point) {
  const rows = point ? layersOf(point) : [];
  const table = document.getElementById("layers");
  table.closest("section").hidden = !rows.length;
  drawTable(table, [
    {name: "Layer", of: (r) => r.name, className: "text"},
    {name: "A × B", of: (r) => pairOf(r.format_a ? r : point), className: "text", swatch: true},
    {name: "M × N × K", of: (r) => (isNumber(r.m) ? `${r.m} × ${r.n} × ${r.k}` : "–")},
    {name: "Runs", of: (r) => r.count || 1, text: count},
    {name: "Cycles", of: (r) => r.cycles * r.runs, text: count},
    {name: "Of all", of: (r) => (r.cycles * r.runs) / point.cycles, text: percent},
    {name: "Of the roofline", of: (r) => (isNumber(r.bound_cycles) ? r.bound_cycles / r.cycles : undefined), text: percent},
    ...(rows.some((r) => r.bound_by) ? [{name: "Bound by", of: (r) => r.bound_by, className: "text"}] : []),
    ...(rows.some((r) => r.b_bytes > 0) ? [{name: "B in memory", of: (r) => r.b_bytes, text: (v) => si(v, "B")},
      {name: "B is", of: (r) => storedNames.get(r.b) ?? "–", className: "text"}] : []),
    ...(rows.some((r) => isNumber(r.sqnr_db)) ? [{name: "SQNR", of: (r) => r.sqnr_db, text: decibel}] : []),
  ], rows);
}

function drawSkipped() {
  const {skipped, unmet} = exploration.space || {};
  const rows = [...[...mapOf(skipped)].map(([reason, number]) => ({reason, number})),
                ...[...mapOf(unmet)].map(([reason, number]) => ({reason: "results: " + reason, number}))];
  if (!rows.length) return;
  document.getElementById("skipped-card").hidden = false;
  drawTable(document.getElementById("skipped"), [
    {name: "Reason", of: (r) => r.reason, className: "text"}, {name: "Points", of: (r) => r.number, text: count}], rows);
}
