// SPDX-License-Identifier: Apache-2.0
const byId = new Map(points.map((p) => [p.id, p]));
const pointById = (id) => byId.get(id);
const idInAddress = () => (points.find((p) => "#" + encodeURIComponent(p.id) === location.hash) || {id: ""}).id;
let pickedId = idInAddress();

const charts = Object.fromEntries(["area", "accuracy", "roofline", "stall", "mixtures"].map((name) =>
  [name, echarts.init(document.getElementById(name + "-chart"))]));
const costChoice = document.getElementById("cost");

function select(id) {
  if (!byId.has(id)) return;
  pickedId = id;
  history.replaceState(null, "", "#" + encodeURIComponent(id));
  draw();
}

/// The selected point if it is shown, else the middle of the front.
function pickedAmong(shown, front) {
  const now = pointById(pickedId);
  if (now && shown.includes(now)) return now;
  return front[Math.floor(front.length / 2)] || shown[0];
}

function draw() {
  let shown = points.filter(passes);
  const cost = measures[costChoice.value];
  const frontArea = frontsOf(shown, measures.area, cost, filters.eachPair).flatMap(([, front]) => front);
  const frontAccuracy = frontOf(shown, measures.sqnr, measures.latency);
  const front = [...new Set([...frontArea, ...frontAccuracy])];
  if (filters.frontOnly) shown = shown.filter((p) => front.includes(p));
  tellFilters(shown.length);
  const picked = pickedAmong(shown, frontArea);
  drawFront(charts.area, shown, measures.area, cost, picked, filters.eachPair);
  const measuredSqnr = points.some((p) => p.workload === filters.workload && isNumber(p.sqnr_db));
  document.getElementById("accuracy-chart").hidden = !measuredSqnr;
  document.getElementById("accuracy-note").textContent = measuredSqnr
    ? "Signal to quantization noise of products of this workload's own tensors."
    : "Not measured: mxe explore --tensors FILE reads tensors for the layers of this workload.";
  if (measuredSqnr) charts.accuracy.resize();
  drawFront(charts.accuracy, shown, measures.sqnr, measures.latency, picked);
  showPicked(picked);
  if (picked) {
    drawRoofline(charts.roofline, picked);
    drawStalls(charts.stall, picked);
    document.getElementById("stall-note").textContent = picked.layers
      ? "Every cycle has one label." : "This page has no layers for this point; the chart shows their sum.";
  } else {
    charts.roofline.clear();
    charts.stall.clear();
  }
  drawLayers(picked);
  drawMixtures(filters.workload);
  drawFormats(shown, picked);
  drawFrontTable(front, picked);
}

function summarize() {
  const space = exploration.space || {};
  const single = points.filter((p) => !p.weights);
  const workloads = new Set(single.map((p) => p.workload)).size;
  const engines = new Set(points.map((p) => JSON.stringify([...settingsOf(p)]))).size;
  const skipped = [...mapOf(space.skipped).values()].reduce((sum, v) => sum + (isNumber(v) ? v : 0), 0);
  document.getElementById("summary").textContent =
    `${count(single.length)} points: ${count(engines)} configurations, ${pairs.length} pairs of formats, ` +
    `${workloads} ${workloads === 1 ? "workload" : "workloads"}` + (skipped ? `; ${count(skipped)} left out` : "") +
    (exploration.without_layers ? `; ${count(exploration.without_layers)} without their layers` : "");
}

for (const name of ["latency", "energy"])
  if (points.some((p) => isNumber(measures[name].of(p))))
    costChoice.append(element("option", {value: name, textContent: measures[name].name.toLowerCase()}));
costChoice.onchange = draw;

const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => { setTheme(dark.matches ? "dark" : "light"); draw(); });
document.getElementById("theme").onclick = () => { setTheme(theme() === "dark" ? "light" : "dark"); draw(); };

charts.mixtures.on("click", (event) => { if (isNumber(event.data.number)) pickMixture(filters.workload, event.data.number); });
for (const chart of [charts.area, charts.accuracy]) chart.on("click", (event) => { if (event.data.id) select(event.data.id); });
new ResizeObserver(() => Object.values(charts).forEach((chart) => chart.resize())).observe(document.querySelector("main"));

buildFilters();
if (byId.has(pickedId)) {
  filters.workload = pointById(pickedId).workload;
  document.getElementById("workload").value = filters.workload;
}
summarize();
drawSkipped();
draw();
