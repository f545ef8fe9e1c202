// SPDX-License-Identifier: Apache-2.0
// The selected point. isPlain: needs no quotes in YAML and in a shell.
const isPlain = (text) => /^[A-Za-z0-9_.+][A-Za-z0-9_.+-]*$/.test(text);
const yamlText = (value) => (isPlain(String(value)) ? String(value) : JSON.stringify(String(value)));
const shellText = (value) => (isPlain(String(value)) ? String(value) : "'" + String(value).replaceAll("'", "'\\''") + "'");

function configurationText(point) {
  const lines = [...point.parameters].map(([key, value]) => `${yamlText(key)}: ${yamlText(value)}`);
  return lines.join("\n") + "\n";
}

function commandText(point) {
  const set = [...point.parameters].map(([key, value]) => `${shellText(key)}=${shellText(value)}`).join(" ");
  const options = [["--format-a", point.format_a], ["--format-b", point.format_b],
                   ...(point.memory ? [["--memory", point.memory], ["--clock-mhz", point.clock_mhz]]
                                    : [["--mem-latency", point.mem_latency],
                                       ["--mem-bytes-per-cycle", point.mem_bytes_per_cycle]]),
                   ["--mem-outstanding-reads", point.mem_outstanding_reads],
                   ["--mem-outstanding-writes", point.mem_outstanding_writes]]
    .filter(([, value]) => value !== undefined).map(([name, value]) => `${name} ${shellText(value)}`).join(" ") +
    (point.mem_half_duplex && !point.memory ? " --mem-half-duplex" : "") + (point.engines > 1 ? ` --engines ${point.engines}` : "");
  const layer = (point.layers || [])[0];
  const shape = layer && isNumber(layer.m) ? `${layer.m} ${layer.n} ${layer.k}` : "M N K";
  return `mxe estimate ${shape} ${options} --set ${set}`;
}

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No permission, or a browser that denies it for local files.
    const area = element("textarea", {value: text});
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1200);
}

function figure(name, value, detail) {
  return element("div", {}, element("dt", {textContent: name}),
                 element("dd", {}, value, ...(detail ? [element("small", {textContent: " " + detail})] : [])));
}

/// Example: "32 B/cycle", with the memory's rate if the port is slower.
function memoryText(point) {
  const memory = point.mem_bytes_per_cycle, port = point.port_bytes_per_cycle;
  const narrow = isNumber(port) && memory > port * (point.engines || 1) * (point.mem_half_duplex ? 2 : 1);
  return (point.memory ? point.memory + ", " : "") + bytesPerCycle(point) + " B/cycle" + (point.mem_half_duplex ? ", half-duplex" : "") +
    (narrow ? ` (port; the memory has ${memory})` : "");
}

/// Text about the bytes of B: weights, and keys and values with their formats.
function storedOf(point) {
  const {weight_bytes: weights, kv_bytes: kv, b_bytes: all} = point;
  const list = [];
  if (weights > 0) list.push(["Weights", si(weights, "B")]);
  if (kv > 0) list.push(["Keys and values", si(kv, "B"), (point.kv_formats || []).join(", ")]);
  if (!list.length && all > 0) list.push(["B of all products", si(all, "B")]);
  return list;
}

/// Text about the parts of the latency: the products alone, or the products and the rest.
function partsOf(point) {
  const {products_seconds: products, seconds} = point;
  return isNumber(products) ? `products ${si(products, "s")}, rest ${si(seconds - products, "s")}` : "matrix products alone";
}

function figuresOf(point) {
  const area = point.area || {}, energy = point.energy || {};
  const moved = (point.bytes_read || 0) + (point.bytes_written || 0);
  const items = (point.item_name || (point.tokens ? "token" : point.batch ? "image" : "item")) + "/s";
  const areaKnown = area.synthesized ? "synthesized" : isNumber(area.error) ? "± " + percent(area.error) : "";
  const logic = isNumber(area.logic_ge) ? si(area.logic_ge, "GE") + " of logic, " : "";
  const list = [
    ["Formats", pairOf(point)], ["Latency", si(point.seconds, "s"), partsOf(point)], ["Cycles", count(point.cycles)],
    isNumber(point.items_per_second) && ["Throughput", si(point.items_per_second, items)],
    isNumber(area.ge) && ["Area", si(area.ge, "GE"), logic + areaKnown],
    isNumber(area.sram_kib) && ["SRAM", measures.sram.text(area.sram_kib)],
    point.bound_by && ["Bound by", point.bound_by, isNumber(point.bound_by_share) ? percent(point.bound_by_share) + " of the time" : ""],
    ["SQNR", isNumber(point.sqnr_db) ? decibel(point.sqnr_db) : "not measured",
     isNumber(point.sqnr_layers) && point.layers && point.sqnr_layers < point.layers.length
       ? `${point.sqnr_layers} of ${point.layers.length} layers` : ""],
    isNumber(energy.joules) && ["Energy", si(energy.joules, "J"),
                                ["mac", "sram", "dram"].filter((k) => energy.joules && isNumber(energy[k]))
                                  .map((k) => `${k.toUpperCase()} ${Math.round((100 * energy[k]) / energy.joules)} %`).join(", ")],
    ["Utilisation", percent(point.utilisation)], ["Of the roofline", percent(point.roofline_share)],
    moved && ["Memory traffic", si(moved, "B"), point.compulsory_bytes ? `${(moved / point.compulsory_bytes).toFixed(2)} × compulsory` : ""],
    ...storedOf(point),
    isNumber(point.macs_per_second_per_ge) && ["MAC/s per GE", si(point.macs_per_second_per_ge)],
    isNumber(point.clock_mhz) && ["Clock", point.clock_mhz + " MHz"],
    isNumber(point.mem_bytes_per_cycle) && ["Memory", memoryText(point), isNumber(point.mem_latency) ? point.mem_latency + " cycles away" : ""],
  ];
  return element("dl", {}, ...list.filter(Boolean).map((entry) => figure(...entry)));
}

function showPicked(point) {
  document.getElementById("picked-id").textContent = point ? point.id : "";
  const room = document.getElementById("picked");
  if (!point) {
    room.replaceChildren("No point passes the filters.");
    return;
  }
  const text = element("pre", {id: "configuration", tabIndex: 0, textContent: configurationText(point)});
  const yaml = element("button", {type: "button", id: "copy", textContent: "Copy configuration"});
  yaml.onclick = () => copy(text.textContent, yaml);
  const command = element("button", {type: "button", id: "copy-command", textContent: "Copy as command"});
  command.onclick = () => copy(commandText(point), command);
  const buttons = element("div", {className: "buttons"}, yaml, command);
  if (point.trace) {
    buttons.append(element("a", {id: "trace", href: point.trace, download: "", textContent: "Trace"}), " for ",
                   element("a", {href: "https://ui.perfetto.dev", rel: "noopener", textContent: "Perfetto"}));
  }
  room.replaceChildren(figuresOf(point), element("div", {}, text, buttons));
}
