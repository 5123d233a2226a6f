// The space-time diagram on a canvas: nodes are lines, messages go from one to the other, time runs to the right. An overview
// above shows where the detail is. Draws what is visible and no more; of too many messages an even part, and says so.
import {theme, type Theme} from "./colours";
import {h, seconds} from "./dom";
import type {RunData} from "./run_data";

export interface DiagramEvents {
  select(record: number): void;
  moved(from: number, until: number): void;
}

const kMessagesMax = 1600;
const kLeft = 64;
const kNodeLine = 46;
const kLabel = 12;
const kBottom = 22;

export class Diagram {
  readonly element: HTMLElement;
  from = 0;
  until = 1;
  selected = -1;
  hidden = new Set<number>();
  hits: Int32Array = new Int32Array(0);
  /** Records that stand out, of a comparison; others are pale. */
  standout: Uint8Array | null = null;
  first = -1;
  dim = true;
  /** A log line that the pointer is on; and what the log shows, from and until. */
  pointed = -1;
  reading: [number, number] | null = null;
  private cones: Uint8Array | null = null;
  /** Room above the first node: a row for each sort of label that there is. */
  private top = 20;
  private readonly canvas: HTMLCanvasElement;
  private readonly overview: HTMLCanvasElement;
  private readonly note: HTMLElement;
  private readonly tip: HTMLElement;
  private readonly resize: ResizeObserver;
  private pending = false;
  private density: {width: number; bars: Float32Array} | null = null;
  private still: {key: string; hits: Int32Array; image: HTMLCanvasElement} | null = null;
  private theme: Theme = theme();
  frames = 0;

  constructor(readonly data: RunData, private readonly events: DiagramEvents, label: string) {
    this.until = data.end * 1.02;
    this.canvas = h("canvas", {class: "detail", tabindex: 0, role: "application", "aria-label":
      `${label}. Arrow keys go from event to event, plus and minus zoom, page up and page down move.`});
    this.overview = h("canvas", {class: "overview", "aria-hidden": "true"});
    this.note = h("p", {class: "note"});
    this.tip = h("div", {class: "tip", hidden: true});
    this.element = h("div", {class: "diagram"}, this.overview, h("div", {class: "stage"}, this.canvas, this.tip), this.note);
    this.resize = new ResizeObserver(() => { this.density = null; this.draw(); });
    this.resize.observe(this.element);
    this.listen();
  }

  close(): void { this.resize.disconnect(); }

  show(from: number, until: number): void {
    const least = Math.min(20, this.data.end);
    let width = Math.max(least, until - from);
    width = Math.min(width, this.data.end * 1.04);
    from = Math.min(Math.max(from, -this.data.end * 0.01), this.data.end * 1.03 - width);
    this.from = from;
    this.until = from + width;
    this.draw();
    this.events.moved(this.from, this.until);
  }

  zoom(factor: number, around?: number): void {
    const selected = this.selected >= 0 ? this.data.time[this.selected]! : NaN;
    const inside = selected >= this.from && selected <= this.until;
    const middle = around ?? (inside ? selected : (this.from + this.until) / 2);
    this.show(middle - (middle - this.from) * factor, middle + (this.until - middle) * factor);
  }

  pan(share: number): void {
    const step = (this.until - this.from) * share;
    this.show(this.from + step, this.until + step);
  }

  select(record: number, bring = true): void {
    this.selected = record;
    this.cones = record >= 0 ? this.data.cones(record) : null;
    if (record >= 0 && bring) {
      const time = this.data.time[record]!;
      const width = this.until - this.from;
      if (time < this.from + width * 0.05 || time > this.until - width * 0.05) {
        this.show(time - width / 2, time + width / 2);
        return;
      }
    }
    this.draw();
  }

  draw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.theme = theme();
      this.drawDetail();
      this.drawOverview();
      this.frames += 1;
    });
  }

  private x(time: number, width: number): number {
    return kLeft + (time - this.from) / (this.until - this.from) * (width - kLeft - 8);
  }
  private timeAt(x: number, width: number): number {
    return this.from + (x - kLeft) / (width - kLeft - 8) * (this.until - this.from);
  }
  private y(node: number, height: number): number {
    return this.top + (node + 0.5) * (height - this.top - kBottom) / this.data.head.nodes;
  }

  private prepare(canvas: HTMLCanvasElement): {context: CanvasRenderingContext2D; width: number; height: number} | null {
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const context = canvas.getContext("2d", {alpha: false});
    if (!context || width === 0 || height === 0) return null;
    const scale = Math.min(2, window.devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.theme.back;
    context.fillRect(0, 0, width, height);
    return {context, width, height};
  }

  private drawDetail(): void {
    const faults = this.data.spans.filter((span) => span.kind === "fault").length;
    this.top = 8 + kLabel * ((this.first >= 0 ? 1 : 0) + (this.data.head.violations.length > 0 ? 1 : 0) + Math.min(2, faults + (this.data.faultsEnd < Infinity ? 1 : 0)));
    const needed = this.top + kBottom + Math.max(4, this.data.head.nodes) * (this.data.head.nodes > 24 ? 20 : kNodeLine);
    this.canvas.style.height = `${Math.min(760, needed)}px`;
    const ready = this.prepare(this.canvas);
    if (!ready) return;
    const {context, width, height} = ready;
    context.save();
    context.beginPath();
    context.rect(kLeft - 6, 0, width - kLeft + 6, height);
    context.clip();
    this.drawRounds(context, width, height);
    this.drawSpans(context, width, height);
    this.drawLines(context, width, height);
    const left = this.drawMessages(context, width, height);
    this.drawMarks(context, width, height);
    this.drawNames(context, width, height);
    this.drawViolations(context, width, height);
    this.drawSelection(context, width, height);
    context.restore();
    this.drawAxis(context, width, height);
    this.note.textContent = left > 0
      ? `Too many messages for this width: one of ${left + 1} is drawn, all decisions, faults and violations are. Zoom in for the rest.` : "";
  }

  private drawRounds(context: CanvasRenderingContext2D, width: number, height: number): void {
    const data = this.data;
    const lane = (height - this.top - kBottom) / data.head.nodes;
    // From the round that each node is in when the window begins; only changes are looked at.
    const last = placeOf(data.rounds, data.firstAt(this.until));
    const first = placeOf(data.rounds, data.firstAt(this.from));
    const begin = new Float64Array(data.head.nodes).fill(this.from);
    const round = data.roundsBefore(first);
    const paint = (node: number, until: number): void => {
      if (round[node]! < 0) return;
      const x = this.x(begin[node]!, width);
      context.fillStyle = this.theme.rounds[round[node]! & 1]!;
      context.fillRect(x, this.y(node, height) - lane / 2, Math.max(1, this.x(until, width) - x), lane - 1);
    };
    const lastX = new Float64Array(data.head.nodes).fill(-1e9);
    const names: [string, number, number][] = [];
    for (let at = first; at < last; ++at) {
      const i = data.rounds[at]!;
      const node = data.node[i]!;
      const x = this.x(data.time[i]!, width);
      if (x - lastX[node]! < 1) { round[node] = data.round[i]!; continue; }
      paint(node, data.time[i]!);
      begin[node] = data.time[i]!;
      round[node] = data.round[i]!;
      if (x - lastX[node]! > 26) names.push([`r${data.round[i]}`, x, node]);
      lastX[node] = x;
    }
    for (let node = 0; node < data.head.nodes; ++node) paint(node, Math.min(this.until, data.end));
    if (lane < 26) return;
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = this.theme.faint;
    context.textAlign = "left";
    for (const [text, x, node] of names) context.fillText(text, x + 2, this.y(node, height) - lane / 2 + 10);
  }

  private drawSpans(context: CanvasRenderingContext2D, width: number, height: number): void {
    const lane = (height - this.top - kBottom) / this.data.head.nodes;
    let row = 0;
    const ends = [-1e9, -1e9];
    for (const span of this.data.spans) {
      if (span.until < this.from || span.from > this.until) continue;
      const x = this.x(Math.max(span.from, this.from), width);
      const wide = Math.max(1, this.x(Math.min(span.until, this.until), width) - x);
      if (span.kind === "phase") {
        context.fillStyle = this.theme.phase(span.phase);
        context.globalAlpha = 0.7;
        context.fillRect(x, this.y(span.node, height) + lane / 2 - 5, wide, 4);
        context.globalAlpha = 1;
      } else if (span.kind === "down") {
        this.hatch(context, x, this.y(span.node, height) - lane / 2, wide, lane - 1, this.theme.faint);
      } else {
        const alone = span.node >= 0;  // of one node, or of all
        const y = alone ? this.y(span.node, height) - lane / 2 : this.top;
        const tall = alone ? lane - 1 : height - this.top - kBottom - 1;
        context.fillStyle = this.theme.band;
        context.fillRect(x, y, wide, tall);
        context.strokeStyle = this.theme.bad;
        context.strokeRect(x, y + 0.5, wide, tall);
        context.fillStyle = this.theme.bad;
        context.font = "11px system-ui, sans-serif";
        context.textAlign = "left";
        // Above the band, so that it hides nothing; to its right there is room where no other label is.
        const place = row % 2;
        if (x > ends[place]!) {
          const text = fit(context, span.text, Math.max(wide, 160) - 6);
          const foot = this.top - 3 - kLabel * place;
          context.fillText(text, x + 3, foot);
          context.fillRect(x, foot - 8, 1, y - foot + 8);
          ends[place] = x + context.measureText(text).width + 12;
        }
        row += 1;
      }
    }
    this.drawFaultsEnd(context, width, height, ends[0]!);
  }

  /** Names of phases, and of what is down, where there is room: colour alone tells nobody. */
  private drawNames(context: CanvasRenderingContext2D, width: number, height: number): void {
    const lane = (height - this.top - kBottom) / this.data.head.nodes;
    if (lane < 34) return;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "left";
    for (const span of this.data.spans) {
      if (span.kind === "fault" || span.until < this.from || span.from > this.until) continue;
      const x = Math.max(kLeft, this.x(span.from, width));
      const room = Math.min(width, this.x(span.until, width)) - x - 8;
      if (room < 24) continue;
      const wide = context.measureText(span.text).width;
      if (wide > room) continue;
      const y = this.y(span.node, height) + lane / 2 - 7;
      context.fillStyle = this.theme.back;
      context.globalAlpha = 0.75;
      context.fillRect(x + 2, y - 9, wide + 4, 11);
      context.globalAlpha = 1;
      context.fillStyle = this.theme.faint;
      context.fillText(span.text, x + 4, y);
    }
  }

  /** `from`: as far as other labels of the row reach. */
  private drawFaultsEnd(context: CanvasRenderingContext2D, width: number, height: number, from: number): void {
    const x = Math.round(this.x(this.data.faultsEnd, width)) + 0.5;
    if (!(x > kLeft && x < width)) return;
    context.strokeStyle = context.fillStyle = this.theme.faint;
    context.setLineDash([2, 3]);
    context.beginPath();
    const named = x > from && x < width - 70;
    context.moveTo(x, named ? this.top - 12 : this.top);
    context.lineTo(x, height - kBottom);
    context.stroke();
    context.setLineDash([]);
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    if (named) context.fillText("faults end", x + 3, this.top - 3);
  }

  private hatch(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, colour: string): void {
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = colour;
    context.globalAlpha = 0.6;
    context.beginPath();
    const end = Math.min(x + width, 6000);
    for (let at = x - height; at < end; at += 7) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.stroke();
    context.restore();
  }

  private drawLines(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.strokeStyle = this.theme.line;
    context.lineWidth = 1;
    context.beginPath();
    const end = Math.min(width, this.x(this.data.end, width));
    for (let node = 0; node < this.data.head.nodes; ++node) {
      const y = Math.round(this.y(node, height)) + 0.5;
      context.moveTo(Math.max(kLeft, this.x(0, width)), y);
      context.lineTo(end, y);
    }
    context.stroke();
  }

  /** Messages that end in or after the window and were sent before its end. Returns how many are left out between two. */
  private drawMessages(context: CanvasRenderingContext2D, width: number, height: number): number {
    const data = this.data;
    const begin = placeOf(data.ends, data.firstAt(this.from));
    // A message under way across the whole window ends behind it; look a little further.
    const beyond = placeOf(data.ends, data.firstAt(this.until + (this.until - this.from)));
    const isShown = data.head.kinds.map((_, kind) => !this.hidden.has(kind));
    const inSight = placeOf(data.ends, data.firstAt(this.until)) - begin;
    const stride = Math.max(1, Math.ceil(inSight * this.shownShare() / kMessagesMax));
    const groups = new Map<number, number[]>();
    for (let at = begin; at < beyond; ++at) {
      const end = data.ends[at]!;
      // The same ones at every position of the window, so that nothing flickers when it moves; what is related to the
      // selected event is drawn always.
      if (stride > 1 && at % stride !== 0 && (this.cones === null || (this.cones[end]! & 12) === 0)) continue;
      const send = data.cause[end]!;
      if (send < 0 || data.time[send]! > this.until || isShown[data.kind[end]!] === false) continue;
      const strong = this.isStrong(end);
      const key = data.kind[end]! * 4 + strong;
      const group = groups.get(key);
      if (group) group.push(end); else groups.set(key, [end]);
    }
    const tops = new Float64Array(data.head.nodes);
    for (let node = 0; node < data.head.nodes; ++node) tops[node] = this.y(node, height);
    // Where many are drawn, each is thinner and paler: what lies under them stays to be seen.
    const drawn = [0, 0, 0];
    for (const [key, ends] of groups) drawn[key & 3]! += ends.length;
    for (const strength of [0, 1, 2]) {
      const crowd = drawn[strength]! / Math.max(1, width - kLeft);
      for (const [key, ends] of groups) {
        if ((key & 3) !== strength) continue;
        this.strokeMessages(context, ends, key >> 2, strength, crowd, width, tops);
      }
    }
    return stride - 1;
  }

  private shownShare(): number {
    let all = 0;
    let shown = 0;
    this.data.kindCounts.forEach((number, kind) => { all += number; if (!this.hidden.has(kind)) shown += number; });
    return all === 0 ? 1 : shown / all;
  }

  /** 0: pale, 1: as usual, 2: on the way to or from what is selected. */
  private isStrong(end: number): number {
    if (this.standout) return this.standout[end] ? 2 : 0;
    if (!this.cones || this.selected < 0) return 1;
    const send = this.data.cause[end]!;
    if ((this.cones[end]! & 12) !== 0 && (this.cones[send]! & 12) !== 0) return 2;
    if (!this.dim) return 1;
    return this.cones[end]! !== 0 && this.cones[send]! !== 0 ? 1 : 0;
  }

  /** `crowd`: messages of this strength for each pixel of width. Among many nobody could tell dashes and arrow heads. */
  private strokeMessages(context: CanvasRenderingContext2D, ends: number[], kind: number, strength: number, crowd: number,
                         width: number, tops: Float64Array): void {
    const data = this.data;
    const plain = crowd > 0.6;
    context.strokeStyle = this.theme.kind(kind);
    context.fillStyle = this.theme.kind(kind);
    context.setLineDash(plain ? [] : this.theme.dash(kind));
    const thin = Math.min(1, Math.max(0, (crowd - 0.1) / 0.9));  // 0: few, 1: one for each pixel
    context.globalAlpha = strength === 0 ? 0.1 : strength === 1 ? 0.8 - 0.5 * thin : 1 - 0.4 * thin;
    context.lineWidth = strength === 2 ? 2.2 - 1.2 * thin : 1;
    const drop = data.types["drop"];
    context.beginPath();
    const heads: number[] = [];
    for (const end of ends) {
      const send = data.cause[end]!;
      const x1 = this.x(data.time[send]!, width);
      const y1 = tops[data.node[send]!]!;
      const x2 = this.x(data.time[end]!, width);
      const lost = data.type[end] === drop;
      const to = lost ? data.peer[end]! : data.node[end]!;
      const y2 = tops[to]!;
      context.moveTo(x1, y1);
      if (lost) {
        // Ends on the way, with a cross.
        const x = (x1 + Math.max(x1 + 10, x2)) / 2;
        const y = y1 + (y2 - y1) * 0.4;
        context.lineTo(x, y);
        context.moveTo(x - 3, y - 3); context.lineTo(x + 3, y + 3);
        context.moveTo(x - 3, y + 3); context.lineTo(x + 3, y - 3);
      } else {
        context.lineTo(x2, y2);
        if (!plain) heads.push(x1, y1, x2, y2);
      }
    }
    context.stroke();
    context.setLineDash([]);
    if (heads.length > 0 && strength > 0) this.fillHeads(context, heads);
    context.globalAlpha = 1;
    context.lineWidth = 1;
  }

  private fillHeads(context: CanvasRenderingContext2D, heads: number[]): void {
    context.beginPath();
    for (let i = 0; i < heads.length; i += 4) {
      const x = heads[i + 2]!;
      const y = heads[i + 3]!;
      const dx = x - heads[i]!;
      const dy = y - heads[i + 1]!;
      const length = Math.hypot(dx, dy) || 1;
      const ux = dx / length * 7;
      const uy = dy / length * 7;
      context.moveTo(x, y);
      context.lineTo(x - ux - uy * 0.4, y - uy + ux * 0.4);
      context.lineTo(x - ux + uy * 0.4, y - uy - ux * 0.4);
    }
    context.fill();
  }

  private drawMarks(context: CanvasRenderingContext2D, width: number, height: number): void {
    const data = this.data;
    const t = data.types;
    const begin = placeOf(data.marks, data.firstAt(this.from));
    const end = placeOf(data.marks, data.firstAt(this.until));
    const lastX = new Float64Array(data.head.nodes * 32).fill(-1e9);
    const gap = new Float64Array(32).fill(1);
    gap[t["decide"]!] = gap[t["propose"]!] = 5;
    gap[t["timer"]!] = 3;
    const ticks = new Path2D();
    for (let at = begin; at < end; ++at) {
      const i = data.marks[at]!;
      const node = data.node[i]!;
      if (node < 0) continue;
      const type = data.type[i]!;
      const x = this.x(data.time[i]!, width);
      // One mark of a type per few pixels and node is all that can be seen; disputed decisions and faults always are.
      const slot = node * 32 + type;
      if (x - lastX[slot]! < gap[type]! && data.disputed[i] === 0) continue;
      lastX[slot] = x;
      const y = this.y(node, height);
      const pale = this.cones !== null && this.dim && this.cones[i] === 0 && this.standout === null;
      context.globalAlpha = pale ? 0.25 : 1;
      if (type === t["decide"]) this.decision(context, i, x, y);
      else if (type === t["propose"]) this.circle(context, x, y, 3, this.theme.faint, false);
      else if (type === t["submit"]) this.triangle(context, x, y - 7, this.theme.accent);
      else if (type === t["timer"]) ticks.rect(x, y - 3, 1, 6);
      else if (type === t["crash"] || type === t["broken"]) this.cross(context, x, y, 6);
      else if (type === t["restart"]) this.triangle(context, x, y + 7, this.theme.good);
      else if (type === t["mutate"]) this.triangle(context, x, y - 7, this.theme.bad);
    }
    context.globalAlpha = 1;
    context.fillStyle = this.theme.faint;
    context.fill(ticks);
  }

  /** Diamond: filled for the value that was decided first, hollow with a thick rim for every other one. */
  private decision(context: CanvasRenderingContext2D, record: number, x: number, y: number): void {
    const disputed = this.data.disputed[record] !== 0;
    const size = disputed ? 8 : 5;
    context.beginPath();
    context.moveTo(x, y - size);
    context.lineTo(x + size, y);
    context.lineTo(x, y + size);
    context.lineTo(x - size, y);
    context.closePath();
    const other = this.data.variant[record]! > 0;
    context.fillStyle = other ? this.theme.back : disputed ? this.theme.bad : this.theme.good;
    context.strokeStyle = disputed ? this.theme.bad : this.theme.good;
    context.lineWidth = other ? 2.5 : 1;
    context.fill();
    context.stroke();
    context.lineWidth = 1;
  }

  private circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string, filled: boolean): void {
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    context.strokeStyle = context.fillStyle = colour;
    if (filled) context.fill(); else context.stroke();
  }
  private triangle(context: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x - 4, y - 4);
    context.lineTo(x + 4, y - 4);
    context.lineTo(x, y + 3);
    context.fill();
  }
  private cross(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
    context.strokeStyle = this.theme.bad;
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(x - size, y - size); context.lineTo(x + size, y + size);
    context.moveTo(x - size, y + size); context.lineTo(x + size, y - size);
    context.stroke();
    context.lineWidth = 1;
  }

  private drawViolations(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.font = "bold 11px system-ui, sans-serif";
    const label = this.first >= 0 ? 12 + kLabel : 12;
    let lastX = -1e9;
    for (const violation of this.data.head.violations) {
      const time = violation.time_us;
      if (time < this.from || time > this.until) continue;
      const x = this.x(time, width);
      context.strokeStyle = context.fillStyle = this.theme.bad;
      context.lineWidth = 1.5;
      context.setLineDash([6, 3]);
      context.beginPath();
      context.moveTo(x, label - 9);
      context.lineTo(x, height - kBottom);
      context.stroke();
      context.setLineDash([]);
      context.lineWidth = 1;
      for (const node of violation.nodes) this.circle(context, x, this.y(node, height), 12, this.theme.bad, false);
      if (x - lastX < 90) continue;
      lastX = x;
      const right = x > width - 120;
      context.textAlign = right ? "right" : "left";
      context.fillText(`✗ ${violation.property}`, right ? x - 4 : x + 4, label);
    }
    if (this.first >= 0) {
      const x = this.x(this.data.time[this.first]!, width);
      context.strokeStyle = context.fillStyle = this.theme.accent;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, 3);
      context.lineTo(x, height - kBottom);
      context.stroke();
      context.lineWidth = 1;
      context.textAlign = x > width - 130 ? "right" : "left";
      context.fillText("first difference", x > width - 130 ? x - 4 : x + 4, 12);
      const node = this.data.node[this.first]!;
      if (node >= 0) this.circle(context, x, this.y(node, height), 10, this.theme.accent, false);
    }
  }

  private drawSelection(context: CanvasRenderingContext2D, width: number, height: number): void {
    const data = this.data;
    const begin = placeOf(this.hits, data.firstAt(this.from));
    const end = placeOf(this.hits, data.firstAt(this.until));
    let lastX = -1e9;
    for (let at = begin; at < end; ++at) {
      const x = this.x(data.time[this.hits[at]!]!, width);
      if (x - lastX < 1.5) continue;
      lastX = x;
      context.fillStyle = this.theme.accent;
      context.fillRect(x - 1, this.top - 5, 2, 5);
      const node = data.node[this.hits[at]!]!;
      if (node >= 0) this.circle(context, x, this.y(node, height), 6, this.theme.accent, false);
    }
    if (this.reading) {
      const x = this.x(this.reading[0], width);
      context.fillStyle = this.theme.accent;
      context.fillRect(x, height - kBottom, Math.max(2, this.x(this.reading[1], width) - x), 3);
    }
    if (this.pointed >= 0) {
      context.fillStyle = this.theme.accent;
      const x = this.x(data.time[this.pointed]!, width);
      context.fillRect(x, this.top, 1, height - this.top - kBottom);
      const at = data.node[this.pointed]!;
      if (at >= 0) this.circle(context, x, this.y(at, height), 7, this.theme.accent, false);
    }
    if (this.selected < 0) return;
    const node = data.node[this.selected]!;
    const x = this.x(data.time[this.selected]!, width);
    context.lineWidth = 3;
    if (node >= 0) this.circle(context, x, this.y(node, height), 9, this.theme.ink, false);
    context.lineWidth = 1;
    context.strokeStyle = this.theme.ink;
    context.globalAlpha = 0.4;
    context.beginPath();
    context.moveTo(x, this.top);
    context.lineTo(x, height - kBottom);
    context.stroke();
    context.globalAlpha = 1;
  }

  private drawAxis(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = this.theme.ink;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    const lane = (height - this.top - kBottom) / this.data.head.nodes;
    const every = Math.ceil(13 / lane);
    for (let node = 0; node < this.data.head.nodes; node += every) {
      context.fillText(`node ${node}`, kLeft - 10, this.y(node, height) + 4);
    }
    context.fillStyle = this.theme.faint;
    context.textAlign = "center";
    context.font = "11px system-ui, sans-serif";
    const step = niceStep((this.until - this.from) / Math.max(2, (width - kLeft) / 110));
    for (let time = Math.max(0, Math.ceil(this.from / step) * step); time <= this.until; time += step) {
      const x = this.x(time, width);
      context.fillRect(x, height - kBottom, 1, 4);
      if (x > kLeft + 10 && x < width - 20) context.fillText(seconds(Math.round(time)), x, height - 5);
    }
  }

  private drawOverview(): void {
    const ready = this.prepare(this.overview);
    if (!ready) return;
    const {context, width, height} = ready;
    const data = this.data;
    const inner = width - kLeft - 8;
    const place = (time: number): number => kLeft + time / data.end * inner;
    const key = `${width} ${height} ${this.theme.dark} ${window.devicePixelRatio}`;
    if (!this.still || this.still.key !== key || this.still.hits !== this.hits) {
      this.drawStill(context, width, height, place);
      const copy = document.createElement("canvas");
      copy.width = this.overview.width;
      copy.height = this.overview.height;
      copy.getContext("2d")?.drawImage(this.overview, 0, 0);
      this.still = {key, hits: this.hits, image: copy};
    } else {
      context.drawImage(this.still.image, 0, 0, width, height);
    }
    const left = Math.max(kLeft, place(this.from));
    const right = Math.min(width - 6, place(this.until));
    context.fillStyle = this.theme.dark ? "rgba(0,0,0,0.55)" : "rgba(255,255,255,0.65)";
    context.fillRect(kLeft, 0, left - kLeft, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = this.theme.ink;
    context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1);
  }

  /** What of the overview stays the same while the window moves. */
  private drawStill(context: CanvasRenderingContext2D, width: number, height: number, place: (time: number) => number): void {
    const data = this.data;
    const inner = width - kLeft - 8;
    if (!this.density || this.density.width !== Math.round(inner)) {
      const bars = new Float32Array(Math.max(1, Math.round(inner)));
      for (let i = 0; i < data.count; ++i) bars[Math.min(bars.length - 1, Math.floor(data.time[i]! / data.end * bars.length))]! += 1;
      this.density = {width: Math.round(inner), bars};
    }
    const bars = this.density.bars;
    const most = Math.max(1, bars.reduce((a, b) => Math.max(a, b), 0));
    for (const span of data.spans) {
      if (span.kind === "phase") continue;
      context.fillStyle = this.theme.band;
      context.fillRect(place(span.from), 0, Math.max(1, place(span.until) - place(span.from)), height);
    }
    context.fillStyle = this.theme.faint;
    for (let x = 0; x < bars.length; ++x) {
      const tall = Math.sqrt(bars[x]! / most) * (height - 6);
      context.fillRect(kLeft + x, height - tall, 1, tall);
    }
    context.fillStyle = this.theme.accent;
    let lastX = -1;
    for (const hit of this.hits) {
      const x = Math.round(place(data.time[hit]!));
      if (x !== lastX) context.fillRect(x, 0, 1, 5);
      lastX = x;
    }
    context.fillStyle = this.theme.bad;
    for (const violation of data.head.violations) context.fillRect(place(violation.time_us) - 1, 0, 2, height);
    context.fillStyle = this.theme.faint;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText("all", kLeft - 10, height / 2 + 4);
  }

  /** The event under a point: a mark or a message, whichever is nearer. */
  private hitAt(x: number, y: number): number {
    const data = this.data;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    let best = -1;
    let nearest = 9;
    const slack = (this.until - this.from) / width * 12;
    const time = this.timeAt(x, width);
    const first = data.firstAt(time - slack);
    const last = data.firstAt(time + slack);
    for (let i = first; i < last && i - first < 20000; ++i) {
      const node = data.node[i]!;
      if (node < 0 || data.is(i, "log") || data.is(i, "send") && this.hidden.has(data.kind[i]!)) continue;
      if ((data.is(i, "deliver") || data.is(i, "drop")) && this.hidden.has(data.kind[i]!)) continue;
      const weight = data.is(i, "decide") ? 0.6 : data.is(i, "send") ? 1.15 : 1;
      const distance = Math.hypot(this.x(data.time[i]!, width) - x, this.y(node, height) - y) * weight;
      if (distance < nearest) { nearest = distance; best = i; }
    }
    if (best >= 0) return best;
    return this.messageAt(x, y, width, height);
  }

  private messageAt(x: number, y: number, width: number, height: number): number {
    const data = this.data;
    let best = -1;
    let nearest = 6;
    const begin = placeOf(data.ends, data.firstAt(this.from));
    const beyond = placeOf(data.ends, data.firstAt(this.until + (this.until - this.from)));
    if (beyond - begin > kMessagesMax * 2) return -1;
    for (let at = begin; at < beyond; ++at) {
      const end = data.ends[at]!;
      const send = data.cause[end]!;
      if (send < 0 || this.hidden.has(data.kind[end]!)) continue;
      const x1 = this.x(data.time[send]!, width);
      const x2 = this.x(data.time[end]!, width);
      const y1 = this.y(data.node[send]!, height);
      const y2 = this.y(data.is(end, "drop") ? data.peer[end]! : data.node[end]!, height);
      const dx = x2 - x1;
      const dy = y2 - y1;
      const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1);
      if (along < 0 || along > 1) continue;
      const distance = Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
      if (distance < nearest) { nearest = distance; best = end; }
    }
    return best;
  }

  private listen(): void {
    let start: {x: number; from: number; until: number; moved: boolean} | null = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = {x: event.offsetX, from: this.from, until: this.until, moved: false};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!start) { this.hover(event); return; }
      const shift = (event.offsetX - start.x) / (this.canvas.clientWidth - kLeft) * (start.until - start.from);
      if (Math.abs(event.offsetX - start.x) > 3) start.moved = true;
      if (start.moved) this.show(start.from - shift, start.until - shift);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const was = start;
      start = null;
      if (was && !was.moved) this.events.select(this.hitAt(event.offsetX, event.offsetY));
    });
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        this.pan(Math.sign(event.deltaX || event.deltaY) * 0.12);
      } else {
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX, this.canvas.clientWidth));
      }
    }, {passive: false});
    const jump = (event: PointerEvent): void => {
      if (event.buttons === 0) return;
      const time = (event.offsetX - kLeft) / (this.overview.clientWidth - kLeft - 8) * this.data.end;
      const width = this.until - this.from;
      this.show(time - width / 2, time + width / 2);
    };
    this.overview.addEventListener("pointerdown", (event) => {
      this.overview.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.overview.addEventListener("pointermove", jump);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  private hover(event: PointerEvent): void {
    const record = this.hitAt(event.offsetX, event.offsetY);
    this.tip.hidden = record < 0;
    if (record < 0) return;
    this.tip.textContent = `${this.data.describe(record)} · ${seconds(this.data.time[record]!)}`;
    this.tip.style.left = `${Math.min(event.offsetX + 12, this.canvas.clientWidth - 240)}px`;
    this.tip.style.top = `${event.offsetY + 14}px`;
  }

  onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const data = this.data;
    const near = (): number => this.selected >= 0 ? this.selected
      : Math.max(0, Math.min(data.count - 1, data.firstAt((this.from + this.until) / 2)));
    const toNode = (step: number): void => {
      const now = near();
      const node = Math.min(data.head.nodes - 1, Math.max(0, data.node[now]! + step));
      this.events.select(data.nearestAt(node, data.time[now]!));
    };
    const keys: Record<string, () => void> = {
      "ArrowRight": () => this.events.select(data.neighbour(near(), 1)),
      "ArrowLeft": () => this.events.select(data.neighbour(near(), -1)),
      "ArrowUp": () => toNode(-1),
      "ArrowDown": () => toNode(1),
      "+": () => this.zoom(0.7), "=": () => this.zoom(0.7), "-": () => this.zoom(1.4), "0": () => this.show(0, data.end * 1.02),
      "PageDown": () => this.pan(0.5), "PageUp": () => this.pan(-0.5),
      "Home": () => this.events.select(0), "End": () => this.events.select(data.count - 1),
      "c": () => { const cause = data.cause[near()]!; if (cause >= 0) this.events.select(cause); },
      "e": () => {
        const now = near();
        for (let i = now + 1; i < data.count; ++i) if (data.cause[i] === now) { this.events.select(i); return; }
      },
      "v": () => {
        const first = data.head.violations.find((violation) => violation.record !== null);
        if (first && first.record !== null) this.events.select(first.record);
      },
      "Escape": () => this.events.select(-1),
    };
    const action = event.shiftKey && event.key.startsWith("Arrow")
      ? () => this.pan(event.key === "ArrowRight" ? 0.2 : event.key === "ArrowLeft" ? -0.2 : 0) : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function placeOf(list: Int32Array, record: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < record) low = middle + 1; else high = middle;
  }
  return low;
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  for (const factor of [1, 2, 5, 10]) if (power * factor >= least) return power * factor;
  return power * 10;
}

function fit(context: CanvasRenderingContext2D, text: string, width: number): string {
  let shown = text.slice(0, 200);
  if (context.measureText(shown).width <= width) return shown;
  while (shown.length > 1 && context.measureText(shown + "…").width > width) shown = shown.slice(0, -1);
  return shown + "…";
}
