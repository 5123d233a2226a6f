// One event in full: its message, its causes and effects, its node before and after.
import {get, type Brief, type EventDetail, type Field, type StateLine} from "./api";
import {brief, busy, count, failure, h, replace, seconds, visible, type Child} from "./dom";
import type {RunData} from "./run_data";

export class Inspector {
  readonly element: HTMLElement;
  detail: EventDetail | null = null;
  private readonly body: HTMLElement;
  private wanted = -1;

  constructor(private readonly data: RunData, private readonly run: number, private readonly select: (record: number) => void,
              private readonly more: (detail: EventDetail) => Child, private readonly beginnings: [string, () => void][]) {
    this.body = h("div", {class: "inspected"});
    this.element = h("section", {class: "inspector", "aria-label": "Selected event"}, this.body);
    void this.show(-1);
  }

  async show(record: number): Promise<void> {
    this.wanted = record;
    if (record < 0) {
      this.detail = null;
      replace(this.body, h("h2", {}, "Event"), h("p", {class: "faint"}, "Click an event or a message, or press the arrow keys: what led to it, what came of it and its node before and after appear here. From there the run can go on differently."),
        this.beginnings.length > 0 && h("p", {class: "beginnings"}, h("span", {class: "faint"}, "To begin with: "), ...this.beginnings.map(([text, go]) => h("button", {type: "button", onclick: go}, text))));
      return;
    }
    replace(this.body, h("h2", {}, "Event ", this.data.id[record]!), h("p", {}, this.data.describe(record)), busy("asking…"));
    try {
      const detail = await get<EventDetail>(`runs/${this.run}/events/${record}`);
      if (this.wanted !== record) return;
      this.detail = detail;
      this.draw(detail);
    } catch (error) {
      if (this.wanted === record) replace(this.body, h("h2", {}, "Event"), failure(String((error as Error).message)));
    }
  }

  private draw(detail: EventDetail): void {
    const state = detail.node_state;
    replace(this.body,
      h("h2", {}, `Event ${detail.id}`, h("span", {class: "faint"}, ` ${seconds(detail.time_us)}`)),
      h("p", {class: "sentence", "aria-live": "polite"}, this.data.describe(detail.record)),
      this.data.head.violations.filter((violation) => violation.record === detail.record).map((violation) =>
        h("p", {class: "violation"}, "✗ Here it shows: ", brief(violation.text))),
      detail.long_text && h("pre", {class: "text"}, visible(detail.long_text)),
      detail.fields.length > 0 && this.fields(detail),
      this.more(detail),
      h("details", {open: true}, h("summary", {}, `Because of (${count(detail.causes.length + detail.causes_left_out)})`), this.list(detail.causes, "nothing: it began by itself"),
        detail.causes_left_out > 0 && h("p", {class: "faint"}, `and ${count(detail.causes_left_out)} before these`)),
      h("details", {open: detail.effects.length < 12}, h("summary", {},
        `It led to (${count(detail.effects.length + detail.effects_left_out)})`), this.list(detail.effects, "nothing more"),
        detail.effects_left_out > 0 && h("p", {class: "faint"}, `and ${detail.effects_left_out} more`)),
      state && h("details", {open: true}, h("summary", {}, `Node ${state.node} before and after`),
        state.own && this.state(state.own, "its own state"),
        this.state(state.reported, state.own ? "what it reported" : "")));
  }

  private fields(detail: EventDetail): HTMLElement {
    const sent = new Map((detail.fields_as_sent ?? []).map((field: Field) => [field.name, field.value]));
    const said = detail.kind === null ? "Request" : `${detail.kind}${detail.fields_as_sent ? ", changed on the way" : ""}`;
    return h("table", {class: "fields"}, h("caption", {}, visible(said)), ...detail.fields.map((field) => {
      const before = sent.get(field.name);
      const changed = before !== undefined && before !== field.value;
      return h("tr", {class: changed ? "changed" : ""}, h("th", {scope: "row"}, visible(field.name)),
        h("td", {}, changed && h("del", {}, visible(before)), changed && " → ", visible(field.value)));
    }));
  }

  private list(events: Brief[], none: string): HTMLElement {
    if (events.length === 0) return h("p", {class: "faint"}, none);
    // A timer that sets itself again is one line, not sixty.
    const groups: Brief[][] = [];
    for (const event of events) {
      const last = groups[groups.length - 1];
      if (last && this.data.describe(last[0]!.record) === this.data.describe(event.record)) last.push(event);
      else groups.push([event]);
    }
    return h("ol", {class: "events"}, ...groups.map((group) => {
      const [first, last] = [group[0]!, group[group.length - 1]!];
      return h("li", {}, h("button", {type: "button", class: "quiet", onclick: () => this.select(first.record)}, h("span", {class: "when"}, seconds(first.time_us)), " ", this.data.describe(first.record)),
        group.length > 1 && [h("span", {class: "faint"}, ` and ${group.length - 1} more like it, to `), h("button", {type: "button", class: "quiet", onclick: () => this.select(last.record)}, seconds(last.time_us))]);
    }));
  }

  private state(lines: StateLine[], caption: string): HTMLElement {
    const changed = lines.filter((line) => line.before !== line.after);
    const same = lines.filter((line) => line.before === line.after);
    const row = (line: StateLine): HTMLElement => line.before === line.after
      ? h("tr", {}, h("th", {scope: "row"}, visible(line.name)), h("td", {}, visible(line.after ?? "")))
      : h("tr", {class: "changed"}, h("th", {scope: "row"}, visible(line.name)),
        h("td", {}, line.before !== null && h("del", {}, visible(line.before)), line.before !== null && line.after !== null ? " → " : "", line.after !== null && h("ins", {}, visible(line.after))));
    return h("div", {},
      h("table", {class: "fields"}, caption !== "" && h("caption", {}, caption),
        changed.length === 0 && h("tr", {}, h("td", {colspan: 2, class: "faint"}, "nothing changed")), ...changed.map(row)),
      same.length > 0 && h("details", {}, h("summary", {}, `${same.length} unchanged`), h("table", {class: "fields"}, ...same.map(row))));
  }
}
