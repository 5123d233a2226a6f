// A failing run above, a passing one below: what only one of them has stands out, and where they part is marked.
import {get, type Comparison} from "./api";
import {Diagram} from "./diagram";
import {busy, failure, h, replace, seconds, visible} from "./dom";
import type {RunData} from "./run_data";
import {loadRun, verdictLine, type View} from "./run_view";
import {link, type State} from "./state";

export function openCompare(place: HTMLElement, state: State): View {
  const diagrams: Diagram[] = [];
  let closed = false;
  replace(place, busy(state["with"] ? "comparing…" : "looking for the nearest run that passes…"));
  const other = state["with"] ? `?with=${encodeURIComponent(state["with"])}` : "";
  get<Comparison>(`runs/${state["run"]}/compare${other}`).then(async (comparison) => {
    const [failing, passing] = await Promise.all([loadRun(comparison.failing), loadRun(comparison.passing)]);
    if (!closed) diagrams.push(...draw(place, comparison, failing, passing));
  }).catch((error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => { closed = true; for (const diagram of diagrams) diagram.close(); }};
}

function standout(data: RunData, records: number[]): Uint8Array {
  const marks = new Uint8Array(data.count);
  for (const record of records) marks[record] = 1;
  return marks;
}

const kWithout = "without: ";

/** How the nearest passing run differs from the failing one. */
function nearest(difference: string): string {
  if (difference === "") return "Two runs of your choice.";
  if (difference.startsWith(kWithout)) return `Without one thing the run passes: ${visible(difference.slice(kWithout.length))}.`;
  return `The nearest run that passes: ${visible(difference)}.`;
}

function draw(place: HTMLElement, comparison: Comparison, failing: RunData, passing: RunData): Diagram[] {
  document.title = `Compare ${failing.head.scenario} – Dissensus`;
  const pair: Diagram[] = [];
  let together = true;
  const make = (data: RunData, records: number[], first: number | null, label: string): Diagram => {
    const diagram: Diagram = new Diagram(data, {
      select: (record) => { diagram.select(record); said.textContent = record >= 0 ? data.describe(record) : ""; },
      moved: (from, until) => {
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
  const said = h("p", {class: "said", role: "status"});
  const above = make(failing, comparison.only_failing, comparison.first?.failing ?? null, "The failing run");
  const below = make(passing, comparison.only_passing, comparison.first?.passing ?? null, "The passing run");
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
      h("h2", {}, "Failing: ", h("a", {href: link({view: "run", run: String(comparison.failing)})}, visible(failing.head.scenario))), verdictLine(failing.head), above.element,
      h("h2", {}, "Passing: ", h("a", {href: link({view: "run", run: String(comparison.passing)})}, comparison.difference.startsWith(kWithout) ? "the same run without it" : visible(comparison.difference || passing.head.scenario))), below.element,
      h("p", {}, h("label", {for: "together"}, lock, " move both together"), " · ",
        `${comparison.equal_steps} steps are equal; what only one run has is drawn in full`), said),
    h("section", {class: "inspector", "aria-label": "From there to the violation"}, h("h2", {}, "From there to the violation"),
      comparison.waiting.length > 0 && h("ul", {class: "waiting"}, ...comparison.waiting.map((one) => h("li", {},
        h("b", {}, `node ${one.node}`), ` waits since ${seconds(one.since_us)}`, one.state && ` (${visible(one.state)})`,
        h("ul", {}, one.asked && h("li", {}, "asked: ", visible(one.asked)), one.heard && h("li", {}, "heard: ", visible(one.heard)),
          one.missing && h("li", {}, "missing: ", visible(one.missing)))))),
      h("ol", {class: "chain"}, ...comparison.chain.map((moment) => h("li", {},
        h("button", {type: "button", class: "quiet", onclick: () => { if (moment.record !== null) { above.select(moment.record); above.element.scrollIntoView({block: "nearest"}); } }},
          h("span", {class: "when"}, seconds(moment.time_us)), ` node ${moment.node}: `, visible(moment.came)),
        h("ul", {}, ...moment.did.map((deed) => h("li", {}, visible(deed))), ...moment.instead.map((deed) => h("li", {class: "faint"}, "instead of: ", visible(deed))))))),
      h("details", {}, h("summary", {}, "In words"), h("pre", {class: "text"}, visible(comparison.words.join("\n"))))))));
  const firstTime = first?.failing !== null && first?.failing !== undefined ? failing.time[first.failing]! : 0;
  const width = Math.max(failing.end, passing.end) * 1.02;
  above.show(0, width);
  below.show(0, width);
  if (firstTime > 0) {
    const around = Math.max(width / 4, 1);
    above.show(firstTime - around * 0.3, firstTime + around * 0.7);
  }
  return [above, below];
}
