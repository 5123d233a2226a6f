// What colours and marks mean: below every diagram, and only what the run has.
import {theme} from "./colours";
import {count, h, visible, type Child} from "./dom";
import type {RunData} from "./run_data";

/** Kinds beyond the eighth are dashed. */
function swatch(colour: string, dashed: boolean): string {
  return dashed ? `background:repeating-linear-gradient(90deg, ${colour} 0 4px, transparent 4px 6px)` : `background:${colour}`;
}

/** Kinds of messages with their colours; each a button that shows or hides them. */
export function kindButtons(data: RunData, hidden: Set<number>, toggle: (kind: number) => void, only: (kind: number) => void): Child[] {
  const colours = theme();
  return [h("span", {class: "faint"}, "messages"), ...data.head.kinds.map((name, kind) => (data.kindCounts[kind] ?? 0) > 0 &&
    h("button", {type: "button", class: "kind", "aria-pressed": String(!hidden.has(kind)), title: "Show or hide; with Shift, or twice: only this kind", onclick: (event: MouseEvent) => { if (event.shiftKey || event.detail > 1) only(kind); else toggle(kind); }},
      h("span", {class: "swatch", style: swatch(colours.kind(kind), colours.dash(kind).length > 0)}), visible(name), h("span", {class: "faint"}, ` ${count(data.kindCounts[kind]!)}`)))];
}

/** Marks, bands and phases. */
export function marksOf(data: RunData): HTMLElement {
  const colours = theme();
  const seen = new Set<string>();
  for (let i = 0; i < data.count; ++i) seen.add(data.typeName(i));
  const disputed = data.disputed.some((value) => value !== 0);
  const phases = [...new Set(data.spans.filter((span) => span.kind === "phase").map((span) => span.phase))].sort((a, b) => a - b);
  const has = (kind: string): boolean => data.spans.some((span) => span.kind === kind);
  const mark = (sign: string, colour: string, words: string): HTMLElement => h("li", {}, h("b", {style: `color:${colour}`, "aria-hidden": "true"}, sign), ` ${words}`);
  const box = (style: string, words: string): HTMLElement => h("li", {}, h("span", {class: "swatch", style}), words);
  return h("ul", {class: "legend", "aria-label": "What the marks mean"},
    seen.has("decide") && mark("◆", colours.good, "decides"),
    disputed && [mark("◆", colours.bad, "decides what another one contradicts:"), mark("◇", colours.bad, "that one")],
    seen.has("propose") && mark("○", colours.faint, "proposes"), seen.has("submit") && mark("▼", colours.accent, "request of a client"),
    seen.has("timer") && mark("|", colours.faint, "timer"), seen.has("drop") && mark("×", colours.ink, "message lost"),
    seen.has("mutate") && mark("▼", colours.bad, "lie"), (seen.has("crash") || seen.has("broken")) && mark("✗", colours.bad, "crash"),
    seen.has("restart") && mark("▼", colours.good, "restart"), data.head.violations.length > 0 && mark("◯", colours.bad, "where it fails"),
    has("fault") && box(`background:${colours.band};outline:1px solid ${colours.bad}`, "fault"),
    has("down") && box(`background:repeating-linear-gradient(45deg, ${colours.faint} 0 1px, transparent 1px 4px)`, "down"),
    data.rounds.length > 0 && box(`background:linear-gradient(90deg, ${colours.rounds[0]} 50%, ${colours.rounds[1]} 50%);outline:1px solid ${colours.line}`, "rounds"),
    phases.length > 0 && [h("li", {class: "faint"}, "phase, below each node:"), ...phases.map((phase) => box(`background:${colours.phase(phase)}`, visible(data.head.phases[phase] ?? String(phase))))]);
}
