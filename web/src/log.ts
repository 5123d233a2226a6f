// The lines of a run, of which only those in sight exist as elements; their texts are fetched a page at a time.
import {get} from "./api";
import {clock, h, visible} from "./dom";
import {RunData} from "./run_data";
import {refine} from "./state";

const kRow = 20;
const kPage = 200;

export class Log {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly sheet: HTMLElement;
  private readonly texts = new Map<number, string>();
  private readonly asked = new Set<number>();
  private records: Int32Array = new Int32Array(0);
  private selected = -1;
  private readonly choice: HTMLSelectElement;

  /** `look`: which line the pointer is on (-1: none), and which stretch of time the lines in sight are of. */
  constructor(private readonly data: RunData, private readonly run: number, private readonly select: (record: number) => void,
              private readonly look: (pointed: number, reading: [number, number] | null) => void, which: string) {
    this.sheet = h("div", {class: "sheet"});
    this.scroller = h("div", {class: "lines", tabindex: 0, role: "log", "aria-label": "Log; up and down go from line to line", onkeydown: (event: KeyboardEvent) => this.onKey(event), onscroll: () => this.scrolled(), onpointerleave: () => this.look(-1, this.reading())}, this.sheet);
    const choices: [string, string][] = [["log", "what nodes say and report"], ["all", "every event"], ["only", "log lines alone"]];
    this.choice = h("select", {"aria-label": "Which lines", onchange: () => { refine({log: this.choice.value === "log" ? "" : this.choice.value}); this.choose(this.choice.value); }},
      ...choices.map(([value, words]) => h("option", {value, selected: value === which}, words)));
    this.element = h("section", {class: "log", "aria-label": "Log"}, h("header", {}, h("h2", {}, "Log"), this.choice,
      h("span", {class: "faint"}, "in step with the diagram, whose lower edge shows where these lines are")), this.scroller);
    this.choose(this.choice.value);
  }

  private choose(which: string): void {
    const data = this.data;
    const quiet = new Set(["send", "deliver", "timer", "drop", "duplicate", "start", "disk"].map((name) => data.types[name]));
    const list: number[] = [];
    for (let i = 0; i < data.count; ++i) {
      if (which === "all" || (which === "only" ? data.is(i, "log") : !quiet.has(data.type[i]))) list.push(i);
    }
    this.records = Int32Array.from(list);
    this.sheet.style.height = `${Math.min(list.length * kRow, 8e6)}px`;
    this.show(this.selected);
  }

  /** The diagram has moved: the log goes to the same time, unless what is selected is in sight. */
  follow(from: number, until: number): void {
    const chosen = this.selected >= 0 ? this.data.time[this.selected]! : -1;
    if (chosen >= from && chosen <= until) return;
    const reading = this.reading();
    if (reading && reading[0] >= from && reading[1] <= until) return;
    this.scroller.scrollTop = RunData.place(this.records, this.data.firstAt(from)) * kRow;
    this.draw();
  }

  private onKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || this.records.length === 0) return;
    event.preventDefault();
    const first = Math.ceil(this.scroller.scrollTop / kRow);
    let place = this.selected < 0 ? first : RunData.place(this.records, this.selected);
    if (this.selected >= 0 && (step < 0 || this.records[place] === this.selected)) place += step;
    this.select(this.records[Math.min(this.records.length - 1, Math.max(0, place))]!);
  }

  private scrolled(): void {
    this.draw();
    this.look(-1, this.reading());
  }

  private reading(): [number, number] | null {
    const first = Math.ceil(this.scroller.scrollTop / kRow);
    const last = Math.min(this.records.length - 1, first + Math.floor(this.scroller.clientHeight / kRow) - 1);
    return last < first ? null : [this.data.time[this.records[first]!]!, this.data.time[this.records[last]!]!];
  }

  /** Brings the lines around an event into sight. */
  show(record: number): void {
    this.selected = record;
    if (record >= 0) {
      const top = RunData.place(this.records, record) * kRow;
      const height = this.scroller.clientHeight;
      if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height - 2 * kRow) {
        this.scroller.scrollTop = Math.max(0, top - height / 2);
      }
    }
    this.draw();
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / kRow) - 5);
    const last = Math.min(this.records.length, first + Math.ceil(this.scroller.clientHeight / kRow) + 12);
    this.fetchFor(first, last);
    const rows: HTMLElement[] = [];
    for (let place = first; place < last; ++place) rows.push(this.row(place));
    this.sheet.replaceChildren(...rows);
  }

  private row(place: number): HTMLElement {
    const record = this.records[place]!;
    const node = this.data.node[record]!;
    const text = this.texts.get(record);
    return h("div", {
      class: `line type-${this.data.typeName(record)}${record === this.selected ? " chosen" : ""}${this.data.disputed[record] ? " disputed" : ""}`,
      style: `top:${place * kRow}px`, onclick: () => this.select(record), onpointerenter: () => this.look(record, this.reading()),
    }, h("span", {class: "when"}, clock(this.data.time[record]!, this.data.end)), h("span", {class: "who"}, node >= 0 ? `n${node}` : ""),
      h("span", {class: "what"}, text === undefined ? this.data.describe(record) : visible(text)));
  }

  private fetchFor(first: number, last: number): void {
    for (let page = Math.floor(first / kPage); page * kPage < last; ++page) {
      const wanted: number[] = [];
      for (let place = page * kPage; place < Math.min((page + 1) * kPage, this.records.length); ++place) {
        const record = this.records[place]!;
        if (!this.asked.has(record)) { wanted.push(record); this.asked.add(record); }
      }
      if (wanted.length === 0) continue;
      get<{lines: string[]}>(`runs/${this.run}/lines?at=${wanted.join(",")}`).then((answer) => {
        answer.lines.forEach((line, index) => this.texts.set(wanted[index]!, line));
        this.draw();
      }, () => { /* the line says what the columns know */ });
    }
  }
}
