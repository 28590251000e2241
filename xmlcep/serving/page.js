"use strict";
const MOST = 200; // findings shown
const at = (id) => document.getElementById(id);
const make = (tag, text) => { const made = document.createElement(tag); made.textContent = text ?? ""; return made; };
const ask = async (path) => { const answer = await fetch(path); if (!answer.ok) throw new Error((await answer.json()).error); return answer; };
let names = [], waiting = false;

function tree(event) {
  const change = event.op ? `${event.op} ${event.path} at ${event.ts}${event.value == null ? "" : ` = ${event.value}`}` : `${event.name} ${event.path ?? ""}`;
  const item = make("li", change);
  if (event.constituents?.length) {
    const list = make("ul");
    event.constituents.forEach((each) => list.append(tree(each)));
    item.append(list);
  }
  return item;
}

function show(entry) {
  const { finding, id } = entry, item = make("li"), details = make("details");
  details.append(make("summary", `${finding.name} ${finding.path ?? ""} in ${finding.doc} at ${finding.ts}${finding.at ? `, ${finding.at.slice(0, 19).replace("T", " ")}` : ""}${finding.message ? `: ${finding.message}` : ""}`));
  const list = make("ul");
  finding.constituents.forEach((each) => list.append(tree(each)));
  details.append(list);
  details.addEventListener("toggle", async () => {
    if (!details.open || details.querySelector("pre")) return;
    try { details.append(make("pre", (await (await ask(`why/${encodeURIComponent(id)}`)).json()).text)); }
    catch (error) { details.append(make("pre", error.message)); }
  });
  item.value = entry.cursor;
  item.append(details);
  item.className = "new";
  setTimeout(() => { item.className = ""; }, 2000);
  at("findings").prepend(item);
  while (at("findings").children.length > MOST) at("findings").lastChild.remove();
}

async function refresh() {
  const found = await (await ask("documents")).json();
  names = found.documents.map((each) => each.name);
  at("documents").replaceChildren(...found.documents.map(({ name, ts }) => {
    const item = make("li"), button = make("button", `${name} (${ts})`);
    button.addEventListener("click", async () => {
      at("document").textContent = await (await ask(`documents/${name}`)).text();
      at("document").hidden = false;
    });
    item.append(button);
    return item;
  }));
  const rows = [];
  for (const name of names.slice(0, 20)) {
    const { pending } = await (await ask(`documents/${name}/pending?limit=20`)).json();
    for (const each of pending) {
      const row = make("tr"), share = each.fraction == null ? "" : `${Math.round(100 * each.fraction)} %`;
      row.append(make("td", each.event), make("td", `${name}: ${each.node ?? each.path ?? ""}`), make("td", share), make("td", [...each.missing, ...each.held_back.map((one) => one.text)].join(", ")));
      rows.push(row);
    }
  }
  at("pending").replaceChildren(...rows);
}

function soon() { // many findings are one look
  if (waiting) return;
  waiting = true;
  setTimeout(() => { waiting = false; refresh().catch((error) => { at("state").textContent = error.message; }); }, 300);
}

async function begin() {
  const past = await (await ask("findings?limit=1")).json();
  let after = past.cursor, known = await (await ask("metrics")).text();
  known = Number(/xmlcep_findings_total (\d+)/.exec(known)[1]);
  after = Math.max(0, known - MOST);
  const stream = new EventSource(`findings?after=${after}`);
  stream.onopen = () => { at("state").textContent = "live"; };
  stream.onerror = () => { at("state").textContent = "not connected, trying again"; };
  stream.onmessage = (message) => { show(JSON.parse(message.data)); soon(); };
  soon();
  setInterval(soon, 5000);
}
begin().catch((error) => { at("state").textContent = error.message; });
