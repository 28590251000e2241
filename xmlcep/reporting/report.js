"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const { texts, findings, changes, rules, severities, chunk } = data;
  const EVENT = 0, DOC = 1, TS = 2, AT = 3, USER = 4, NODE = 5, VALUES = 6, TIME = 7;
  const HEIGHT = 28, COLOURS = 8;
  const count = (n) => n.toLocaleString("en");

  // Only text is ever put into the page, never markup.
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const colourOf = new Map();
  const ruleOf = (finding) => texts[finding[EVENT]];
  const rated = (finding) => (severities[ruleOf(finding)] ? `${ruleOf(finding)} · ${severities[ruleOf(finding)]}` : ruleOf(finding));
  const colour = (name) => {
    if (!colourOf.has(name)) {
      const index = rules.indexOf(name.split("/")[0]);
      colourOf.set(name, Math.min(COLOURS - 1, index < 0 ? COLOURS - 1 : index));
    }
    return colourOf.get(name);
  };
  const place = (finding) => (changes.by_time ? finding[TIME] : finding[TS]);
  const moment = (value) => (changes.by_time ? new Date(value * 1000).toISOString().replace(".000", "") : `time point ${Math.round(value)}`);

  // ---- which findings are shown -------------------------------------------------------------------------

  const filters = { rule: byId("f-rule"), doc: byId("f-doc"), user: byId("f-user"), text: byId("f-text") };
  const whole = [changes.from, changes.to];
  let range = [...whole], shown = [], order = { column: "number", descending: false }, selected = -1;
  const keys = {
    number: (i) => i, time: (i) => findings[i][TIME] || findings[i][TS], user: (i) => texts[findings[i][USER]], rule: (i) => ruleOf(findings[i]),
    doc: (i) => texts[findings[i][DOC]], node: (i) => findings[i][NODE], values: (i) => findings[i][VALUES],
  };

  const offer = (select, column) => {
    const numbers = new Map();
    for (const finding of findings) numbers.set(finding[column], (numbers.get(finding[column]) || 0) + 1);
    const sorted = [...numbers].sort((a, b) => b[1] - a[1]).slice(0, 500);
    for (const [number, times] of sorted) {
      select.append(element("option", { value: String(number) }, `${texts[number] || "not recorded"} (${count(times)})`));
    }
  };

  const choose = () => {
    const rule = filters.rule.value, doc = filters.doc.value, user = filters.user.value, text = filters.text.value.toLowerCase();
    const all = range[0] === whole[0] && range[1] === whole[1];
    shown = [];
    for (let i = 0; i < findings.length; i++) {
      const finding = findings[i];
      if (rule && finding[EVENT] !== +rule) continue;
      if (doc && finding[DOC] !== +doc) continue;
      if (user && finding[USER] !== +user) continue;
      if (!all && (place(finding) < range[0] || place(finding) > range[1])) continue;
      if (text && !`${finding[NODE]} ${finding[VALUES]} ${rated(finding)} ${texts[finding[USER]]}`.toLowerCase().includes(text)) continue;
      shown.push(i);
    }
    if (order.column !== "number") {
      const key = keys[order.column];
      const keyed = shown.map((i) => [key(i), i]);
      keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
      shown = keyed.map((pair) => pair[1]);
    }
    if (order.descending) shown.reverse();
    byId("shown").textContent = `${count(shown.length)} of ${count(findings.length)}`;
    byId("space").style.height = `${shown.length * HEIGHT}px`;
    drawn.clear();
    byId("space").replaceChildren();
    drawRows();
    drawTimeline();
  };

  // ---- the table: only the rows that can be seen are there ----------------------------------------------

  const rows = byId("rows"), space = byId("space"), drawn = new Map();
  const when = (finding) => (texts[finding[AT]] ? texts[finding[AT]].replace("T", " ").replace(/(\.\d+)?Z$/, "") : `time point ${finding[TS]}`);
  const tail = (node) => (node.split("/").length > 3 ? `…/${node.split("/").slice(-2).join("/")}` : node);
  const row = (position) => {
    const i = shown[position], finding = findings[i];
    const made = element("a", { class: "row", role: "row", href: `#finding-${i + 1}`, tabindex: "-1", "aria-rowindex": String(position + 1), "aria-selected": String(i === selected) },
      ...[[String(i + 1)], [when(finding), texts[finding[AT]]], [texts[finding[USER]]], [rated(finding)], [texts[finding[DOC]]],
        [tail(finding[NODE]), finding[NODE]], [finding[VALUES]]]
        .map(([text, full]) => element("span", { role: "gridcell", title: full || text }, text)));
    made.style.top = `${position * HEIGHT}px`;
    return made;
  };
  const drawRows = (everything = false) => {
    const first = everything ? 0 : Math.max(0, Math.floor(rows.scrollTop / HEIGHT) - 10);
    const last = everything ? Math.min(shown.length, 2000) : Math.min(shown.length, Math.ceil((rows.scrollTop + rows.clientHeight) / HEIGHT) + 10);
    for (const [position, made] of drawn) {
      if (position < first || position >= last) { made.remove(); drawn.delete(position); }
    }
    for (let position = first; position < last; position++) {
      if (!drawn.has(position)) { const made = row(position); drawn.set(position, made); space.append(made); }
    }
  };
  const reveal = (position) => {
    const top = position * HEIGHT;
    if (top < rows.scrollTop) rows.scrollTop = top;
    else if (top + HEIGHT > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + HEIGHT - rows.clientHeight;
    drawRows();
  };
  const mark = (i) => {
    selected = i;
    for (const [position, made] of drawn) made.setAttribute("aria-selected", String(shown[position] === i));
  };

  // ---- one finding --------------------------------------------------------------------------------------

  const chunks = new Map();
  const detailsOf = (i) => {
    const number = Math.floor(i / chunk);
    if (!chunks.has(number)) chunks.set(number, JSON.parse(byId(`details${number}`).textContent));
    return chunks.get(number)[i % chunk];
  };
  const eventItem = (event) => {
    if (event.length === 3) {
      const [name, inner, more] = event;
      const list = element("ul", {}, ...inner.map(eventItem));
      if (more) list.append(element("li", { class: "meta" }, `and ${count(more)} more`));
      return element("li", {}, element("span", { class: "op" }, texts[name]), list);
    }
    const [op, node, ts, at, who, txn, old, value] = event;
    const item = element("li", {}, element("span", { class: "op" }, `${texts[op]} `), element("span", { class: "node" }, texts[node]));
    if (old !== null || value !== null) {
      const change = element("div", {});
      if (old !== null) change.append(element("span", { class: "old" }, old));
      if (old !== null && value !== null) change.append(" → ");
      if (value !== null) change.append(element("span", { class: "new" }, value));
      item.append(change);
    }
    const said = [texts[at] || "", `time point ${ts}`, texts[who], txn === null ? "" : `transaction ${txn}`].filter(Boolean);
    item.append(element("div", { class: "meta" }, said.join(" · ")));
    return item;
  };
  const show = (i, focus) => {
    const finding = findings[i], [events, more, before, after, values] = detailsOf(i), panel = byId("detail");
    const list = element("ul", { class: "events" }, ...events.map(eventItem));
    if (more) list.append(element("li", { class: "meta" }, `and ${count(more)} more`));
    panel.replaceChildren(
      element("h3", {}, `${i + 1}  ${rated(finding)}`),
      element("p", { class: "meta node" }, [finding[NODE], texts[finding[DOC]], texts[finding[AT]] || `time point ${finding[TS]}`].filter(Boolean).join(" · ")),
      list);
    if (values) panel.append(element("p", { class: "meta" }, values));
    if (before || after) {
      panel.append(element("h4", {}, "before"), element("pre", {}, before || "not there"), element("h4", {}, "after"), element("pre", {}, after || "not there"));
    }
    mark(i);
    if (focus) panel.focus();
  };
  const follow = () => {
    const match = /^#finding-(\d+)$/.exec(location.hash);
    if (!match) return;
    const i = Number(match[1]) - 1;
    if (!(i >= 0 && i < findings.length)) return;
    let position = shown.indexOf(i);
    if (position < 0) { reset(); position = shown.indexOf(i); }
    reveal(position);
    show(i, false);
  };

  // ---- the timeline -------------------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg", BARS = 150, TOP = 100, BOTTOM = 34;
  const shape = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  const timeline = byId("timeline");
  const drawTimeline = () => {
    const [from, to] = range, width = Math.max(1e-9, to - from);
    const bars = Array.from({ length: BARS }, () => new Array(COLOURS).fill(0));
    for (const i of shown) {
      const value = place(findings[i]);
      if (value < from || value > to) continue;
      bars[Math.min(BARS - 1, Math.floor(((value - from) / width) * BARS))][colour(ruleOf(findings[i]))]++;
    }
    const beneath = new Array(BARS).fill(0), step = (changes.to - changes.from) / Math.max(1, changes.bins.length);
    changes.bins.forEach((times, bin) => {
      const value = changes.from + (bin + 0.5) * step;
      if (value >= from && value <= to) beneath[Math.min(BARS - 1, Math.floor(((value - from) / width) * BARS))] += times;
    });
    const most = Math.max(1, ...bars.map((bar) => bar.reduce((a, b) => a + b, 0))), busiest = Math.max(1, ...beneath);
    const drawing = shape("svg", { viewBox: `0 0 ${BARS} ${TOP + BOTTOM + 6}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    bars.forEach((bar, index) => {
      let top = TOP;
      bar.forEach((times, which) => {
        if (!times) return;
        const height = Math.max(1.2, (times / most) * (TOP - 6));
        top -= height;
        drawing.append(shape("rect", { x: index + 0.08, y: top, width: 0.84, height, class: `b${which}` }));
      });
      if (beneath[index]) {
        drawing.append(shape("rect", { x: index + 0.08, y: TOP + 4, width: 0.84, height: Math.max(1, (beneath[index] / busiest) * BOTTOM), class: "changes" }));
      }
    });
    drawing.append(shape("line", { x1: 0, x2: BARS, y1: TOP + 2, y2: TOP + 2, class: "axis", "vector-effect": "non-scaling-stroke" }));
    timeline.replaceChildren(drawing);
    const said = byId("range");
    said.replaceChildren(findings.length ? `${moment(from)} to ${moment(to)}; tallest bar: ${count(most)} ${most === 1 ? "finding" : "findings"}, ${count(busiest)} ${busiest === 1 ? "change" : "changes"}` : "");
    const named = new Set(findings.slice(0, 100000).map((finding) => finding[EVENT]));
    for (const number of [...named].slice(0, 12)) {
      said.append(" ", element("span", { class: "named" }, element("span", { class: `key k${colour(texts[number])}` }), texts[number]));
    }
  };
  const zoom = (from, to) => {
    const least = changes.by_time ? 1 : 1, low = Math.max(whole[0], from), high = Math.min(whole[1], to);
    if (high - low >= least) { range = [low, high]; choose(); }
  };
  let begun = null;
  const share = (event) => {
    const box = timeline.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  timeline.addEventListener("pointerdown", (event) => { begun = share(event); timeline.setPointerCapture(event.pointerId); });
  timeline.addEventListener("pointermove", (event) => {
    if (begun === null) return;
    const now = share(event), old = timeline.querySelector(".brush");
    if (old) old.remove();
    timeline.firstChild.append(shape("rect", { class: "brush", x: Math.min(begun, now) * BARS, y: 0, width: Math.abs(now - begun) * BARS, height: TOP + BOTTOM + 6 }));
  });
  timeline.addEventListener("pointerup", (event) => {
    if (begun === null) return;
    const [low, high] = [begun, share(event)].sort((a, b) => a - b), width = range[1] - range[0];
    begun = null;
    if (high - low > 0.005) zoom(range[0] + low * width, range[0] + high * width);
    else drawTimeline();
  });
  timeline.addEventListener("keydown", (event) => {
    const width = range[1] - range[0];
    const moves = { ArrowLeft: [-width / 4, -width / 4], ArrowRight: [width / 4, width / 4], "+": [width / 4, -width / 4], "=": [width / 4, -width / 4], "-": [-width / 2, width / 2] };
    if (event.key === "Escape") range = [...whole];
    else if (moves[event.key]) {
      let [from, to] = [range[0] + moves[event.key][0], range[1] + moves[event.key][1]];
      if (from < whole[0] && event.key.startsWith("Arrow")) [from, to] = [whole[0], whole[0] + width];
      if (to > whole[1] && event.key.startsWith("Arrow")) [from, to] = [whole[1] - width, whole[1]];
      zoom(from, to);
      event.preventDefault();
      return;
    } else return;
    event.preventDefault();
    choose();
  });

  // ---- what people do -----------------------------------------------------------------------------------

  const reset = () => {
    for (const filter of Object.values(filters)) filter.value = "";
    range = [...whole];
    choose();
  };
  for (const filter of Object.values(filters)) filter.addEventListener("input", () => { rows.scrollTop = 0; choose(); });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll(".head button")) {
    button.addEventListener("click", () => {
      const column = button.dataset.column;
      order = { column, descending: order.column === column && !order.descending };
      for (const other of document.querySelectorAll(".head button")) other.removeAttribute("aria-sort");
      button.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
      choose();
    });
  }
  rows.addEventListener("scroll", () => drawRows(), { passive: true });
  byId("table").addEventListener("keydown", (event) => {
    if (event.target.closest(".head")) return;
    const page = Math.max(1, Math.floor(rows.clientHeight / HEIGHT) - 1), at = shown.indexOf(selected);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 };
    if (event.key === "Enter" && at >= 0) { history.replaceState(null, "", `#finding-${selected + 1}`); show(selected, true); event.preventDefault(); return; }
    if (!(event.key in steps) || !shown.length) return;
    event.preventDefault();
    const position = Math.min(shown.length - 1, Math.max(0, steps[event.key]));
    reveal(position);
    show(shown[position], false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) { filters.text.focus(); event.preventDefault(); }
    if (event.key === "Escape" && document.activeElement === byId("detail")) byId("table").focus();
  });
  addEventListener("hashchange", follow);
  addEventListener("resize", () => drawRows());
  addEventListener("beforeprint", () => drawRows(true));
  addEventListener("afterprint", () => drawRows());

  offer(filters.rule, EVENT);
  offer(filters.doc, DOC);
  offer(filters.user, USER);
  choose();
  follow();
  document.documentElement.dataset.ready = "yes";
})();
