// A run: what it is, the diagram, the log beside it, and the event that was chosen.
import {get, type Columns, type RunHead} from "./api";
import {branchPanel} from "./branch";
import {Diagram} from "./diagram";
import {brief, busy, command, count, failure, h, plural, replace, seconds, visible} from "./dom";
import {Inspector} from "./inspector";
import {kindButtons, marksOf} from "./legend";
import {Log} from "./log";
import {RunData} from "./run_data";
import {link, readState, refine, type State} from "./state";

/** So many lines of a schedule are shown at once; more on demand. */
const kFewFaults = 4;

export interface View { close(): void; }

export async function loadRun(run: number): Promise<RunData> {
  const [head, columns] = await Promise.all([get<RunHead>(`runs/${run}`), get<Columns>(`runs/${run}/events`)]);
  return new RunData(head, columns);
}

export function verdictLine(head: RunHead): HTMLElement {
  const first = head.violations[0];
  const word = head.outcome === "fail" ? "✗ fails" : head.outcome === "pass" ? "✓ passes" : "? unknown";
  return h("p", {class: `verdict ${head.outcome}`}, h("strong", {}, word), first && [": ", brief(first.text)],
    first && h("span", {class: "faint"}, ` · ${visible(first.property)}, at ${seconds(first.time_us)}`),
    head.violations.length > 1 && h("span", {class: "faint"}, ` (and ${head.violations.length - 1 + head.violations_left_out} more)`));
}

export function openRun(place: HTMLElement, state: State): View {
  const run = Number(state["run"]);
  let closed = false;
  let close = (): void => { closed = true; };
  replace(place, busy("reading the run…"));
  loadRun(run).then((data) => {
    if (closed) return;
    close = new RunPage(place, run, data, state).close;
  }, (error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => close()};
}

class RunPage {
  private readonly diagram: Diagram;
  private readonly log: Log;
  private readonly inspector: Inspector;
  private readonly said: HTMLElement;
  private readonly search: HTMLInputElement;
  private hits: number[] = [];
  private hit = -1;
  private asked = "";
  private understood = "";
  private readonly keys: (event: KeyboardEvent) => void;
  private moving = 0;

  constructor(place: HTMLElement, private readonly run: number, private readonly data: RunData, state: State) {
    const head = data.head;
    document.title = `${head.scenario}, ${head.outcome} – Dissensus`;
    const select = (record: number): void => this.select(record);
    this.diagram = new Diagram(data, {select, moved: (from, until) => this.moved(from, until)}, `Space-time diagram of ${head.scenario}`);
    this.log = new Log(data, run, select, (pointed, reading) => {
      this.diagram.pointed = pointed;
      this.diagram.reading = reading;
      this.diagram.draw();
    }, state["log"] ?? "log");
    this.inspector = new Inspector(data, run, select, (detail) => branchPanel(data, run, detail, select), this.beginnings());
    this.said = h("span", {class: "said", role: "status"});
    this.search = h("input", {type: "search", name: "q", value: state["q"] ?? "", "aria-label": "Search events",
      placeholder: this.example()});
    replace(place, h("div", {class: "run"}, this.summary(), this.tools(), h("div", {class: "columns"},
      h("div", {class: "main"}, this.diagram.element, this.kinds, marksOf(data), this.log.element), this.inspector.element)));
    this.keys = (event) => this.onKey(event);
    document.addEventListener("keydown", this.keys);
    for (const kind of (state["hide"] ?? "").split(",").filter(Boolean)) this.diagram.hidden.add(Number(kind));
    this.drawKinds();
    const from = Number(state["from"]);
    const until = Number(state["until"]);
    if (state["until"] && until > from) this.diagram.show(from, until);
    else this.diagram.show(0, data.end * 1.02);
    if (state["at"]) this.select(Number(state["at"]));
    if (state["q"]) void this.ask(state["q"]);
  }

  close = (): void => {
    this.diagram.close();
    document.removeEventListener("keydown", this.keys);
    clearTimeout(this.moving);
  };

  private summary(): HTMLElement {
    const head = this.data.head;
    const failing = head.outcome === "fail";
    const run = String(this.run);
    return h("header", {class: "summary"}, h("h1", {}, visible(head.scenario)), verdictLine(head),
      h("p", {class: "faint"}, `${visible(head.system)}, ${head.nodes} nodes, seed ${head.seed}, ${count(head.records)} events in ${seconds(head.end_us)}; trace ${head.hash}`),
      h("nav", {class: "links", "aria-label": "More about this run"},
        failing && head.repeatable && h("a", {href: link({view: "compare", run})}, "Why? Compare with the nearest run that passes"),
        failing && head.repeatable && h("a", {href: link({view: "matter", run})}, "Does it matter?"),
        head.parent > 0 && h("a", {href: link({view: "run", run: String(head.parent)})}, "The run it came from")),
      head.schedule.length === 1 && head.schedule[0]!.startsWith("no delay and no fault") ? h("p", {class: "faint"}, `Nothing was done to it: ${visible(head.schedule[0]!)}.`)
        : head.schedule.length > 0 && h("details", {open: head.schedule.length <= kFewFaults}, h("summary", {}, `What was done to it: ${plural(head.schedule.length, "thing")}`),
        h("ul", {class: "schedule"}, ...head.schedule.map((line) => h("li", {}, visible(line))))),
      h("details", {}, h("summary", {}, "All properties, and how to replay it"),
        h("ul", {}, ...head.properties.map((property) => h("li", {}, h("b", {}, visible(property.property)), `: ${property.outcome}`,
          property.reason && ` – ${visible(property.reason)}`))),
        head.replay !== null ? command(head.replay) : h("p", {class: "faint"}, "This run is in memory alone.")));
  }

  private readonly kinds = h("div", {class: "kinds", role: "group", "aria-label": "Kinds of messages"});

  /** A question that makes sense of this run. */
  private example(): string {
    const data = this.data;
    const names = data.head.kinds.filter((_, kind) => (data.kindCounts[kind] ?? 0) > 0).map(visible);
    const [first, second] = [names[0] ?? "deliveries", names[1] ?? names[0] ?? "deliveries"];
    return `for instance: ${second} from 1 to 0, lost ${first}, decisions of node 2 not preceded by ${second} from 0`;
  }

  /** Where a person who has just arrived may begin. */
  private beginnings(): [string, () => void][] {
    const data = this.data;
    const list: [string, () => void][] = [];
    if (data.head.violations.length > 0) list.push(["Where it fails", () => this.toViolation()]);
    const fault = data.spans.find((span) => span.kind !== "phase");
    if (fault) list.push(["The first fault", () => this.toTime(fault.from)]);
    for (let i = 0; i < data.count; ++i) {
      if (!data.is(i, "decide")) continue;
      list.push(["The first decision", () => { this.toTime(data.time[i]!); this.select(i); }]);
      break;
    }
    return list;
  }

  private toTime(time: number): void {
    const width = Math.min(this.diagram.until - this.diagram.from, this.data.end / 5);
    this.diagram.show(time - width * 0.2, time + width * 0.8);
  }

  private tools(): HTMLElement {
    const form = h("form", {class: "search", role: "search", onsubmit: (event: Event) => { event.preventDefault(); void this.find(); }},
      this.search, h("button", {type: "submit"}, "Find"),
      h("button", {type: "button", onclick: () => this.step(-1), "aria-label": "Previous hit"}, "‹"),
      h("button", {type: "button", onclick: () => this.step(1), "aria-label": "Next hit"}, "›"), this.said);
    this.diagram.dim = readState()["dim"] !== "off";
    const dim = h("input", {type: "checkbox", id: "dim", checked: this.diagram.dim, onchange: () => { this.diagram.dim = dim.checked; refine({dim: dim.checked ? "" : "off"}); this.diagram.draw(); }});
    return h("div", {class: "tools"}, form, h("div", {class: "zoom", role: "group", "aria-label": "Zoom"},
      h("button", {type: "button", onclick: () => this.diagram.zoom(0.6), "aria-label": "Zoom in"}, "+"),
      h("button", {type: "button", onclick: () => this.diagram.zoom(1.6), "aria-label": "Zoom out"}, "−"),
      h("button", {type: "button", onclick: () => this.diagram.show(0, this.data.end * 1.02)}, "All"),
      this.data.head.violations.length > 0 && h("button", {type: "button", onclick: () => this.toViolation()}, "Violation"),
      h("label", {for: "dim", title: "While an event is selected: pale is what could neither have led to it nor come of it"}, dim, " dim what is unrelated")));
  }

  private drawKinds(): void {
    replace(this.kinds, kindButtons(this.data, this.diagram.hidden, (kind) => this.toggle(kind), (kind) => this.only(kind)));
  }

  private toggle(kind: number): void {
    if (!this.diagram.hidden.delete(kind)) this.diagram.hidden.add(kind);
    this.kindsChanged();
  }
  private only(kind: number): void {
    this.data.head.kinds.forEach((_, other) => { if (other !== kind) this.diagram.hidden.add(other); });
    this.diagram.hidden.delete(kind);
    this.kindsChanged();
  }
  private kindsChanged(): void {
    refine({hide: [...this.diagram.hidden].join(",")});
    this.drawKinds();
    this.diagram.draw();
  }

  private select(record: number): void {
    if (!(record < this.data.count)) return;
    this.diagram.select(record);
    this.log.show(record);
    void this.inspector.show(record);
    refine({at: record >= 0 ? String(record) : ""});
  }

  private toViolation(): void {
    const violation = this.data.head.violations[0];
    if (!violation) return;
    const width = Math.min(this.diagram.until - this.diagram.from, Math.max(this.data.end / 10, 1000));
    this.diagram.show(violation.time_us - width * 0.9, violation.time_us + width * 0.1);
    if (violation.record !== null) this.select(violation.record);
  }

  private moved(from: number, until: number): void {
    clearTimeout(this.moving);
    this.moving = window.setTimeout(() => {
      refine({from: String(Math.round(from)), until: String(Math.round(until))});
      this.log.follow(from, until);
    }, 150);
  }

  /** Enter: the first hit; once more: the next one. */
  private async find(): Promise<void> {
    if (this.search.value !== this.asked) await this.ask(this.search.value);
    this.step(1);
  }

  private async ask(question: string): Promise<void> {
    refine({q: question});
    this.asked = question;
    this.hits = [];
    if (question.trim() === "") {
      this.diagram.hits = new Int32Array(0);
      this.said.textContent = "";
      this.diagram.draw();
      return;
    }
    try {
      const answer = await get<{understood: string; records: number[]; trouble: string | null}>(`runs/${this.run}/search?q=${encodeURIComponent(question)}`);
      this.hits = answer.records;
      this.hit = -1;
      this.diagram.hits = Int32Array.from(answer.records);
      this.understood = visible(answer.understood);
      this.said.textContent = answer.trouble !== null ? visible(answer.trouble)
        : `${count(answer.records.length)} found: ${this.understood}`;
      this.said.classList.toggle("trouble", answer.trouble !== null);
      this.diagram.draw();
    } catch (error) {
      this.said.textContent = visible((error as Error).message);
      this.said.classList.add("trouble");
    }
  }

  private step(by: number): void {
    if (this.hits.length === 0) return;
    const from = this.hit < 0 && by < 0 ? 0 : this.hit;  // back from before the first one is the last one
    this.hit = (from + by + this.hits.length) % this.hits.length;
    this.said.textContent = `${count(this.hit + 1)} of ${count(this.hits.length)} found: ${this.understood}`;
    this.select(this.hits[this.hit]!);
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target.closest("input, select, textarea, canvas, .lines")) return;
    if (event.key === "/") { event.preventDefault(); this.search.focus(); }
    else if (event.key === "n") this.step(1);
    else if (event.key === "N") this.step(-1);
    else if (["ArrowLeft", "ArrowRight", "+", "-", "0", "c", "e", "v", "Escape"].includes(event.key)) this.diagram.onKey(event);
  }
}
