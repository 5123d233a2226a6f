// A failing run above, a passing one below: what only one of them has stands out, and where they part is marked.
import {get, type Comparison, type Overview} from "./api";
import {Diagram} from "./diagram";
import {busy, failure, h, plural, replace, seconds, visible} from "./dom";
import {kindButtons, marksOf} from "./legend";
import type {RunData} from "./run_data";
import {loadRun, verdictLine, type View} from "./run_view";
import {go, link, refine, type State} from "./state";

export function openCompare(place: HTMLElement, state: State): View {
  let open: View | null = null;
  let closed = false;
  replace(place, h("h1", {}, "Why it fails"), busy(state["with"] ? "comparing…" : "looking for the nearest run that passes: this one is made again without one part of its schedule after the other…"),
    h("p", {}, h("a", {href: link({view: "run", run: state["run"] ?? ""})}, "Back to the run")));
  const other = state["with"] ? `?with=${encodeURIComponent(state["with"])}` : "";
  get<Comparison>(`runs/${state["run"]}/compare${other}`).then(async (comparison) => {
    if (comparison.trouble !== null) {
      if (!closed) await drawNone(place, comparison.failing, comparison.trouble);
      return;
    }
    const [failing, passing] = await Promise.all([loadRun(comparison.failing), loadRun(comparison.passing)]);
    if (!closed) open = draw(place, comparison, failing, passing, state);
  }).catch((error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => { closed = true; open?.close(); }};
}

function standout(data: RunData, records: number[]): Uint8Array {
  const marks = new Uint8Array(data.count);
  for (const record of records) marks[record] = 1;
  return marks;
}

/** What may be done where no run near the failing one passes. */
async function drawNone(place: HTMLElement, run: number, trouble: string): Promise<void> {
  const {runs} = await get<Overview>("");
  const others = runs.filter((one) => one.run !== run && one.outcome !== "fail");
  const choice = h("select", {"aria-label": "Another run"}, ...others.map((one) => h("option", {value: one.run}, visible(`${one.run}: ${one.name}`))));
  replace(place, h("div", {class: "compare"}, h("h1", {}, "Why it fails"), h("p", {class: "lead"}, `Nothing to compare with: ${visible(trouble)}.`),
    others.length > 0 && h("p", {}, "Compare it with ", choice, " ", h("button", {type: "button", onclick: () => go({view: "compare", run: String(run), with: choice.value})}, "Compare")),
    h("p", {}, h("a", {href: link({view: "run", run: String(run)})}, "Back to the run"), " · in a run, ", h("b", {}, "What if?"), " makes others that may pass.")));
}

const kWithout = "without: ";

/** How the nearest passing run differs from the failing one. */
function nearest(difference: string): string {
  if (difference === "") return "Two runs of your choice.";
  if (difference.startsWith(kWithout)) return `Without one thing the run passes: ${visible(difference.slice(kWithout.length))}.`;
  return `The nearest run that passes: ${visible(difference)}.`;
}

function draw(place: HTMLElement, comparison: Comparison, failing: RunData, passing: RunData, state: State): View {
  document.title = `Compare ${failing.head.scenario} – Dissensus`;
  const pair: Diagram[] = [];
  let together = true;
  let moving = 0;
  const select = (diagram: Diagram, record: number): void => {
    const data = diagram.data;
    diagram.select(record);
    refine({[data === failing ? "failing" : "passing"]: record >= 0 ? String(record) : ""});
    replace(said, record >= 0 && [`${seconds(data.time[record]!)}: ${data.describe(record)} · `,
      h("a", {href: link({view: "run", run: String(data === failing ? comparison.failing : comparison.passing), at: String(record)})}, "open it in its run")]);
  };
  const make = (data: RunData, records: number[], first: number | null, label: string): Diagram => {
    const diagram: Diagram = new Diagram(data, {
      select: (record) => select(diagram, record),
      moved: (from, until) => {
        clearTimeout(moving);
        moving = window.setTimeout(() => refine({from: String(Math.round(from)), until: String(Math.round(until))}), 150);
        for (const other of pair) {
          if (together && other !== diagram && (other.from !== from || other.until !== until)) { other.from = from; other.until = until; other.draw(); }
        }
      },
    }, label);
    diagram.standout = standout(data, records);
    diagram.first = first ?? -1;
    pair.push(diagram);
    return diagram;
  };
  const said = h("p", {class: "said", role: "status"}, "Click an event to read what it is.");
  const kinds = h("div", {class: "kinds", role: "group", "aria-label": "Kinds of messages"});
  const hidden = new Set<number>((state["hide"] ?? "").split(",").filter(Boolean).map(Number));
  const changed = (): void => { refine({hide: [...hidden].join(",")}); drawKinds(); };
  const drawKinds = (): void => {
    replace(kinds, kindButtons(failing, hidden, (kind) => { if (!hidden.delete(kind)) hidden.add(kind); changed(); },
      (only) => { failing.head.kinds.forEach((_, kind) => { if (kind === only) hidden.delete(kind); else hidden.add(kind); }); changed(); }));
    for (const diagram of pair) { diagram.hidden = hidden; diagram.draw(); }
  };
  const above = make(failing, comparison.only_failing, comparison.first?.failing ?? null, "The failing run");
  const below = make(passing, comparison.only_passing, comparison.first?.passing ?? null, "The passing run");
  drawKinds();
  const lock = h("input", {type: "checkbox", id: "together", checked: true, onchange: () => { together = lock.checked; }});
  const first = comparison.first;
  replace(place, h("div", {class: "compare"},
    h("h1", {}, "Why it fails"),
    h("p", {class: "lead"}, nearest(comparison.difference)),
    first && h("div", {class: "card first"}, h("p", {}, h("strong", {}, `They part at node ${first.node}.`)),
      h("table", {class: "fields"},
        h("tr", {}, h("th", {scope: "row"}, "failing"), h("td", {}, first.failing_came ? visible(first.failing_came) : "nothing more comes", first.fate_of_other && h("span", {class: "faint"}, ` (${visible(first.fate_of_other)})`))),
        h("tr", {}, h("th", {scope: "row"}, "passing"), h("td", {}, first.passing_came ? visible(first.passing_came) : "nothing more comes", first.fate_of_expected && h("span", {class: "faint"}, ` (${visible(first.fate_of_expected)})`))))),
    h("div", {class: "columns"}, h("div", {class: "main"},
      h("p", {class: "faint"}, `${plural(comparison.equal_steps, "step")} of both are equal and pale; what only one of them has is drawn in full.`), said,
      h("h2", {}, "Failing: ", h("a", {href: link({view: "run", run: String(comparison.failing)})}, visible(failing.head.scenario))), verdictLine(failing.head), above.element,
      h("h2", {}, "Passing: ", h("a", {href: link({view: "run", run: String(comparison.passing)})}, comparison.difference.startsWith(kWithout) ? "the same run without it" : visible(comparison.difference || passing.head.scenario))), below.element,
      kinds, marksOf(failing), h("p", {}, h("label", {for: "together"}, lock, " move both together"))),
    h("section", {class: "inspector", "aria-label": "From there to the violation"}, h("h2", {}, "From there to the violation"),
      comparison.waiting.length > 0 && h("ul", {class: "waiting"}, ...comparison.waiting.map((one) => h("li", {},
        h("b", {}, `node ${one.node}`), ` waits since ${seconds(one.since_us)}`, one.state && ` (${visible(one.state)})`,
        one.missing && h("div", {class: "missing"}, "for ", visible(one.missing)),
        (one.asked || one.heard) && h("details", {}, h("summary", {class: "faint"}, "what it asked and heard"),
          h("ul", {}, one.asked && h("li", {}, "asked: ", visible(one.asked)), one.heard && h("li", {}, "heard: ", visible(one.heard))))))),
      h("ol", {class: "chain"}, ...comparison.chain.map((moment) => h("li", {},
        h("button", {type: "button", class: "quiet", onclick: () => { if (moment.record !== null) { select(above, moment.record); above.element.scrollIntoView({block: "nearest"}); } }},
          h("span", {class: "when"}, seconds(moment.time_us)), ` node ${moment.node}: `, visible(moment.came)),
        h("ul", {}, ...moment.did.map((deed) => h("li", {}, visible(deed))), ...moment.instead.map((deed) => h("li", {class: "faint"}, "instead of: ", visible(deed))))))),
      comparison.waiting.length + comparison.chain.length === 0 && h("p", {class: "faint"}, "No single chain of events: what is violated is about the run as a whole."),
      h("details", {open: comparison.waiting.length + comparison.chain.length === 0}, h("summary", {}, "In words"), h("pre", {class: "text"}, visible(comparison.words.join("\n"))))))));
  // From a little before they part to the violation, or to the end of the shorter run, where that is not most of it; else some time.
  const parted = first?.failing !== null && first?.failing !== undefined ? failing.time[first.failing]! : 0;
  const width = Math.max(failing.end, passing.end) * 1.02;
  const both = Math.min(failing.head.violations[0]?.time_us ?? failing.end, passing.end) - parted;
  const span = both > 0 && both < width / 2 ? both : width / 4;
  const [from, until] = [Number(state["from"]), Number(state["until"])];
  if (state["until"] && until > from) above.show(from, until);
  else if (parted > 0) above.show(parted - span * 0.15, parted + span * 1.1);
  else above.show(0, width);
  for (const [diagram, key] of [[above, "failing"], [below, "passing"]] as const) if (Number(state[key]) < diagram.data.count) select(diagram, Number(state[key]));
  return {close: () => { clearTimeout(moving); for (const diagram of pair) diagram.close(); }};
}
