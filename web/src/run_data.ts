// The events of a run as typed arrays, and what the diagram asks of them again and again.
import type {Columns, RunHead} from "./api";
import {visible} from "./dom";

/** A stretch of time: of one node (node >= 0) or of all. */
export interface Span { from: number; until: number; node: number; text: string; kind: "down" | "fault" | "phase"; phase: number; }

export class RunData {
  readonly count: number;
  readonly id: Float64Array;
  readonly time: Float64Array;  // microseconds
  readonly type: Uint8Array;
  readonly node: Int16Array;
  readonly peer: Int16Array;
  readonly kind: Int16Array;
  readonly cause: Int32Array;  // -1: none
  readonly previous: Int32Array;  // the event before it at its node; -1: none
  readonly round: Uint32Array;
  readonly variant: Uint8Array;
  readonly disputed: Uint8Array;
  readonly label: Int32Array;
  readonly labels: string[];
  spans: Span[] = [];
  /** Messages that ended: records of deliveries and losses, in their order. */
  readonly ends: Int32Array;
  /** What is drawn at a node's line. */
  readonly marks: Int32Array;
  /** Where a node enters a round. */
  readonly rounds: Int32Array;
  readonly logs: Int32Array;
  readonly kindCounts: number[];
  readonly end: number;
  /** When the scenario's faults end: from then on nothing can be done to the run. */
  faultsEnd = Infinity;
  readonly types: Record<string, number> = {};
  private readonly byNode: Int32Array[] = [];

  constructor(readonly head: RunHead, columns: Columns) {
    const n = this.count = columns.count;
    head.event_types.forEach((name, index) => { this.types[name] = index; });
    this.id = sums(columns.id);
    this.time = sums(columns.time_us);
    this.type = Uint8Array.from(columns.type);
    this.node = Int16Array.from(columns.node);
    this.peer = Int16Array.from(columns.peer);
    this.kind = Int16Array.from(columns.kind);
    this.cause = Int32Array.from(columns.cause, (distance, index) => distance === 0 ? -1 : index - distance);
    this.round = Uint32Array.from(columns.round);
    this.variant = Uint8Array.from(columns.variant, (value) => value & 255);
    this.disputed = Uint8Array.from(columns.variant, (value) => value >> 8);
    this.label = Int32Array.from(columns.label);
    this.labels = columns.labels;
    this.previous = new Int32Array(n).fill(-1);
    this.end = Math.max(1, n > 0 ? this.time[n - 1]! : 1);
    this.kindCounts = head.kinds.map(() => 0);
    const ends: number[] = [];
    const marks: number[] = [];
    const rounds: number[] = [];
    const logs: number[] = [];
    const last = new Int32Array(head.nodes).fill(-1);
    const events: number[][] = Array.from({length: head.nodes}, () => []);
    const t = this.types;
    const drawn = new Set(["decide", "propose", "submit", "timer", "crash", "broken", "restart", "mutate"].map((name) => t[name]));
    const lost = new Set([t["drop"], t["duplicate"], t["mutate"]]);
    for (let i = 0; i < n; ++i) {
      const type = this.type[i]!;
      const node = this.node[i]!;
      if (type === t["phase_end"] && this.faultsEnd === Infinity) this.faultsEnd = this.time[i]!;
      if (type === t["send"]) this.kindCounts[this.kind[i]!]! += 1;
      if (type === t["deliver"] || type === t["drop"]) ends.push(i);
      else if (type === t["log"]) logs.push(i);
      else if (drawn.has(type)) marks.push(i);
      else if (type === t["round"] && node >= 0 && node < head.nodes) rounds.push(i);
      if (node < 0 || node >= head.nodes) continue;
      this.previous[i] = last[node]!;
      if (!lost.has(type)) {
        last[node] = i;
        if (type !== t["log"]) events[node]!.push(i);
      }
    }
    this.ends = Int32Array.from(ends);
    this.marks = Int32Array.from(marks);
    this.rounds = Int32Array.from(rounds);
    this.logs = Int32Array.from(logs);
    this.byNode = events.map((list) => Int32Array.from(list));
    this.collectSpans(columns.phase, new Map(columns.endings));
  }

  is(record: number, type: string): boolean { return this.type[record] === this.types[type]; }
  typeName(record: number): string { return this.head.event_types[this.type[record]!] ?? "?"; }
  labelOf(record: number): string { return this.labels[this.label[record]!] ?? ""; }

  kindName(record: number): string { return visible(this.head.kinds[this.kind[record]!] ?? ""); }

  /** A line for people. */
  describe(record: number): string {
    const type = this.typeName(record);
    const kind = this.kindName(record);
    const node = this.node[record]!;
    const at = node >= 0 ? `node ${node}` : "network";
    switch (type) {
      case "send": return `${at} sends ${kind} to node ${this.peer[record]}`;
      case "deliver": return `${at} receives ${kind} from node ${this.peer[record]}`;
      case "drop": return `${kind} from ${at} to node ${this.peer[record]} is lost`;
      case "duplicate": return `${kind} from ${at} to node ${this.peer[record]} is doubled`;
      case "timer": return `${at}: timer`;
      case "start": return `${at} starts`;
      case "log": return `${at} says`;
      default: return `${at}: ${visible(this.labelOf(record) || type)}`;
    }
  }

  /** The first record at this time or later. */
  firstAt(time: number): number { return lowerBound(this.time, time); }
  /** Position in a list of records of the first that is not before `record`. */
  static place(list: Int32Array, record: number): number { return lowerBound(list, record); }

  /** By node: the round it is in before this position of `rounds`; -1: none yet. */
  roundsBefore(place: number): Float64Array {
    const result = new Float64Array(this.head.nodes).fill(-1);
    let missing = this.head.nodes;
    for (let at = Math.min(place, this.rounds.length) - 1; at >= 0 && missing > 0; --at) {
      const record = this.rounds[at]!;
      const node = this.node[record]!;
      if (result[node]! >= 0) continue;
      result[node] = this.round[record]!;
      missing -= 1;
    }
    return result;
  }

  /** The event at a node that is nearest in time. */
  nearestAt(node: number, time: number): number {
    const list = this.byNode[node];
    if (!list || list.length === 0) return -1;
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[list[middle]!]! < time) low = middle + 1; else high = middle;
    }
    const after = list[Math.min(low, list.length - 1)]!;
    const before = list[Math.max(0, low - 1)]!;
    return Math.abs(this.time[after]! - time) < Math.abs(this.time[before]! - time) ? after : before;
  }

  /** The last event at a node before a time; -1: none. */
  nearestBefore(node: number, time: number): number {
    const list = this.byNode[node] ?? new Int32Array(0);
    const place = lowerBound(list, this.firstAt(time));
    return place > 0 ? list[place - 1]! : -1;
  }

  neighbour(record: number, step: number): number {
    const list = this.byNode[this.node[record]!];
    if (!list) return Math.min(this.count - 1, Math.max(0, record + step));
    let place = lowerBound(list, record);
    if (list[place] !== record && step > 0) place -= 1;
    return list[Math.min(list.length - 1, Math.max(0, place + step))] ?? record;
  }

  /** 1: could have led to it, 2: it could have led to that, 4: on the chain of recorded causes, 8: came of it. */
  cones(record: number): Uint8Array {
    const marks = new Uint8Array(this.count);
    marks[record] = 1 | 2 | 4 | 8;
    for (let i = record; i >= 0; --i) {
      if ((marks[i]! & 1) === 0) continue;
      const cause = this.cause[i]!;
      const previous = this.previous[i]!;
      if (cause >= 0) marks[cause]! |= 1;
      if (previous >= 0) marks[previous]! |= 1;
    }
    for (let i = this.cause[record]!; i >= 0; i = this.cause[i]!) marks[i]! |= 4;
    for (let i = record + 1; i < this.count; ++i) {
      const cause = this.cause[i]!;
      const previous = this.previous[i]!;
      if (cause >= 0) marks[i]! |= marks[cause]! & (2 | 8);
      if (previous >= 0) marks[i]! |= marks[previous]! & 2;
    }
    marks[record] = 1 | 2 | 4 | 8;
    return marks;
  }

  private collectSpans(phase: number[], endings: Map<number, number>): void {
    const t = this.types;
    const down = new Map<number, number>();
    const phases = new Map<number, {from: number; phase: number}>();
    const closePhase = (node: number, time: number): void => {
      const last = phases.get(node);
      if (last && time > last.from) {
        this.spans.push({from: last.from, until: time, node, text: this.head.phases[last.phase] ?? "", kind: "phase", phase: last.phase});
      }
    };
    for (let i = 0; i < this.count; ++i) {
      const type = this.type[i]!;
      const time = this.time[i]!;
      const node = this.node[i]!;
      if (type === t["phase"]) {
        closePhase(node, time);
        phases.set(node, {from: time, phase: phase[i]!});
      } else if (type === t["crash"]) {
        down.set(node, time);
      } else if (type === t["restart"]) {
        this.spans.push({from: down.get(node) ?? 0, until: time, node, text: "down", kind: "down", phase: 0});
        down.delete(node);
      } else if (type === t["partition"] || type === t["fault"]) {
        const end = endings.get(i);
        this.spans.push({from: time, until: end === undefined ? this.end : this.time[end]!, node, text: this.labelOf(i), kind: "fault", phase: 0});
      }
    }
    for (const [node, from] of down) this.spans.push({from, until: this.end, node, text: "down", kind: "down", phase: 0});
    for (const node of phases.keys()) closePhase(node, this.end);
    // One phase from beginning to end says nothing.
    if (new Set(this.spans.filter((span) => span.kind === "phase").map((span) => span.phase)).size <= 1) this.spans = this.spans.filter((span) => span.kind !== "phase");
  }
}

function sums(differences: number[]): Float64Array {
  const result = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < differences.length; ++i) result[i] = sum += differences[i]!;
  return result;
}

function lowerBound(list: Float64Array | Int32Array, value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < value) low = middle + 1; else high = middle;
  }
  return low;
}
