// Draws the charts with Observable Plot, and makes tables sortable. All data is in the page.
"use strict";
(() => {
  const NARROW = 520;
  /** Minimal width to show a bar's difference from the baseline. Narrower charts show it only in the tip. */
  const ROOM_FOR_MORE = 440;
  const SERIES = 8;
  const three = (value) => value.toFixed(3);
  const grouped = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
  const verdicts = {
    domain: ["slower", "no difference", "faster"],
    range: ["var(--slower)", "var(--same)", "var(--faster)"],
  };

  /** Reserves room for names beside the rows, or above them in a narrow chart. */
  function layout(names, width) {
    const beside = Math.max(0, ...names.map((name) => name.length)) * 7 + 16;
    const narrow = width < NARROW || beside > width * 0.45;
    return {
      narrow,
      marginLeft: narrow ? 12 : beside,
      marginBottom: 44,
      height: names.length * (narrow ? 44 : 28) + 76,
    };
  }

  /** Returns the names of the rows as an axis, or as text above the rows of a narrow chart. */
  function rowNames(names, start, { narrow }) {
    return narrow
      ? Plot.text(names, { x: () => start, y: (name) => name, text: (name) => name, textAnchor: "start", dy: -16, clip: false })
      : Plot.axisY({ label: null, tickSize: 0 });
  }

  function ratio({ baseline, axis, aa_bound: floor, domain, marks }, width) {
    const names = marks.map((mark) => mark.name);
    const space = layout(names, width);
    // Large differences are shown from 0, small ones enlarged.
    const [low, high] = domain;
    const start = low < 0.75 ? 0 : Math.max(0, low - (high - low) * 0.15);
    const end = high + (high - start) * 0.04;
    const clamp = (value) => Math.min(end, Math.max(start, value));
    const band = floor === null ? [] : [{ x1: clamp(1 - floor), x2: clamp(1 + floor) }];
    return {
      ...space,
      marginRight: 56,
      x: { domain: [start, end], grid: true, labelOffset: 40, label: axis ?? `throughput × ${baseline}` },
      y: { domain: names, axis: null, padding: 0.4 },
      color: verdicts,
      symbol: { domain: verdicts.domain, range: ["diamond", "circle", "triangle"] },
      marks: [
        Plot.rect(band, { x1: "x1", x2: "x2", fill: "var(--band)" }),
        rowNames(names, start, space),
        Plot.ruleX([1], { stroke: "var(--fg)", strokeWidth: 1.5 }),
        Plot.ruleY(marks, { y: "name", x1: "low", x2: "high", stroke: "verdict", strokeWidth: 2 }),
        Plot.tickX(marks, { y: "name", x: "low", stroke: "verdict", inset: 2 }),
        Plot.tickX(marks, { y: "name", x: "high", stroke: "verdict", inset: 2 }),
        Plot.dot(marks, { y: "name", x: "value", fill: "verdict", symbol: "verdict", r: 4.5 }),
        Plot.text(marks, { y: "name", x: () => end, text: (mark) => three(mark.value), textAnchor: "start", dx: 8 }),
        tip(marks, { y: "name", x: "value", lines: (mark) => [mark.name, `× ${three(mark.value)} (${three(mark.low)} … ${three(mark.high)})`, mark.verdict] }),
      ],
    };
  }

  /** Ratios of a study, with the ratios measured here and their intervals. */
  function published({ rows }, width) {
    const names = rows.map((row) => row.name);
    const space = layout(names, width);
    const low = Math.min(1, ...rows.map((row) => Math.min(row.published, row.low)));
    const high = Math.max(1, ...rows.map((row) => Math.max(row.published, row.high)));
    const start = low < 0.4 ? 0 : low - (high - low) * 0.08;
    const end = high + (high - start) * 0.04;
    const who = { domain: ["published", "measured here"], range: ["var(--c1)", "var(--c2)"] };
    const told = (row) => [row.name, `published × ${three(row.published)}`, `measured × ${three(row.value)} (${three(row.low)} … ${three(row.high)})`];
    return {
      ...space,
      height: names.length * (space.narrow ? 40 : 22) + 84,
      marginTop: 12,
      marginRight: 20,
      x: { domain: [start, end], grid: true, labelOffset: 40, label: "throughput × baseline" },
      y: { domain: names, axis: null, padding: 0.4 },
      color: { ...who, legend: true },
      symbol: { domain: who.domain, range: ["diamond", "circle"] },
      marks: [
        rowNames(names, start, space),
        Plot.ruleX([1], { stroke: "var(--fg)", strokeWidth: 1.5 }),
        Plot.ruleY(rows, { y: "name", x1: "low", x2: "high", stroke: "var(--c2)", strokeWidth: 2 }),
        Plot.dot(rows, { y: "name", x: "value", fill: () => "measured here", symbol: () => "measured here", r: 4.5 }),
        Plot.dot(rows, { y: "name", x: "published", fill: () => "published", symbol: () => "published", r: 5 }),
        tip(rows, { y: "name", x: "value", lines: told }),
      ],
    };
  }

  function heat({ is_cost, label, columns, rows, tiles }, width) {
    const most = Math.max(1.25, ...tiles.map((tile) => Math.max(tile.value, 1 / tile.value)));
    const percent = (value) => `${value < 1 ? "−" : "+"}${Math.abs((value - 1) * 100).toFixed(Math.abs(value - 1) < 0.0995 ? 1 : 0)}`;
    const color = { type: "diverging-log", scheme: "RdBu", reverse: is_cost, pivot: 1, domain: [1 / most, most], label, tickFormat: percent };
    const paint = Plot.scale({ color });
    // A tile without a difference has no colour and no figure: the table says how much is excluded.
    const isOpen = (tile) => tile.verdict === "no difference";
    const shade = (tile) => (isOpen(tile) ? 1 : tile.value);
    const ink = (tile) => (d3.lab(paint.apply(shade(tile))).l > 55 ? "#111" : "#fff");
    const told = (tile) => (isOpen(tile) ? "·" : percent(tile.value));
    const left = Math.max(...rows.map((name) => name.length)) * 7 + 16;
    const longest = Math.max(...columns.map((name) => name.length));
    // The heads are rotated by 35°.
    const top = longest * 4.2 + 24;
    const right = Math.max(16, longest * 5.6 - 24);
    const least = left + columns.length * 56 + right;
    return {
      width: Math.max(least, Math.min(width, left + columns.length * 150 + right)),
      height: rows.length * 30 + top + 8,
      marginLeft: left,
      marginTop: top,
      marginRight: right,
      padding: 0.04,
      x: { domain: columns, axis: "top", label: null, tickRotate: -35, tickSize: 0 },
      y: { domain: rows, label: null, tickSize: 0 },
      color,
      marks: [
        Plot.cell(tiles, { x: "column", y: "name", fill: shade, rx: 3 }),
        Plot.text(tiles, { x: "column", y: "name", text: told, fill: ink, fontWeight: (tile) => (isOpen(tile) ? 400 : 600) }),
        tip(tiles, { x: "column", y: "name", lines: (tile) => [tile.name, tile.column, `${percent(tile.value)} % (${percent(tile.low)} … ${percent(tile.high)})`, tile.verdict] }),
      ],
    };
  }

  function threads({ points }, width) {
    const collations = [...new Set(points.map((point) => point.collation))];
    const servers = [...new Set(points.map((point) => point.server))];
    const dashes = ["none", "6 4", "2 3", "8 3 2 3"];
    const counts = [...new Set(points.map((point) => point.threads))];
    const line = (server, index) =>
      Plot.line(points.filter((point) => point.server === server), {
        x: "threads", y: "value", stroke: "collation", strokeWidth: 2, strokeDasharray: dashes[index % dashes.length],
      });
    return {
      height: 350,
      marginLeft: 60,
      marginBottom: 44,
      marginTop: 28,
      x: { type: "log", base: 2, ticks: counts, tickFormat: "d", labelOffset: 40, label: "connections to each variant" },
      y: { zero: true, grid: true, label: "queries/s", tickFormat: "~s" },
      color: { domain: collations, range: collations.map((_, index) => `var(--c${index % SERIES})`), legend: true },
      symbol: servers.length > 1 ? { domain: servers, legend: true } : undefined,
      marks: [
        ...servers.map(line),
        Plot.dot(points, { x: "threads", y: "value", fill: "collation", r: 4, symbol: servers.length > 1 ? "server" : undefined }),
        tip(points, { x: "threads", y: "value", lines: (point) => [`${point.collation} on ${point.server}`, `${point.threads} connections`, `${grouped(point.value)} queries/s`] }),
      ],
    };
  }

  function latency({ domain, rows }, width) {
    const names = rows.map((row) => row.name);
    const space = layout(names, width);
    const keys = ["p50", "p95", "p99"];
    const dots = rows.flatMap((row) => keys.filter((key) => row[key] > 0).map((key) => ({ name: row.name, key, value: row[key], row })));
    const spans = d3.groups(dots, (dot) => dot.name).map(([name, own]) => ({ name, low: d3.min(own, (dot) => dot.value), high: d3.max(own, (dot) => dot.value) }));
    const [low, high] = [domain[0] / 1.15, domain[1] * 1.15];
    const told = (row) => [row.name, ...keys.filter((key) => row[key] > 0).map((key) => `${key} ${three(row[key])} ms`)];
    return {
      ...space,
      marginRight: 20,
      x: { type: "log", domain: [low, high], grid: true, labelOffset: 40, label: "ms", ticks: Math.max(3, width / 110), tickFormat: "~g" },
      y: { domain: names, axis: null, padding: 0.4 },
      color: { domain: keys, range: ["var(--c2)", "var(--c5)", "var(--c1)"], legend: true },
      symbol: { domain: keys, range: ["circle", "square", "diamond"] },
      marks: [
        rowNames(names, low, space),
        Plot.ruleY(spans, { y: "name", x1: "low", x2: "high", stroke: "var(--rule)", strokeWidth: 2 }),
        Plot.dot(dots, { y: "name", x: "value", fill: "key", symbol: "key", r: 4.5 }),
        tip(dots, { y: "name", x: "value", lines: (dot) => told(dot.row) }),
      ],
    };
  }

  /** Amounts, with differences from the baseline if known. */
  function bars({ unit, bars }, width) {
    const names = bars.map((bar) => bar.name);
    const space = layout(names, width);
    const more = (bar) => (bar.more ? [`${bar.more} ${unit} than the baseline`] : []);
    const told = (bar) => (bar.more && width >= ROOM_FOR_MORE ? `${grouped(bar.value)}  ${bar.more}` : grouped(bar.value));
    const most = Math.max(...bars.map((bar) => bar.value));
    return {
      ...space,
      marginRight: 12 + 7 * Math.max(...bars.map((bar) => told(bar).length), 5),
      x: { domain: [0, most], grid: true, labelOffset: 40, label: unit },
      y: { domain: names, axis: null, padding: space.narrow ? 0.7 : 0.3 },
      marks: [
        rowNames(names, 0, space),
        Plot.barX(bars, { y: "name", x: "value", fill: "var(--c2)" }),
        Plot.text(bars, { y: "name", x: "value", text: told, textAnchor: "start", dx: 5 }),
        tip(bars, { y: "name", x: "value", lines: (bar) => [bar.name, `${grouped(bar.value)} ${unit}`, ...more(bar)] }),
      ],
    };
  }

  function stack(parts, width) {
    const names = [...new Set(parts.map((part) => part.name))];
    const space = layout(names, width);
    return {
      ...space,
      marginRight: 20,
      x: { grid: true, labelOffset: 40, label: "MiB" },
      y: { domain: names, axis: null, padding: space.narrow ? 0.7 : 0.3 },
      color: { domain: [...new Set(parts.map((part) => part.part))], range: ["var(--c2)", "var(--c5)"], legend: true },
      marks: [
        rowNames(names, 0, space),
        Plot.barX(parts, { y: "name", x: "mebibytes", fill: "part" }),
        tip(parts, Plot.stackX({ y: "name", x: "mebibytes", lines: (part) => [part.name, part.part, `${grouped(part.mebibytes)} MiB`] })),
      ],
    };
  }

  /** CPU by category. Categories of text processing have distinct colours, the others shades of one. */
  function categories({ unit, parts }, width) {
    const names = [...new Set(parts.map((part) => part.name))];
    const space = layout(names, width);
    const domain = [...new Set(parts.map((part) => part.part))];
    const text = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)"];
    const rest = (index) => `color-mix(in srgb, var(--c5) ${Math.round(85 - 75 * (index - text.length) / (domain.length - text.length))}%, var(--rule))`;
    return {
      ...space,
      marginRight: 20,
      x: { grid: true, labelOffset: 40, label: unit },
      y: { domain: names, axis: null, padding: space.narrow ? 0.6 : 0.3 },
      color: { domain, range: domain.map((_, index) => text[index] ?? rest(index)), legend: true },
      marks: [
        rowNames(names, 0, space),
        Plot.barX(parts, { y: "name", x: "value", fill: "part" }),
        tip(parts, Plot.stackX({ y: "name", x: "value", lines: (part) => [part.name, part.part, `${part.value.toFixed(2)} ${unit}`, `${(100 * part.share).toFixed(1)} %`] })),
      ],
    };
  }

  /** Returns the tip of the mark under the pointer. */
  function tip(data, { lines, ...channels }) {
    return Plot.tip(data, Plot.pointer({ ...channels, title: (datum) => lines(datum).join("\n"), fill: "var(--bg)", stroke: "var(--rule)" }));
  }

  const kinds = { ratio, change: ratio, published, heat, threads, latency, bars, stack, categories };

  function draw(figure) {
    const place = figure.querySelector(".plot");
    const width = Math.floor(place.clientWidth);
    if (width === 0 || figure.dataset.width === String(width)) return;
    figure.dataset.width = width;
    const data = JSON.parse(figure.querySelector("script").textContent);
    const options = kinds[figure.dataset.chart](data, width);
    const plot = Plot.plot({ width, style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" }, ...options });
    // The description of the place says what the parts show.
    plot.setAttribute("aria-hidden", "true");
    place.replaceChildren(plot);
    // A chart that is wider than its place scrolls, by the keyboard, too.
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const observer = new ResizeObserver((entries) => requestAnimationFrame(() => entries.forEach((entry) => draw(entry.target.parentElement))));
  figures.forEach((figure) => {
    draw(figure);
    observer.observe(figure.querySelector(".plot"));
  });

  /** Returns a field's sort key: its leading number, with sign and separators, or its text. */
  function sortKey(cell) {
    const text = cell.textContent.trim();
    const number = /^([-−+]?) ?([\d,]*\.?\d+)/.exec(text);
    if (!number) return { number: null, text };
    const [, sign, digits] = number;
    return { number: (["-", "−"].includes(sign) ? -1 : 1) * Number(digits.replaceAll(",", "")), text };
  }

  function compare(one, other) {
    if (one.number !== null && other.number !== null && one.number !== other.number) return one.number - other.number;
    return one.text.localeCompare(other.text, "en", { numeric: true });
  }

  function sortBy(table, column, heads) {
    const rising = heads[column].getAttribute("aria-sort") !== "ascending";
    heads.forEach((head, index) => head.setAttribute("aria-sort", index === column ? (rising ? "ascending" : "descending") : "none"));
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: sortKey(row.cells[column]) }));
    const known = rows.filter(({ key }) => key.text !== "–");
    known.sort((one, other) => (rising ? 1 : -1) * compare(one.key, other.key));
    const unknown = rows.filter(({ key }) => key.text === "–");
    table.tBodies[0].append(...known.concat(unknown).map(({ row }) => row));
  }

  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sortBy(table, column, heads));
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
    });
  });

  // Charts that were folded have no width yet.
  addEventListener("beforeprint", () => figures.forEach(draw));
})();
