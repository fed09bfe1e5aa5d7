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
    for (const select of document.querySelectorAll("#forms select:not([name=section])")) {
      const chosen = new Set([...select.selectedOptions].map((one) => one.value));
      select.replaceChildren(...options());
      for (const one of select.options) one.selected = chosen.has(one.value);
    }
    const files = Object.keys(state.texts);
    const file = files.includes($("text-file").value) ? $("text-file").value : files[0];
    $("text-file").replaceChildren(...files.map((one) => h("option", { value: one }, one)));
    $("text-file").value = file;
    $("which").hidden = files.length < 2;
    $("studio").classList.toggle("of-relayed", estate.kind === "relayed");
    listDeclared();
    for (const form of document.querySelectorAll("#forms form")) if (form.dataset.old !== undefined && !isThere(form)) leave(form);
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

  // In overlays that relay a connection fails with all of its links.
  function together(id) {
    const { estate } = now();
    const forms = known().links;
    const { connection } = forms[estate.links.findIndex((one) => one.id === id)];
    return connection ? estate.links.filter((_, index) => forms[index].connection === connection).map((one) => one.id) : [id];
  }

  async function toggle(kind, id) {
    const [links, brokers] = failedNames();
    const names = kind === "link" ? links : brokers;
    const several = kind === "link" ? together(id) : [id];
    const rest = names.filter((one) => !several.includes(one));
    const after = names.includes(id) ? rest : [...rest, ...several];
    await (kind === "link" ? fail(after, brokers) : fail(links, after));
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

  // What the server has not followed yet, since there is too much to follow all at every change.
  window.momlint.follow = fail;

  window.momlint.failNode = (kind, index) => {
    const { estate } = now();
    if (estate.kind !== "routed" && estate.kind !== "relayed") return "";
    const failed = (kind === "link" ? failing().links : failing().brokers).includes(index);
    const id = (kind === "link" ? estate.links : estate.brokers)[index].id;
    return h("button", { type: "button", class: "fails", onclick: () => toggle(kind, id) }, failed ? "It works again" : "It fails");
  };

  // -- changing and removing ------------------------------------------------------------------------------------------

  const remove = (kind, name) => h("button", { type: "button", class: "danger", "aria-label": `Remove ${kind} ${name}`, onclick: () => ask("/change", { do: `remove-${kind}`, name }) }, `Remove ${kind}`);
  const change = (kind, name, begin) => h("button", { type: "button", "aria-label": `Change ${kind} ${name}`, onclick: begin }, `Change ${kind}`);
  // Of a text that is no estate there is nothing.
  const nothing = { relayed: false, brokers: [], links: [], topics: [], interests: [] };
  const known = () => state.forms[Math.max(0, now().data.estates.indexOf(now().estate))] || nothing;

  window.momlint.elementNodes = (kind, index) => {
    const { estate } = now();
    if (estate.kind === "sites") return [];
    const { id } = (kind === "link" ? estate.links : estate.brokers)[index];
    const begin = () => (kind === "link" ? begins("add-link", id, known().links[index]) : begins("add-broker", id, { name: id, ...known().brokers[index] }));
    return [change(kind, id, begin), remove(kind, id)];
  };
  window.momlint.topicNodes = (index) => {
    if (now().estate.kind !== "routed") return [];
    const { name } = now().estate.topics[index];
    return [" ", change("topic", name, () => begins("add-topic", name, known().topics[index])), " ", remove("topic", name)];
  };

  // A form that adds, or that changes what `old` is called: then it has what that has.
  function begins(id, old, values, number = null) {
    const form = $(id);
    leave(form);
    for (const field of form.elements) {
      const value = values[field.name];
      if (value === undefined) continue;
      if (field.type === "checkbox") field.checked = value;
      else if (field.multiple) for (const one of field.options) one.selected = value.includes(one.value);
      else field.value = Array.isArray(value) ? value.join(", ") : value;
    }
    if (id === "add-link") showFilters(values.filters === undefined ? null : values.filters);
    form.dataset.old = old;
    form.dataset.number = number;
    showForm(form);
    $("adding").open = true;
    form.querySelector("input, select").focus();
  }

  function leave(form) {
    delete form.dataset.old;
    form.reset();
    if (form.id === "add-link") showFilters(null);
    showForm(form);
  }

  function showForm(form) {
    const { old } = form.dataset;
    const what = form.id === "add-interest" ? "this" : form.id.slice(4);
    form.querySelector("[type=submit]").textContent = old === undefined ? `Add ${what}` : `Change ${what === "this" ? what : `${what} ${old}`}`;
    form.querySelector(".leave").hidden = old === undefined;
    form.classList.toggle("changing", old !== undefined);
  }

  function isThere(form) {
    const { estate } = now();
    const { old, number } = form.dataset;
    if (form.id === "add-broker") return estate.brokers.some((one) => one.id === old);
    if (form.id === "add-link") return estate.links.some((one) => one.id === old);
    if (form.id === "add-topic") return known().topics.some((one) => one.name === old);
    return known().interests.some((one) => one.number === Number(number) && interestName(one) === old);
  }
  const interestName = (one) => `${one.filter} ${one.section === "publications" ? "published" : "wanted"} at ${one.at}`;

  // What a link lets pass, the first that matches counts: null for everything.
  function showFilters(filters) {
    $("add-link").elements.filtered.checked = filters !== null;
    $("filters").replaceChildren(...(filters || []).map(filterNode));
    $("add-filter").hidden = filters === null;
  }
  function filterNode({ filter, strip, add, deny } = { filter: "", strip: "", add: "", deny: false }) {
    const field = (name, value, label) => h("label", {}, `${label} `, h("input", { type: "text", "data-filter": name, value, maxlength: 200, autocomplete: "off" }));
    const node = h("span", { class: "filter" },
      field("filter", filter, "Filter"), " ", field("strip", strip, "without"), " ", field("add", add, "as"), " ",
      h("label", {}, h("input", { type: "checkbox", "data-filter": "deny", checked: deny }), " not"), " ",
      h("button", { type: "button", "aria-label": `Leave out filter ${filter}`, onclick: () => node.remove() }, "×"));
    return node;
  }
  function filters() {
    if (!$("add-link").elements.filtered.checked) return null;
    return [...$("filters").children].map((node) => Object.fromEntries([...node.querySelectorAll("[data-filter]")].map((one) =>
      [one.dataset.filter, one.type === "checkbox" ? one.checked : one.value])));
  }
  $("add-link").elements.filtered.addEventListener("change", (event) => showFilters(event.target.checked ? [undefined] : null));
  $("add-filter").addEventListener("click", () => $("filters").append(filterNode()));

  // Of relayed overlays the tables show classes of topics; here stands what the file says.
  function listDeclared() {
    const forms = known();
    if (!forms.relayed) return;
    $("declared").replaceChildren(
      ...forms.topics.map((one) => h("li", {}, `Topic ${one.name}: published at ${one.publishers.join(", ") || "no broker"}, wanted at ${one.subscribers.join(", ") || "none"} `,
        change("topic", one.name, () => begins("add-topic", one.name, one)), " ", remove("topic", one.name))),
      ...forms.interests.map((one) => {
        const name = interestName(one);
        return h("li", {}, `${name} `,
          h("button", { type: "button", "aria-label": `Change: ${name}`, onclick: () => begins("add-interest", name, one, one.number) }, "Change"), " ",
          h("button", { type: "button", class: "danger", "aria-label": `Remove: ${name}`, onclick: () => ask("/change", { ...one, do: "remove-interest" }) }, "Remove"));
      }));
  }

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
      const form = $("add-broker");
      const name = (form.dataset.old === undefined && form.elements.name.value.trim()) || freeName();
      ask("/change", { do: "add-broker", name, x, y }).then((found) => { if (found) leave(form); });
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
    $(id).querySelector(".leave").addEventListener("click", () => leave($(id)));
    $(id).addEventListener("submit", async (event) => {
      event.preventDefault();
      typed();
      const form = event.target;
      const { old, number } = form.dataset;
      const body = old === undefined ? { do: id } : { do: id.replace("add", "change"), old, number: Number(number) };
      const found = await ask("/change", { ...body, ...read(form.elements) });
      if (found) leave(form);
    });
  }
  const many = (select) => [...select.selectedOptions].map((one) => one.value);

  onSubmit("add-broker", ({ name, site, address, tags, processing_ms, transit }) => ({
    name: name.value,
    site: site.value,
    address: address.value,
    tags: tags.value.split(",").map((one) => one.trim()).filter(Boolean),
    processing_ms: processing_ms.value,
    transit: transit.checked,
  }));
  onSubmit("add-link", (fields) => ({
    ...Object.fromEntries(["name", "from", "to", "cost", "cost_back", "latency_ms", "latency_ms_back", "availability"].map((one) => [one, fields[one].value])),
    one_way: fields.one_way.checked,
    ...(now().estate.kind === "relayed" ? { connection: fields.connection.value, max_hops: fields.max_hops.value, filters: filters() } : {}),
  }));
  onSubmit("add-topic", ({ name, publishers, subscribers, max_latency_ms, max_hops }) => ({
    name: name.value,
    publishers: many(publishers),
    subscribers: many(subscribers),
    ...(now().estate.kind === "relayed" ? {} : { max_latency_ms: max_latency_ms.value, max_hops: max_hops.value }),
  }));
  onSubmit("add-interest", ({ at, section, filter }) => ({ at: at.value, section: section.value, filter: filter.value }));

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
