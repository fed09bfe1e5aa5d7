// Draws what the data in the page say, and decides nothing: walks, verdicts and places all come from momlint.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const SIGNS = { ok: "", moved: "~", lost: "×", cut: "–", many: "2+", endless: "∞" };
  const MEANINGS = {
    ok: "arrives",
    moved: "arrives by another way than usual",
    lost: "does not arrive",
    cut: "no path is left",
    many: "arrives several times",
    endless: "arrives again and again",
  };
  const RANKS = { error: 0, warning: 1, note: 2 };
  const MOST_ROWS = 500;
  const HOP_MS = 650;
  const $ = (id) => document.getElementById(id);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const darkness = matchMedia("(prefers-color-scheme: dark)");

  // What the studio adds: see studio.js.
  const studio = { picked: () => false, failNode: null, elementNodes: () => [], topicNodes: () => [], follow: null };

  let data;
  let estate; // the one that is drawn
  let view; // what is chosen, by index: state, pair, finding, broker, link, topic; ways: of the walk; at: the hop

  // -- small things --------------------------------------------------------------------------------------------------

  function set(node, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
    }
    return node;
  }
  function h(name, attributes = {}, ...children) {
    const node = set(document.createElement(name), attributes);
    node.append(...children.flat().filter((one) => one != null && one !== ""));
    return node;
  }
  const s = (name, attributes = {}) => set(document.createElementNS(SVG, name), attributes);
  const counted = (number, noun, plural) => `${number.toLocaleString("en")} ${number === 1 ? noun : plural || noun + "s"}`;
  const say = (text) => { $("live").textContent = text; };
  const place = (at) => (at < 0 ? null : data.places[at]);
  const line = (file, number) => (data.lines[file] || {})[number];
  function listed(names, most = 5) {
    const shown = names.slice(0, most);
    if (names.length > most) shown.push(`${names.length - most} more`);
    return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
  }
  // What messages have in backticks is code.
  const words = (text) => text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part)).filter(Boolean);
  const short = (file) => file.split("/").at(-1);
  function where(at) {
    const spot = place(at);
    return spot ? h("span", { class: "at" }, `${spot[0]}:${spot[1]}`) : "";
  }

  // -- the data ------------------------------------------------------------------------------------------------------

  function prepare(one) {
    one.ways = one.ways.map(([stops, cables, lines, says, arrives, refused]) => ({ stops, cables, lines, says, arrives, refused }));
    one.between = new Map();
    one.pairs = one.pairs.map(([tail, head, label, topics, usual, others], index) => {
      const key = `${tail} ${head}`;
      if (!one.between.has(key)) one.between.set(key, []);
      one.between.get(key).push(index);
      const fares = new Map(others.map(([state, status, ways]) => [state, { status, ways }]));
      return { tail, head, label, topics, usual: { status: usual[0], ways: usual[1] }, others: fares };
    });
    one.failures = new Map();
    one.states.forEach((state, index) => {
      const key = failureKey(state.links, state.brokers);
      if (!one.failures.has(key)) one.failures.set(key, index);
    });
    return one;
  }
  const failureKey = (links, brokers) => `${[...links].sort()}|${[...brokers].sort()}`;
  const namesOf = ({ links: some, brokers: others }) => [some.map((one) => estate.links[one].id), others.map(brokerName)];
  const fare = (pair, state) => pair.others.get(state) || pair.usual;
  const brokerName = (index) => estate.brokers[index].id;
  const pairName = (pair) => (pair.label ? `${pair.label}: ` : "") + `${brokerName(pair.tail)} → ${brokerName(pair.head)}`;
  function failedNames(state) {
    return [...state.links.map((one) => `link ${estate.links[one].id}`), ...state.brokers.map((one) => `broker ${brokerName(one)}`)];
  }
  function stateName(state) {
    const failed = [...state.links.map((one) => estate.links[one].id), ...state.brokers.map(brokerName)];
    const what = failed.length ? `${listed(failed)} failed` : "nothing failed";
    return state.kind === "colour" ? `${state.name}: ${what}` : what;
  }

  // -- choosing ------------------------------------------------------------------------------------------------------

  function reset() {
    view = { state: 0, pair: null, finding: null, broker: null, link: null, topic: null, ways: [], at: null, cut: null };
  }

  function chooseState(index) {
    const state = estate.states[index];
    // What the studio has not followed yet it follows now.
    if (state.is_open && studio.follow) { studio.follow(...namesOf(state)); return; }
    view.state = index;
    view.cut = null;
    if (view.pair !== null) showPair(view.pair);
    else { view.finding = null; setWalk([]); }
    say(`Colour ${stateName(estate.states[index])}. ${lostText()}`);
  }

  function choosePair(index) {
    view.finding = null;
    view.cut = null;
    showPair(index);
    const pair = estate.pairs[index];
    say(`${pairName(pair)}: ${MEANINGS[fare(pair, view.state).status]}. ${view.ways.map((way) => way.says).join("; ")}`);
  }

  function showPair(index) {
    view.pair = index;
    setWalk(fare(estate.pairs[index], view.state).ways.map((one) => estate.ways[one]));
  }

  function setWalk(ways) {
    stop();
    view.ways = ways;
    view.at = null;
    update();
  }

  function chooseFinding(index, isFollowed = false) {
    const finding = data.findings[index];
    if (finding.estate !== null && data.estates[finding.estate] !== estate) openEstate(finding.estate);
    const show = finding.show;
    if (studio.follow && show && !isFollowed) {
      const failed = show.state === null ? show : estate.states[show.state];
      if ((show.state === null && show.links.length + show.brokers.length) || failed.is_open) {
        studio.follow(...namesOf(failed)).then(() => chooseFinding(index, true));
        return;
      }
    }
    Object.assign(view, { finding: index, broker: null, link: null, pair: null, cut: null });
    let ways = [];
    if (show) {
      if (show.state !== null) view.state = show.state;
      if (show.links.length || show.brokers.length) view.cut = { links: show.links, brokers: show.brokers };
      const known = show.pair !== null && show.state !== null ? fare(estate.pairs[show.pair], show.state).ways.map((one) => estate.ways[one]) : [];
      ways = show.walks.map((stops, number) => {
        const same = known.find((way) => String(way.stops) === String(stops) || (way.refused && String(way.stops.slice(0, -1)) === String(stops)));
        return same || { stops, cables: show.cables[number], lines: [], says: "", arrives: true };
      });
      if (!ways.length) ways = known;
      if (show.pair !== null) view.pair = show.pair;
    }
    setWalk(ways);
    say(`${finding.severity} ${finding.code}: ${finding.message}`);
    if (ways.length) play();
  }

  function chooseElement(kind, index) {
    Object.assign(view, { broker: null, link: null, finding: null, [kind]: index });
    update();
    const one = kind === "broker" ? estate.brokers[index] : estate.links[index];
    say(`${kind} ${one.id}${one.about ? `: ${one.about}` : ""}`);
  }

  function clear() {
    Object.assign(view, { broker: null, link: null, finding: null, pair: null, cut: null });
    setWalk([]);
  }

  // -- the walk, hop by hop ------------------------------------------------------------------------------------------

  let timer = null;
  let frame = null;
  let dot = null;

  const hops = () => view.ways.flatMap((way, number) => way.cables.map((_, hop) => ({ way: number, hop })));

  function stop() {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    timer = null;
    if (dot) dot.setAttribute("visibility", "hidden");
    $("play").textContent = "Play";
  }

  function play() {
    if (timer !== null) { stop(); return; }
    const all = hops();
    if (!all.length) return;
    let next = view.at === null || view.at === all.length - 1 ? 0 : view.at + 1;
    $("play").textContent = "Pause";
    const step = () => {
      if (next === all.length) { stop(); updateWalk(); return; }
      goTo(next, true);
      next += 1;
      timer = setTimeout(step, HOP_MS + 150);
    };
    timer = setTimeout(step, 0);
  }

  function goTo(index, moving = false) {
    const all = hops();
    if (index < 0 || index >= all.length) return;
    view.at = index;
    const { way, hop } = all[index];
    updateWalk();
    move(view.ways[way], hop, moving && !still.matches);
    const { stops } = view.ways[way];
    if (!moving || still.matches) say(hopText(view.ways[way], hop, stops.length - 1));
    if (hop === view.ways[way].cables.length - 1 && view.ways[way].says) say(view.ways[way].says);
  }

  function hopText(way, hop, of) {
    const cable = way.cables[hop];
    const by = cable < 0 ? "no link" : `link ${estate.links[cable].id}`;
    return `Hop ${hop + 1} of ${of}: ${brokerName(way.stops[hop])} to ${brokerName(way.stops[hop + 1])}, ${by}`;
  }

  function move(way, hop, smoothly) {
    cancelAnimationFrame(frame);
    const cable = way.cables[hop];
    const refused = way.refused && hop === way.cables.length - 1;
    const goal = estate.brokers[way.stops[refused ? hop : hop + 1]];
    const put = (x, y) => set(dot, { cx: x, cy: y, visibility: "visible" });
    if (!smoothly || cable < 0 || refused) { put(goal.x, goal.y); return; }
    const path = links[cable].querySelector(".link");
    const length = path.getTotalLength();
    const forth = estate.links[cable].tail === way.stops[hop];
    const begin = performance.now();
    const draw = (now) => {
      const part = Math.min(1, Math.max(0, (now - begin) / HOP_MS));
      const point = path.getPointAtLength(length * (forth ? part : 1 - part));
      put(point.x, point.y);
      if (part < 1) frame = requestAnimationFrame(draw);
    };
    frame = requestAnimationFrame(draw);
  }

  // -- the drawing ---------------------------------------------------------------------------------------------------

  let links = [];
  let brokers = [];
  let canvas = null; // the SVG
  let missing = null; // hops for which there is no link
  let box = null; // what of the drawing is seen: x, y, width, height

  function draw() {
    const frameNode = $("drawing");
    frameNode.replaceChildren();
    links = [];
    brokers = [];
    if (!estate.brokers.length) {
      canvas = null;
      frameNode.append(h("p", { class: "nothing" }, "This estate has no brokers to draw; its findings are beside."));
      return;
    }
    canvas = s("svg", { "aria-hidden": "true", class: estate.brokers.length > 150 ? "crowded" : "" });
    const defs = s("defs");
    const marker = s("marker", { id: "head", viewBox: "0 0 8 8", refX: estate.radius + 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" });
    marker.append(s("path", { class: "arrow", d: "M0 0L8 4L0 8z" }));
    defs.append(marker);
    missing = s("g");
    canvas.append(defs);
    estate.links.forEach((one, index) => {
      const group = s("g", { class: "cable", "data-link": index });
      group.append(
        s("path", { class: "link", d: one.path, "marker-end": one.one_way ? "url(#head)" : null }),
        s("path", { class: "hit", d: one.path }),
      );
      group.append(titled(`${one.id}${one.about ? `: ${one.about}` : ""}`));
      links.push(group);
      canvas.append(group);
    });
    canvas.append(missing);
    estate.brokers.forEach((one, index) => {
      const group = s("g", { class: "broker" + (one.external ? " external" : ""), "data-broker": index });
      const inside = one.id.length <= 3 && estate.radius > 10;
      const text = s("text", { x: one.x, y: inside ? one.y : one.y + estate.radius + 9, class: inside ? "inside" : "" });
      text.textContent = one.id;
      group.append(s("circle", { cx: one.x, cy: one.y, r: estate.radius }), text, titled(`${one.id}${one.about ? `: ${one.about}` : ""}`));
      brokers.push(group);
      canvas.append(group);
    });
    dot = s("circle", { class: "dot", r: Math.max(5, estate.radius * 0.6), visibility: "hidden" });
    canvas.append(dot);
    const zooms = [["+", 0.75, "Zoom in"], ["−", 1.33, "Zoom out"], ["⤢", 0, "Show all"]].map(([sign, by, label]) =>
      h("button", { type: "button", "aria-label": label, tabindex: -1, onclick: () => (by ? zoom(by) : fit()) }, sign));
    frameNode.append(canvas, h("div", { class: "zoom" }, zooms));
    fit();
  }

  function titled(text) {
    const title = s("title");
    title.textContent = text;
    return title;
  }

  function fit() {
    // A few brokers are not blown up to fill the frame.
    const [width, height] = [Math.max(estate.width, 460), Math.max(estate.height, 340)];
    box = [(estate.width - width) / 2, (estate.height - height) / 2, width, height];
    look();
  }

  function look() {
    canvas.setAttribute("viewBox", box.join(" "));
    canvas.classList.toggle("near", box[2] < estate.width / 2.2);
  }

  function zoom(by, x = box[0] + box[2] / 2, y = box[1] + box[3] / 2) {
    const width = Math.min(estate.width * 1.5, Math.max(80, box[2] * by));
    const factor = width / box[2];
    box = [x - (x - box[0]) * factor, y - (y - box[1]) * factor, width, box[3] * factor];
    look();
  }

  function pointAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(canvas.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  function onDrawing() {
    const node = $("drawing");
    let drag = null;
    node.addEventListener("wheel", (event) => {
      if (!canvas || !(event.ctrlKey || document.activeElement === node)) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.15 : 0.87, ...pointAt(event));
    }, { passive: false });
    node.addEventListener("pointerdown", (event) => {
      if (canvas && event.button === 0 && !event.target.closest("button")) drag = { from: [event.clientX, event.clientY], box: [...box], moved: false };
    });
    window.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const scale = 1 / canvas.getScreenCTM().a;
      const by = [event.clientX - drag.from[0], event.clientY - drag.from[1]];
      if (Math.abs(by[0]) + Math.abs(by[1]) < 4 && !drag.moved) return;
      drag.moved = true;
      const width = drag.box[2];
      box = [drag.box[0] - by[0] * scale, drag.box[1] - by[1] * scale, width, drag.box[3]];
      look();
    });
    window.addEventListener("pointerup", (event) => {
      const ended = drag;
      drag = null;
      if (!ended || ended.moved) return;
      const [x, y] = pointAt(event);
      const broker = event.target.closest && event.target.closest("[data-broker]");
      const link = event.target.closest && event.target.closest("[data-link]");
      if (studio.picked(broker && Number(broker.dataset.broker), link && Number(link.dataset.link), x, y)) return;
      if (broker) chooseElement("broker", Number(broker.dataset.broker));
      else if (link) chooseElement("link", Number(link.dataset.link));
    });
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    node.addEventListener("keydown", (event) => {
      if (!canvas || event.target !== node || event.altKey || event.ctrlKey || event.metaKey) return;
      const { key } = event;
      if (directions[key]) walkTo(...directions[key]);
      else if (key === "Enter" && view.broker !== null) $("detail").focus();
      else if (key === "f" && view.broker !== null) { $("from").value = view.broker; fromTo(); }
      else if (key === "t" && view.broker !== null) { $("to").value = view.broker; fromTo(); }
      else if (key === "Escape") clear();
      else if (key === "+" || key === "=") zoom(0.75);
      else if (key === "-") zoom(1.33);
      else if (key === "0") fit();
      else return;
      event.preventDefault();
    });
  }

  // The nearest broker in a direction; what lies aside counts twice.
  function walkTo(dx, dy) {
    if (view.broker === null) { chooseElement("broker", 0); return; }
    const here = estate.brokers[view.broker];
    let best = null;
    estate.brokers.forEach((one, index) => {
      const ahead = (one.x - here.x) * dx + (one.y - here.y) * dy;
      const aside = Math.abs((one.x - here.x) * dy) + Math.abs((one.y - here.y) * dx);
      const far = ahead + 2 * aside;
      if (index !== view.broker && ahead > 0 && aside <= ahead * 1.5 && (best === null || far < best.far)) best = { index, far };
    });
    if (best === null) say(`Nothing further that way from ${here.id}`);
    else chooseElement("broker", best.index);
  }

  // -- what is shown -------------------------------------------------------------------------------------------------

  function update() {
    $("state").value = view.state;
    const pair = view.pair === null ? null : estate.pairs[view.pair];
    if (pair) {
      $("from").value = pair.tail;
      $("to").value = pair.head;
      fillMessages(pair.tail, pair.head);
    }
    updateFailed();
    updateWalk();
    updateDetail();
    updateTables();
    drawMatrix();
    for (const one of document.querySelectorAll("#findings button")) {
      one.setAttribute("aria-pressed", Number(one.dataset.finding) === view.finding);
    }
  }

  const failing = () => view.cut || estate.states[view.state] || { links: [], brokers: [] };

  function lostText() {
    const { lost: wanted, is_open: isOpen } = estate.states[view.state];
    if (isOpen) return "";
    if (wanted) {
      const told = wanted.map(([tail, head, name]) => `${brokerName(head)} no longer gets ${name} from ${brokerName(tail)}`);
      return told.length ? `Lost: ${listed(told)}.` : "Nothing is lost.";
    }
    const lost = new Map();
    const cut = new Map();
    for (const pair of estate.pairs) {
      const { status } = fare(pair, view.state);
      if ((status !== "lost" && status !== "cut") || (estate.needed && !pair.topics.length)) continue;
      const names = pair.topics.length ? pair.topics.map((one) => estate.topics[one].name) : [`${brokerName(pair.tail)} → ${brokerName(pair.head)}`];
      for (const name of names) (status === "lost" ? lost : cut).set(name, true);
    }
    const noun = estate.needed ? "topic" : "pair";
    const told = [];
    if (lost.size) told.push(`Lost: ${counted(lost.size, noun)}, ${listed([...lost.keys()])}.`);
    if (cut.size) told.push(`No path is left: ${counted(cut.size, noun)}, ${listed([...cut.keys()])}.`);
    if (!told.length && estate.pairs.length) told.push("Nothing is lost.");
    return told.join(" ");
  }

  function updateFailed() {
    const state = failing();
    const names = failedNames(state);
    const known = estate.states[estate.failures.get(failureKey(state.links, state.brokers))];
    const colour = known && known.kind === "colour" && names.length ? ` (colour ${known.name})` : "";
    const text = names.length ? `Failed: ${listed(names, 12)}${colour}. ` : "";
    $("failed").textContent = estate.states.length > 1 || names.length ? text + (known ? lostText() : "") : "";
  }

  // Gives a class to the nodes with these indices and to no others; only what differs from before is touched.
  const marks = new WeakMap();
  function mark(nodes, name, chosen) {
    if (!marks.has(nodes)) marks.set(nodes, {});
    const known = marks.get(nodes);
    for (const index of known[name] || []) if (!chosen.has(index)) nodes[index].classList.remove(name);
    for (const index of chosen) if (nodes[index]) nodes[index].classList.add(name);
    known[name] = chosen;
  }

  function updateWalk() {
    const passed = new Set();
    const all = hops();
    all.forEach(({ way, hop }, number) => { if (view.at === null || number <= view.at) passed.add(view.ways[way].cables[hop]); });
    const cables = new Set(view.ways.flatMap((way) => way.cables));
    const stops = new Set(view.ways.flatMap((way) => (way.refused ? way.stops.slice(0, -1) : way.stops)));
    const refused = new Set(view.ways.filter((way) => way.refused).map((way) => way.cables.at(-1)));
    const current = view.at === null ? null : all[view.at];
    const way = current ? view.ways[current.way] : null;
    const here = way ? way.stops[way.refused && current.hop === way.cables.length - 1 ? current.hop : current.hop + 1] : null;
    const failed = failing();
    const topic = view.topic === null ? null : estate.topics[view.topic];
    const without = (list, ...sets) => new Set([...list.keys()].filter((index) => !sets.some((one) => one.has(index))));
    const only = (index) => new Set(index === null ? [] : [index]);
    const [publishes, subscribes] = topic ? [new Set(topic.publishers), new Set(topic.subscribers)] : [new Set(), new Set()];
    cables.delete(-1);
    mark(links, "walk", new Set([...cables].filter((one) => !refused.has(one))));
    mark(links, "refused", refused);
    mark(links, "passed", passed);
    mark(links, "failed", new Set(failed.links));
    mark(links, "chosen", only(view.link));
    mark(links, "dim", topic ? without(links, cables) : new Set());
    mark(brokers, "on", stops);
    mark(brokers, "here", only(here));
    mark(brokers, "failed", new Set(failed.brokers));
    mark(brokers, "chosen", only(view.broker));
    mark(brokers, "publishes", publishes);
    mark(brokers, "subscribes", subscribes);
    mark(brokers, "dim", topic ? without(brokers, stops, publishes, subscribes) : new Set());
    if (missing) {
      missing.replaceChildren(...view.ways.flatMap((way) => way.cables.map((cable, hop) => {
        const [one, other] = [estate.brokers[way.stops[hop]], estate.brokers[way.stops[hop + 1]]];
        return cable < 0 ? s("path", { class: "none", d: `M${one.x} ${one.y}L${other.x} ${other.y}` }) : null;
      }).filter(Boolean)));
    }
    updateHops(all, current);
  }

  function updateHops(all, current) {
    const list = $("hops");
    $("play").disabled = !all.length;
    $("back").disabled = view.at === null || view.at === 0;
    $("next").disabled = !all.length || view.at === all.length - 1;
    if (list.dataset.of !== walkKey()) {
      list.dataset.of = walkKey();
      list.replaceChildren(...hopNodes());
    }
    list.querySelectorAll("button").forEach((node, number) => {
      if (current && number === view.at) {
        node.setAttribute("aria-current", "step");
        // Not `scrollIntoView`, which would scroll the page as well.
        const side = $("walk");
        if (node.offsetTop < side.scrollTop || node.offsetTop > side.scrollTop + side.clientHeight - 60) side.scrollTop = node.offsetTop - 60;
      } else node.removeAttribute("aria-current");
    });
  }

  let walks = 0;
  const walkKeys = new WeakMap();
  function walkKey() {
    if (!walkKeys.has(view.ways)) walkKeys.set(view.ways, String((walks += 1)));
    return walkKeys.get(view.ways);
  }

  function hopNodes() {
    if (!view.ways.length) return [h("p", { class: "small" }, "Choose a finding, or two brokers, to see how a message travels.")];
    let number = -1;
    return view.ways.flatMap((way, index) => [
      view.ways.length > 1 ? h("h3", {}, `Copy ${index + 1} of ${view.ways.length}`) : "",
      h("ol", {}, way.cables.map((cable, hop) => {
        number += 1;
        const at = number;
        const spot = way.lines[hop] === undefined ? null : place(way.lines[hop]);
        const text = spot ? line(...spot) : undefined;
        return h("li", {}, h("button", { type: "button", onclick: () => { stop(); goTo(at); } },
          `${brokerName(way.stops[hop])} → ${brokerName(way.stops[hop + 1])} `,
          h("span", { class: "at" }, cable < 0 ? "no link" : `link ${estate.links[cable].id}`),
          way.refused && hop === way.cables.length - 1 ? h("span", { class: "lost" }, " not taken") : "",
          spot ? h("div", { class: "at" }, `${short(spot[0])}:${spot[1]} `, text === undefined ? "" : h("code", {}, text.trim())) : ""));
      })),
      way.says ? h("p", { class: way.arrives ? "end" : "end lost" }, way.says) : "",
    ]).filter(Boolean);
  }

  function snippet(finding) {
    const shown = Object.keys(data.lines[finding.file] || {}).map(Number).filter((one) => Math.abs(one - finding.line) <= 3);
    if (!shown.length) return "";
    const width = String(Math.max(...shown)).length;
    const nodes = [];
    for (const number of shown) {
      const text = line(finding.file, number);
      nodes.push(h("span", { class: "number" }, `${String(number).padStart(width)}  `));
      if (number === finding.line) {
        const letters = [...text];
        const end = finding.endLine === number ? finding.endColumn - 1 : letters.length;
        nodes.push(letters.slice(0, finding.column - 1).join(""), h("mark", {}, letters.slice(finding.column - 1, end).join("") || " "), letters.slice(end).join(""));
      } else nodes.push(text);
      nodes.push("\n");
    }
    return h("pre", { tabindex: 0, "aria-label": `${finding.file}, line ${finding.line}` }, nodes);
  }

  function updateDetail() {
    const node = $("detail");
    if (view.finding !== null) node.replaceChildren(...findingNodes(data.findings[view.finding]));
    else if (view.broker !== null) node.replaceChildren(...brokerNodes(view.broker));
    else if (view.link !== null) node.replaceChildren(...linkNodes(view.link));
    else node.replaceChildren(h("p", { class: "small" }, "Choose a finding, a broker or a link."));
  }

  function findingNodes(finding) {
    const affected = [];
    if (finding.pairs) affected.push(counted(finding.pairs, "pair"));
    if (finding.topicCount) affected.push(`${counted(finding.topicCount, "topic")}: ${listed(finding.topics, 8)}`);
    const code = /^https:/.test(finding.url) ? h("a", { href: finding.url, rel: "noreferrer" }, finding.code) : finding.code;
    return [
      h("p", {}, h("span", { class: `chip ${finding.severity}` }, finding.severity), " ", code, ` ${finding.rule}`),
      h("p", {}, words(finding.message)),
      h("p", { class: "at" }, words(`${finding.file}:${finding.line}:${finding.column}${finding.label ? `, ${finding.label}` : ""}`)),
      snippet(finding),
      finding.help ? h("p", {}, "Help: ", words(finding.help)) : "",
      affected.length ? h("p", { class: "small" }, `Affects ${affected.join("; ")}`) : "",
      finding.trace.length ? h("ol", {}, finding.trace.map((one) => h("li", {}, one))) : "",
      ...finding.related.map((one) => {
        const text = line(one.file, one.line);
        return h("p", { class: "small" }, `${one.file}:${one.line}: `, words(one.message), text === undefined ? "" : h("pre", {}, text.trim()));
      }),
    ].filter(Boolean);
  }

  function sourceNodes(at) {
    const spot = place(at);
    if (!spot) return [];
    const text = line(...spot);
    return [h("p", { class: "at" }, `${spot[0]}:${spot[1]}`), text === undefined ? "" : h("pre", {}, text.trim())].filter(Boolean);
  }

  function failNode(kind, index) {
    if (studio.failNode) return studio.failNode(kind, index);
    const state = estate.failures.get(kind === "link" ? failureKey([index], []) : failureKey([], [index]));
    if (state === undefined) return estate.kind === "routed" ? h("p", { class: "small" }, `No colour stands for the failure of this ${kind} alone.`) : "";
    const name = estate.states[state].kind === "colour" ? ` (colour ${estate.states[state].name})` : "";
    return h("button", { type: "button", onclick: () => chooseState(state) }, `Show what happens when it fails${name}`);
  }

  function brokerNodes(index) {
    const broker = estate.brokers[index];
    const named = (key) => listed(estate.topics.filter((one) => one[key].includes(index)).map((one) => one.name), 8);
    const [published, wanted] = [named("publishers"), named("subscribers")];
    return [
      h("h3", {}, `${estate.kind === "sites" ? "Site" : "Broker"} ${broker.id}`),
      broker.about ? h("p", {}, broker.about) : "",
      published ? h("p", { class: "small" }, `Published here: ${published}`) : "",
      wanted ? h("p", { class: "small" }, `Wanted here: ${wanted}`) : "",
      estate.pairs.length ? h("p", { class: "row" },
        h("button", { type: "button", onclick: () => { $("from").value = index; fromTo(); } }, "Walk from here"),
        h("button", { type: "button", onclick: () => { $("to").value = index; fromTo(); } }, "Walk to here")) : "",
      failNode("broker", index),
      ...studio.elementNodes("broker", index),
      ...sourceNodes(broker.at),
    ].filter(Boolean);
  }

  function linkNodes(index) {
    const link = estate.links[index];
    return [
      h("h3", {}, `Link ${link.id}`),
      h("p", {}, `${link.one_way ? "from" : "between"} ${brokerName(link.tail)} ${link.one_way ? "to" : "and"} ${brokerName(link.head)}${link.about ? `; ${link.about}` : ""}`),
      failNode("link", index),
      ...studio.elementNodes("link", index),
      ...sourceNodes(link.at),
    ].filter(Boolean);
  }

  // -- findings ------------------------------------------------------------------------------------------------------

  function listFindings() {
    const level = Number($("level").value);
    const topic = view.topic === null ? null : estate.topics[view.topic].name;
    const shown = data.findings.map((one, index) => [one, index])
      .filter(([one]) => RANKS[one.severity] <= level && (topic === null || one.topics.includes(topic)))
      .sort(([one], [other]) => RANKS[one.severity] - RANKS[other.severity]);
    $("findings").replaceChildren(...shown.map(([one, index]) => h("li", { class: one.severity },
      h("button", { type: "button", "data-finding": index, "aria-pressed": index === view.finding, onclick: () => chooseFinding(index) },
        h("span", { class: `chip ${one.severity}` }, one.severity), ` ${one.code} `, h("span", { class: "at" }, `${short(one.file)}:${one.line}`), h("div", {}, words(one.message))))));
    if (!shown.length) $("findings").append(h("li", { class: "small" }, data.findings.length ? "None that this filter shows." : "None: nothing is wrong here."));
    $("findings-title").textContent = shown.length === data.findings.length ? `Findings (${shown.length})` : `Findings (${shown.length} of ${data.findings.length})`;
  }

  // -- the matrix ----------------------------------------------------------------------------------------------------

  const CELL = 18;
  const grid = { rows: [], columns: [], row: 0, column: 0, left: 160, top: 60 };

  function listRows() {
    const only = $("only").checked;
    const bad = (one) => one.status === "lost" || one.status === "many" || one.status === "endless";
    grid.rows = estate.pairs.map((pair, index) => [pair, index]).filter(([pair]) =>
      (view.topic === null || pair.topics.includes(view.topic)) &&
      (!estate.needed || pair.topics.length) &&
      (!only || bad(pair.usual) || [...pair.others.values()].some(bad))).map(([, index]) => index);
    grid.columns = [...estate.states.keys()].filter((one) => !estate.states[one].is_open);
    grid.row = Math.min(grid.row, Math.max(0, grid.rows.length - 1));
    grid.column = Math.min(grid.column, grid.columns.length - 1);
    const longest = Math.max(0, ...grid.columns.slice(0, 2000).map((one) => columnName(estate.states[one]).length));
    grid.top = Math.min(110, 14 + longest * 6.2);
    const wide = Math.max(0, ...grid.rows.slice(0, 4000).map((one) => pairName(estate.pairs[one]).length));
    grid.left = Math.min(300, 24 + wide * 6.6);
    const sizer = $("matrix");
    let spacer = sizer.querySelector("div");
    if (!spacer) { spacer = h("div"); sizer.append(spacer); }
    const width = grid.left + grid.columns.length * CELL + 8;
    const height = grid.top + grid.rows.length * CELL + 8;
    Object.assign(sizer.style, { height: `${Math.min(420, height + 16)}px`, display: grid.rows.length ? "" : "none" });
    Object.assign(spacer.style, { width: `${width}px`, height: `${height}px`, marginTop: `-${sizer.clientHeight}px` });
    $("matrix-says").textContent = grid.rows.length
      ? `${counted(grid.rows.length, "pair")} in ${counted(grid.columns.length, "state")}.`
      : estate.kind === "routed" || estate.kind === "relayed" ? "No pair to show." : "This estate is not judged by pairs of brokers.";
    $("matrix").setAttribute("aria-label", `${counted(grid.rows.length, "pair")} by ${counted(grid.columns.length, "state")}`);
    $("matrix-help").hidden = !grid.rows.length;
    $("pairs").hidden = $("only").parentElement.hidden = !estate.pairs.length;
  }

  const columnName = (state) => (state.name || "usual").slice(0, 16);

  function drawMatrix() {
    const node = $("matrix");
    const sheet = node.querySelector("canvas");
    const [width, height] = [node.clientWidth, node.clientHeight];
    if (!width || !height) return;
    const scale = devicePixelRatio || 1;
    if (sheet.width !== Math.round(width * scale) || sheet.height !== Math.round(height * scale)) {
      sheet.width = Math.round(width * scale);
      sheet.height = Math.round(height * scale);
      Object.assign(sheet.style, { width: `${width}px`, height: `${height}px` });
      node.querySelector("div").style.marginTop = `-${height}px`;
    }
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const pen = sheet.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = colour("sheet");
    pen.fillRect(0, 0, width, height);
    const [ink, faint, accent] = ["ink", "faint", "accent"].map(colour);
    const fills = Object.fromEntries(Object.keys(SIGNS).map((one) => [one, colour(one)]));
    const firstRow = Math.floor(node.scrollTop / CELL);
    const firstColumn = Math.floor(node.scrollLeft / CELL);
    const lastRow = Math.min(grid.rows.length, firstRow + Math.ceil((height - grid.top) / CELL) + 1);
    const lastColumn = Math.min(grid.columns.length, firstColumn + Math.ceil((width - grid.left) / CELL) + 1);
    pen.save();
    pen.beginPath();
    pen.rect(grid.left, grid.top, width, height);
    pen.clip();
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = "12px system-ui, sans-serif";
    for (let row = firstRow; row < lastRow; row += 1) {
      const pair = estate.pairs[grid.rows[row]];
      const y = grid.top + row * CELL - node.scrollTop;
      for (let column = firstColumn; column < lastColumn; column += 1) {
        const { status } = fare(pair, grid.columns[column]);
        const x = grid.left + column * CELL - node.scrollLeft;
        pen.fillStyle = fills[status];
        pen.fillRect(x + 1, y + 1, CELL - 2, CELL - 2);
        if (SIGNS[status]) {
          pen.fillStyle = status === "lost" || status === "endless" ? "#ffffff" : ink;
          pen.fillText(SIGNS[status], x + CELL / 2, y + CELL / 2);
        }
        const chosen = grid.rows[row] === view.pair && grid.columns[column] === view.state;
        const current = row === grid.row && column === grid.column && document.activeElement === node;
        if (chosen || current) {
          pen.strokeStyle = current ? accent : ink;
          pen.lineWidth = 2;
          pen.strokeRect(x + 1, y + 1, CELL - 2, CELL - 2);
        }
      }
    }
    pen.restore();
    pen.save();
    pen.beginPath();
    pen.rect(0, grid.top, grid.left, height);
    pen.clip();
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let row = firstRow; row < lastRow; row += 1) {
      pen.fillStyle = grid.rows[row] === view.pair ? accent : ink;
      pen.fillText(pairName(estate.pairs[grid.rows[row]]), grid.left - 8, grid.top + (row + 0.5) * CELL - node.scrollTop, grid.left - 12);
    }
    pen.restore();
    pen.save();
    pen.beginPath();
    pen.rect(grid.left, 0, width, grid.top);
    pen.clip();
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (let column = firstColumn; column < lastColumn; column += 1) {
      pen.save();
      pen.translate(grid.left + (column + 0.5) * CELL - node.scrollLeft, grid.top - 6);
      pen.rotate(-Math.PI / 2);
      pen.fillStyle = grid.columns[column] === view.state ? accent : faint;
      pen.fillText(columnName(estate.states[grid.columns[column]]), 0, 0);
      pen.restore();
    }
    pen.restore();
  }

  function onMatrix() {
    const node = $("matrix");
    const choose = () => {
      if (!grid.rows.length) return;
      view.state = grid.columns[grid.column];
      choosePair(grid.rows[grid.row]);
    };
    node.addEventListener("scroll", drawMatrix);
    node.addEventListener("focus", drawMatrix);
    node.addEventListener("blur", drawMatrix);
    node.addEventListener("click", (event) => {
      const bounds = node.getBoundingClientRect();
      const column = Math.floor((event.clientX - bounds.left + node.scrollLeft - grid.left) / CELL);
      const row = Math.floor((event.clientY - bounds.top + node.scrollTop - grid.top) / CELL);
      if (row < 0 || row >= grid.rows.length || column >= grid.columns.length) return;
      grid.row = row;
      grid.column = Math.max(column, 0);
      choose();
    });
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-15, 0], PageDown: [15, 0], Home: [0, -1e9], End: [0, 1e9] };
    node.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !grid.rows.length) return;
      if (event.key === "Enter") choose();
      else if (moves[event.key]) {
        const [down, right] = moves[event.key];
        grid.row = Math.min(grid.rows.length - 1, Math.max(0, grid.row + down));
        grid.column = Math.min(grid.columns.length - 1, Math.max(0, grid.column + right));
        const [x, y] = [grid.column * CELL, grid.row * CELL];
        node.scrollLeft = Math.min(x, Math.max(node.scrollLeft, x + CELL + grid.left - node.clientWidth));
        node.scrollTop = Math.min(y, Math.max(node.scrollTop, y + CELL + grid.top - node.clientHeight));
        drawMatrix();
        const pair = estate.pairs[grid.rows[grid.row]];
        say(`${pairName(pair)}, ${stateName(estate.states[grid.columns[grid.column]])}: ${MEANINGS[fare(pair, grid.columns[grid.column]).status]}`);
      } else return;
      event.preventDefault();
    });
  }

  function legend() {
    const used = new Set(estate.pairs.flatMap((pair) => [pair.usual.status, ...[...pair.others.values()].map((one) => one.status)]));
    $("legend").replaceChildren(...Object.keys(SIGNS).filter((one) => used.has(one)).map((one) =>
      h("li", {}, h("i", { class: `s-${one}`, "aria-hidden": "true" }, SIGNS[one]), MEANINGS[one])));
  }

  // -- tables --------------------------------------------------------------------------------------------------------

  function table(caption, heads, rows) {
    const shown = rows.slice(0, MOST_ROWS);
    const node = h("table", {}, h("caption", {}, caption + (rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} of ${rows.length}` : "")),
      h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one)))));
    node.append(h("tbody", {}, shown.map((cells) => h("tr", {}, cells().map((one) => h("td", {}, one))))));
    return node;
  }
  const button = (text, onclick) => h("button", { type: "button", onclick }, text);

  function updateTables() {
    if ($("pairs").open) $("pairs").querySelector("div").replaceChildren(pairTable());
    if ($("elements").open) $("elements").querySelector("div").replaceChildren(...elementTables());
    if ($("topics").open) $("topics").querySelector("div").replaceChildren(topicTable());
    $("coverage").hidden = !estate.coverage;
    if ($("coverage").open && estate.coverage) $("coverage").querySelector("div").replaceChildren(...coverageTables());
  }

  function pairTable() {
    return table(`Pairs, ${stateName(estate.states[view.state])}`, ["Pair", "Topics", "What happens", "How it ends"], grid.rows.map((index) => () => {
      const pair = estate.pairs[index];
      const { status, ways } = fare(pair, view.state);
      return [button(pairName(pair), () => choosePair(index)), listed(pair.topics.map((one) => estate.topics[one].name)), MEANINGS[status], ways.map((one) => estate.ways[one].says)[0] || ""];
    }));
  }

  function elementTables() {
    return [
      table("Brokers", ["Broker", "About", "Where"], estate.brokers.map((one, index) => () => [button(one.id, () => chooseElement("broker", index)), one.about, where(one.at)])),
      table("Links", ["Link", "Ends", "About", "Where"], estate.links.map((one, index) => () =>
        [button(one.id, () => chooseElement("link", index)), `${brokerName(one.tail)} ${one.one_way ? "→" : "–"} ${brokerName(one.head)}`, one.about, where(one.at)])),
    ];
  }

  function coverageTables() {
    const { files, idle } = estate.coverage;
    const share = ([some, all]) => (all ? `${some} of ${all}` : "none");
    const counts = table("Lines that a proof rests on", ["File", "Rows", "Links", "Colours"], files.map(([file, ...shares]) => () => [file, ...shares.map(share)]));
    if (!idle.length) return [counts, h("p", {}, "A proof rests on every line.")];
    const line = (at) => { const [file, number] = data.places[at]; return h("code", {}, ((data.lines[file] || {})[number] || "").trim()); };
    return [counts, table("These could say anything without a verdict changing", ["What", "Where", "Line"], idle.map(([name, at]) => () => [name, where(at), line(at)]))];
  }

  function topicTable() {
    const byTopic = new Map();
    estate.pairs.forEach((pair) => pair.topics.forEach((topic) => {
      const { status } = fare(pair, view.state);
      if (status !== "ok" && status !== "moved") byTopic.set(topic, [...(byTopic.get(topic) || []), `${brokerName(pair.tail)} → ${brokerName(pair.head)} ${MEANINGS[status]}`]);
    }));
    return table(`Topics, ${estate.states.length ? stateName(estate.states[view.state]) : ""}`, ["Topic", "Published at", "Wanted at", "Not as it should be"], estate.topics.map((one, index) => () =>
      [button(one.name, () => { $("topic").value = index; chooseTopic(); }), listed(one.publishers.map(brokerName)), listed(one.subscribers.map(brokerName)), h("span", {}, listed(byTopic.get(index) || [], 3), ...studio.topicNodes(index))]));
  }

  // -- controls ------------------------------------------------------------------------------------------------------

  function fillSelects() {
    const option = (value, text) => h("option", { value }, text);
    $("estate").replaceChildren(...data.estates.map((one, index) => option(index, one.name)));
    $("estate").parentElement.hidden = data.estates.length < 2;
    const groups = [["colour", "Colours"], ["promised", "Promised failures"], ["supposed", "Single failures, as computed"]];
    $("state").replaceChildren(...groups.map(([kind, label]) => {
      const states = estate.states.map((one, index) => [one, index]).filter(([one]) => one.kind === kind);
      return states.length ? h("optgroup", { label }, states.map(([one, index]) => option(index, stateName(one)))) : "";
    }).filter(Boolean));
    $("state").parentElement.hidden = estate.states.length < 2;
    const names = [option("", "–"), ...estate.brokers.map((one, index) => option(index, one.id))];
    $("from").replaceChildren(...names);
    $("to").replaceChildren(...names.map((one) => one.cloneNode(true)));
    $("from").parentElement.hidden = $("to").parentElement.hidden = !estate.pairs.length;
    $("message-label").hidden = true;
    $("topic").replaceChildren(option("", "all"), ...estate.topics.map((one, index) => option(index, one.name)));
    $("topic").parentElement.hidden = !estate.topics.length;
  }

  function fillMessages(tail, head) {
    const several = estate.between.get(`${tail} ${head}`) || [];
    $("message-label").hidden = several.length < 2;
    $("message").replaceChildren(...several.map((one) => h("option", { value: one }, estate.pairs[one].label)));
    if (view.pair !== null) $("message").value = view.pair;
  }

  function fromTo() {
    const [tail, head] = [$("from").value, $("to").value];
    if (tail === "" || head === "") return;
    const several = estate.between.get(`${tail} ${head}`) || [];
    if (several.length) { choosePair(several[0]); return; }
    view.pair = null;
    view.finding = null;
    const known = estate.kind === "routed" ? "This page does not have this walk; `momlint trace` shows it." : "Nothing that is wanted there arrives from here.";
    setWalk([{ stops: [], cables: [], lines: [], says: tail === head ? "The same broker." : known, arrives: true }]);
    say(known);
  }

  function chooseTopic() {
    view.topic = $("topic").value === "" ? null : Number($("topic").value);
    listFindings();
    listRows();
    update();
    if (view.topic !== null) say(`Topic ${estate.topics[view.topic].name}: ${counted(grid.rows.length, "pair")}`);
  }

  function openEstate(index) {
    estate = data.estates[index];
    reset();
    fillSelects();
    $("estate").value = index;
    draw();
    legend();
    listFindings();
    listRows();
    $("drawing").setAttribute("aria-label", `${estate.name}: ${counted(estate.brokers.length, estate.kind === "sites" ? "site" : "broker")} and ${counted(estate.links.length, "link")}`);
    update();
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : darkness.matches;
  }
  function showTheme() {
    $("theme").textContent = isDark() ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", isDark() ? "Change to light" : "Change to dark");
    drawMatrix();
  }

  function load(fresh) {
    data = fresh;
    data.estates.forEach(prepare);
    const { errors, warnings, notes, undecided } = data.summary;
    const told = [counted(errors, "error"), counted(warnings, "warning"), counted(notes, "note")];
    if (undecided) told.push(`${undecided} undecided`);
    $("counts").textContent = told.join(", ");
    const first = data.estates[0];
    const told2 = data.failures.concat(first ? data.estates.flatMap((one) => one.notes) : []);
    document.querySelectorAll(".left-out").forEach((one) => one.remove());
    if (told2.length) $("below").prepend(h("div", { class: "left-out small" }, told2.map((one) => h("p", {}, one))));
    if (!first) data.estates.push(prepare({ name: "", kind: "none", brokers: [], links: [], topics: [], states: [{ name: "", kind: "supposed", links: [], brokers: [] }], ways: [], pairs: [], notes: [], width: 0, height: 0 }));
    openEstate(0);
  }

  // The same with other data, and with what was chosen as far as it is still there.
  function reload(fresh) {
    const index = data.estates.indexOf(estate);
    const before = { estate, view, box, level: $("level").value };
    const name = (list, one) => (one === null || one === undefined ? null : list[one].id || list[one].name);
    const kept = { broker: name(estate.brokers, view.broker), link: name(estate.links, view.link), topic: name(estate.topics, view.topic) };
    const state = failing();
    const failed = [state.links.map((one) => estate.links[one].id), state.brokers.map(brokerName)];
    load(fresh);
    if (index > 0 && index < data.estates.length) openEstate(index);
    const find = (list, id) => { const at = list.findIndex((one) => (one.id || one.name) === id); return id === null || at < 0 ? null : at; };
    view.broker = find(estate.brokers, kept.broker);
    view.link = find(estate.links, kept.link);
    view.topic = find(estate.topics, kept.topic);
    if (view.topic !== null) $("topic").value = view.topic;
    if (canvas && before.box && before.estate.width === estate.width && before.estate.height === estate.height) { box = before.box; look(); }
    showFailure(...failed);
    if (view.topic !== null) { listFindings(); listRows(); }
    update();
  }

  // What has failed, by name; false where no state stands for it.
  function showFailure(linkNames, brokerNames) {
    const ids = (list, names) => names.map((id) => list.findIndex((one) => one.id === id)).filter((at) => at >= 0);
    const failed = { links: ids(estate.links, linkNames), brokers: ids(estate.brokers, brokerNames) };
    const state = estate.failures.get(failureKey(failed.links, failed.brokers));
    view.state = state === undefined ? 0 : state;
    view.cut = state === undefined ? failed : null;
    view.finding = null;
    if (view.pair !== null && state !== undefined) showPair(view.pair);
    else setWalk([]);
    return state !== undefined;
  }

  function start() {
    onDrawing();
    onMatrix();
    $("estate").addEventListener("change", () => openEstate(Number($("estate").value)));
    $("state").addEventListener("change", () => chooseState(Number($("state").value)));
    $("from").addEventListener("change", fromTo);
    $("to").addEventListener("change", fromTo);
    $("message").addEventListener("change", () => choosePair(Number($("message").value)));
    $("topic").addEventListener("change", chooseTopic);
    $("level").addEventListener("change", listFindings);
    $("only").addEventListener("change", () => { listRows(); update(); });
    $("play").addEventListener("click", play);
    $("back").addEventListener("click", () => { stop(); goTo(view.at - 1); });
    $("next").addEventListener("click", () => { stop(); goTo(view.at === null ? 0 : view.at + 1); });
    $("detail").tabIndex = -1;
    for (const id of ["pairs", "elements", "coverage", "topics"]) $(id).addEventListener("toggle", updateTables);
    $("theme").addEventListener("click", () => {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      showTheme();
    });
    darkness.addEventListener("change", showTheme);
    new ResizeObserver(drawMatrix).observe($("matrix"));
    load(JSON.parse($("data").textContent));
    showTheme();
  }

  start();
  window.momlint = Object.assign(studio, { $, h, say, reload, showFailure, failing, update, chooseElement, now: () => ({ data, estate, view }) });
})();
