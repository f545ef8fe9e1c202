// SPDX-License-Identifier: Apache-2.0
// Built from elements, not markup, so that names in the data are never parsed as HTML.
function tip(title, rows) {
  const table = element("table");
  for (const [name, value] of rows) {
    table.append(element("tr", {}, element("td", {className: "text", textContent: name}),
                         element("td", {className: "text", textContent: value})));
  }
  return element("div", {className: "tip"}, element("b", {textContent: title}), table);
}

function pointTip(point) {
  const settings = settingsOf(point);
  const varying = varyingNames.filter((name) => settings.has(name)).slice(0, 8)
    .map((name) => [name, String(settings.get(name))]);
  const figures = ["latency", "area", "sqnr", "energy", "utilisation"].map((name) => measures[name])
    .filter((m) => isNumber(m.of(point))).map((m) => [m.name, m.text(m.of(point))]);
  return tip(pairOf(point), [...figures, ...varying]);
}
