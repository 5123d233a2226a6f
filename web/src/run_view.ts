// A run: what it is, the diagram, the log beside it, and the event that was chosen.
import {get, type Columns, type RunHead} from "./api";
import {branchPanel} from "./branch";
import {theme} from "./colours";
import {Diagram} from "./diagram";
import {busy, command, count, failure, h, replace, seconds, visible} from "./dom";
import {Inspector} from "./inspector";
import {Log} from "./log";
import {RunData} from "./run_data";
import {link, refine, type State} from "./state";

export interface View { close(): void; }

export async function loadRun(run: number): Promise<RunData> {
  const [head, columns] = await Promise.all([get<RunHead>(`runs/${run}`), get<Columns>(`runs/${run}/events`)]);
  return new RunData(head, columns);
}

export function verdictLine(head: RunHead): HTMLElement {
  const first = head.violations[0];
  const word = head.outcome === "fail" ? "✗ fails" : head.outcome === "pass" ? "✓ passes" : "? unknown";
  return h("p", {class: `verdict ${head.outcome}`}, h("strong", {}, word), first ? `: ${visible(first.text)}` : "",
    head.violations.length > 1 && h("span", {class: "faint"}, ` (and ${head.violations.length - 1 + head.violations_left_out} more)`));
}

/** Kinds beyond the eighth are dashed. */
function swatch(colour: string, dashed: boolean): string {
  return dashed ? `background:repeating-linear-gradient(90deg, ${colour} 0 4px, transparent 4px 6px)` : `background:${colour}`;
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
  private readonly keys: (event: KeyboardEvent) => void;
  private moving = 0;

  constructor(place: HTMLElement, private readonly run: number, private readonly data: RunData, state: State) {
    const head = data.head;
    document.title = `${head.scenario}, ${head.outcome} – Dissensus`;
    const select = (record: number): void => this.select(record);
    this.diagram = new Diagram(data, {select, moved: (from, until) => this.moved(from, until)}, `Space-time diagram of ${head.scenario}`);
    this.log = new Log(data, run, select);
    this.inspector = new Inspector(data, run, select, (detail) => branchPanel(data, run, detail));
    this.said = h("span", {class: "said", role: "status"});
    this.search = h("input", {type: "search", name: "q", value: state["q"] ?? "", "aria-label": "Search events",
      placeholder: "proposals of node 3 for round 7 not preceded by …"});
    replace(place, h("div", {class: "run"}, this.summary(), this.tools(), h("div", {class: "columns"},
      h("div", {class: "main"}, this.diagram.element, this.log.element), this.inspector.element)));
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
      h("details", {}, h("summary", {}, "Schedule, properties and how to replay it"),
        h("ul", {}, ...head.schedule.map((line) => h("li", {}, visible(line)))),
        h("ul", {}, ...head.properties.map((property) => h("li", {}, h("b", {}, visible(property.property)), `: ${property.outcome}`,
          property.reason && ` – ${visible(property.reason)}`))),
        head.replay !== null ? command(head.replay) : h("p", {class: "faint"}, "This run is in memory alone.")));
  }

  private readonly kinds = h("div", {class: "kinds", role: "group", "aria-label": "Kinds of messages"});

  private tools(): HTMLElement {
    const form = h("form", {class: "search", role: "search", onsubmit: (event: Event) => { event.preventDefault(); void this.ask(this.search.value); }},
      this.search, h("button", {type: "submit"}, "Find"),
      h("button", {type: "button", onclick: () => this.step(-1), "aria-label": "Previous hit"}, "‹"),
      h("button", {type: "button", onclick: () => this.step(1), "aria-label": "Next hit"}, "›"), this.said);
    const dim = h("input", {type: "checkbox", id: "dim", checked: true, onchange: () => { this.diagram.dim = dim.checked; this.diagram.draw(); }});
    return h("div", {class: "tools"}, form, this.kinds, h("div", {class: "zoom", role: "group", "aria-label": "Zoom"},
      h("button", {type: "button", onclick: () => this.diagram.zoom(0.6), "aria-label": "Zoom in"}, "+"),
      h("button", {type: "button", onclick: () => this.diagram.zoom(1.6), "aria-label": "Zoom out"}, "−"),
      h("button", {type: "button", onclick: () => this.diagram.show(0, this.data.end * 1.02)}, "All"),
      this.data.head.violations.length > 0 && h("button", {type: "button", onclick: () => this.toViolation()}, "Violation"),
      h("label", {for: "dim"}, dim, " dim what is unrelated")));
  }

  private drawKinds(): void {
    const colours = theme();
    replace(this.kinds, ...this.data.head.kinds.map((name, kind) => {
      if ((this.data.kindCounts[kind] ?? 0) === 0) return null;
      const shown = !this.diagram.hidden.has(kind);
      return h("button", {type: "button", class: "kind", "aria-pressed": String(shown), title: "Show or hide; double click: only this kind",
        onclick: () => this.toggle(kind), ondblclick: () => this.only(kind)},
        h("span", {class: "swatch", style: swatch(colours.kind(kind), colours.dash(kind).length > 0)}), visible(name), h("span", {class: "faint"}, ` ${count(this.data.kindCounts[kind]!)}`));
    }));
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
    this.diagram.show(violation.time_us - width * 0.7, violation.time_us + width * 0.3);
    if (violation.record !== null) this.select(violation.record);
  }

  private moved(from: number, until: number): void {
    clearTimeout(this.moving);
    this.moving = window.setTimeout(() => refine({from: String(Math.round(from)), until: String(Math.round(until))}), 150);
  }

  private async ask(question: string): Promise<void> {
    refine({q: question});
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
      this.said.textContent = answer.trouble !== null ? visible(answer.trouble)
        : `${count(answer.records.length)} found: ${visible(answer.understood)}`;
      this.said.classList.toggle("trouble", answer.trouble !== null);
      this.diagram.draw();
    } catch (error) {
      this.said.textContent = visible((error as Error).message);
      this.said.classList.add("trouble");
    }
  }

  private step(by: number): void {
    if (this.hits.length === 0) return;
    this.hit = (this.hit + by + this.hits.length) % this.hits.length;
    if (this.hit < 0) this.hit = 0;
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
