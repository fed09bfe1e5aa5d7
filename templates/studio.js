// Editing: asks momlint, which changes the text and checks it, and shows what comes back. Nothing is decided here.
"use strict";
(() => {
  const { $, h, say, reload, showFailure, failing, update, chooseElement, now } = window.momlint;
  const token = new URLSearchParams(location.search).get("token") || "";
  let state = now().data.studio;
  let tail = null; // the first broker of a link that is being added
  let waiting = Promise.resolve();
  let typing = null;

  function tell(text, wrong = false) {
    $("says").textContent = text;
    $("says").classList.toggle("wrong", wrong);
  }

  // One request after the other: each speaks of the revision that the one before has made.
  function ask(path, body = {}) {
    waiting = waiting.then(() => send(path, body)).catch((error) => { tell(String(error.message || error), true); return null; });
    return waiting;
  }

  async function send(path, body) {
    const headers = { "Content-Type": "application/json", "X-Momlint-Token": token };
    let answer;
    try {
      const text = JSON.stringify({ ...body, revision: state.revision, estate: Math.max(0, now().data.estates.indexOf(now().estate)) });
      answer = await fetch(path, { method: "POST", headers, body: text });
    } catch {
      throw new Error("The studio does not answer: has momlint ended? The text below is still here.");
    }
    const found = (answer.headers.get("content-type") || "").startsWith("application/json") ? await answer.json() : { error: await answer.text() };
    if (answer.status === 409) take(await (await fetch("/data", { headers })).json(), false);
    if (!answer.ok) throw new Error(found.error);
    take(found, path === "/text");
    tell(found.studio.says);
    return found;
  }

  function take(found, isText) {
    state = found.studio;
    reload(found);
    fill(isText);
  }

  // -- what is shown -------------------------------------------------------------------------------------------------

  function fill(isText = false) {
    const { estate } = now();
    $("file").title = state.file;
    $("file").textContent = state.file.split("/").at(-1) + (state.changed.length ? " (changed)" : "");
    $("save").disabled = !state.changed.length;
    $("undo").disabled = !state.undo;
    const options = () => estate.brokers.map((one) => h("option", { value: one.id }, one.id));
    for (const select of document.querySelectorAll("#forms select")) {
      const chosen = new Set([...select.selectedOptions].map((one) => one.value));
      select.replaceChildren(...options());
      for (const one of select.options) one.selected = chosen.has(one.value);
    }
    const files = Object.keys(state.texts);
    const file = files.includes($("text-file").value) ? $("text-file").value : files[0];
    $("text-file").replaceChildren(...files.map((one) => h("option", { value: one }, one)));
    $("text-file").value = file;
    $("which").hidden = files.length < 2;
    // What is being typed is not written over.
    if (!isText) showText();
    showRepair();
  }

  function showText() {
    const text = state.texts[$("text-file").value];
    const area = $("text-area");
    area.disabled = text === null || text === undefined;
    if (area.value !== (text || "").replaceAll("\r\n", "\n")) area.value = text || "";
  }

  function showRepair() {
    const failed = failing();
    $("repair").hidden = !failed.links.length && !failed.brokers.length;
  }

  // -- failing -------------------------------------------------------------------------------------------------------

  const failedNames = () => {
    const { estate } = now();
    const failed = failing();
    return [failed.links.map((one) => estate.links[one].id), failed.brokers.map((one) => estate.brokers[one].id)];
  };

  async function toggle(kind, id) {
    const [links, brokers] = failedNames();
    const names = kind === "link" ? links : brokers;
    if (names.includes(id)) names.splice(names.indexOf(id), 1);
    else names.push(id);
    await fail(links, brokers);
  }

  async function fail(links, brokers) {
    const found = await ask("/fail", { links, brokers });
    if (!found) return;
    showFailure(links, brokers);
    showRepair();
    const told = [found.studio.says, $("failed").textContent].filter(Boolean).join(" ");
    tell(told);
    say(told);
  }

  window.momlint.failNode = (kind, index) => {
    const { estate } = now();
    if (estate.kind !== "routed") return "";
    const failed = (kind === "link" ? failing().links : failing().brokers).includes(index);
    const id = (kind === "link" ? estate.links : estate.brokers)[index].id;
    return h("button", { type: "button", class: "fails", onclick: () => toggle(kind, id) }, failed ? "It works again" : "It fails");
  };

  // -- adding and removing -------------------------------------------------------------------------------------------

  const remove = (kind, name) => h("button", { type: "button", class: "danger", onclick: () => ask("/change", { do: `remove-${kind}`, name }) }, `Remove ${kind}`);

  window.momlint.elementNodes = (kind, index) => {
    const { estate } = now();
    const list = kind === "link" ? estate.links : estate.brokers;
    return estate.kind === "sites" ? [] : [remove(kind, list[index].id)];
  };
  window.momlint.topicNodes = (index) => (now().estate.kind === "routed" ? [" ", remove("topic", now().estate.topics[index].name)] : []);

  const mode = () => document.querySelector("#studio [name=mode]:checked").value;

  function freeName() {
    const names = new Set(now().estate.brokers.map((one) => one.id));
    let number = names.size + 1;
    while (names.has(`broker${number}`)) number += 1;
    return `broker${number}`;
  }

  window.momlint.picked = (broker, link, x, y) => {
    const { estate } = now();
    const chosen = mode();
    if (chosen === "fail" && (broker !== null || link !== null)) {
      if (broker !== null) toggle("broker", estate.brokers[broker].id);
      else toggle("link", estate.links[link].id);
      return true;
    }
    if (chosen === "broker" && broker === null && link === null) {
      const name = $("add-broker").elements.name.value.trim() || freeName();
      ask("/change", { do: "add-broker", name, x, y }).then((found) => { if (found) $("add-broker").reset(); });
      return true;
    }
    if (chosen === "link" && broker !== null) {
      const id = estate.brokers[broker].id;
      if (tail === null) {
        tail = id;
        chooseElement("broker", broker);
        tell(`From ${id}; now choose where the link leads.`);
      } else {
        const from = tail;
        tail = null;
        ask("/change", { do: "add-link", name: "", from, to: id });
      }
      return true;
    }
    return false;
  };

  function onSubmit(id, read) {
    $(id).addEventListener("submit", async (event) => {
      event.preventDefault();
      typed();
      const form = event.target;
      const found = await ask("/change", { do: id, ...read(form.elements) });
      if (found) form.reset();
    });
  }
  const many = (select) => [...select.selectedOptions].map((one) => one.value);

  onSubmit("add-broker", ({ name, site, address }) => ({ name: name.value, site: site.value, address: address.value }));
  onSubmit("add-link", (fields) => ({
    name: fields.name.value,
    from: fields.from.value,
    to: fields.to.value,
    cost: fields.cost.value,
    latency_ms: fields.latency_ms.value,
    one_way: fields.one_way.checked,
  }));
  onSubmit("add-topic", ({ name, publishers, subscribers }) => ({ name: name.value, publishers: many(publishers), subscribers: many(subscribers) }));

  // What was typed a moment ago goes first.
  function typed() {
    if (typing === null) return;
    clearTimeout(typing);
    typing = null;
    ask("/text", { file: $("text-file").value, text: $("text-area").value });
  }

  $("save").addEventListener("click", () => { typed(); ask("/save"); });
  $("undo").addEventListener("click", () => ask("/undo"));
  $("repair").addEventListener("click", () => fail([], []));
  $("state").addEventListener("change", showRepair);
  $("findings").addEventListener("click", showRepair);
  $("text-file").addEventListener("focus", typed);
  $("text-file").addEventListener("change", showText);
  $("text-area").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(typed, 400);
  });
  document.querySelectorAll("#studio [name=mode]").forEach((one) => one.addEventListener("change", () => { tail = null; tell(""); }));
  window.addEventListener("beforeunload", (event) => { if (state.changed.length) event.preventDefault(); });

  fill();
  update();
})();
