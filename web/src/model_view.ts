// A model: the counterexample step by step with what each step changes, and all states of a small state space.
import {get, type Model} from "./api";
import {theme} from "./colours";
import {busy, count, failure, h, replace, svg, trim, visible} from "./dom";
import type {View} from "./run_view";
import {readState, refine, type State} from "./state";

export function openModel(place: HTMLElement, state: State): View {
  let close = (): void => { closed = true; };
  let closed = false;
  replace(place, busy("checking the model…"));
  get<Model>(`models/${state["model"]}`).then((model) => { if (!closed) close = new ModelPage(place, model).close; },
    (error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => close()};
}

class ModelPage {
  private readonly steps = h("ol", {class: "steps"});
  private readonly table = h("div", {class: "state", "aria-live": "polite"});
  private step = 0;
  /** Drawn states, and which of them each step of the counterexample is. */
  private nodes = new Map<number, SVGElement>();
  private readonly places = new Map<number, number>();
  private readonly keys: (event: KeyboardEvent) => void;

  constructor(place: HTMLElement, private readonly model: Model) {
    document.title = `${model.spec.split("/").pop() ?? ""} – Dissensus`;
    const good = model.result === "ok";
    replace(place, h("div", {class: "model"}, h("h1", {title: visible(model.spec)}, visible(model.spec.split("/").pop() ?? model.spec)),
      h("p", {class: `verdict ${good ? "pass" : "fail"}`}, h("strong", {}, good ? "✓ no violation" : `✗ ${model.result}`),
        model.message && `: ${visible(model.message)}`),
      h("p", {class: "faint"}, `${count(model.distinct)} states, ${count(model.generated)} generated, depth ${model.depth}, ${model.seconds < 0.01 ? "less than 0.01" : trim(model.seconds, 2)} s`),
      model.steps.length > 0 && h("div", {class: "columns two"}, h("section", {}, h("h2", {}, "Step by step (← →)"), this.steps), h("section", {}, this.table)),
      h("h2", {}, "All states", model.graph && h("span", {class: "faint"}, ` ${count(model.graph.states.length)}${model.graph.states.length > model.distinct ? `; the check ended at the violation, after ${count(model.distinct)}` : ""}`)), model.graph ? this.graph(model.graph)
        : h("p", {class: "faint"}, `More than ${model.drawn_max} states: too many to be drawn.`)));
    this.keys = (event) => {
      if ((event.target as HTMLElement).closest("input, select")) return;
      if (event.key === "ArrowRight") this.show(this.step + 1);
      if (event.key === "ArrowLeft") this.show(this.step - 1);
    };
    document.addEventListener("keydown", this.keys);
    this.show(Number(readState()["step"] ?? "0"));
  }

  close = (): void => document.removeEventListener("keydown", this.keys);

  private changed(step: number): string[] {
    const now = this.model.steps[step]?.state ?? {};
    const before = this.model.steps[step - 1]?.state;
    return before ? this.model.variables.filter((name) => now[name] !== before[name]) : [];
  }

  private show(step: number): void {
    if (this.model.steps.length === 0) return;
    this.step = Math.min(this.model.steps.length - 1, Math.max(0, step || 0));
    refine({step: String(this.step)});
    replace(this.steps, ...this.model.steps.map((one, index) => h("li", {class: index === this.step ? "chosen" : ""},
      h("button", {type: "button", class: "quiet", "aria-current": index === this.step ? "step" : null, onclick: () => this.show(index)}, visible(one.title)),
      h("span", {class: "faint"}, index > 0 ? ` changes ${this.changed(index).join(", ") || "nothing"}` : ""))));
    this.mark(this.places.get(this.step));
    const now = this.model.steps[this.step]!;
    this.drawState(`State ${this.step + 1}: ${now.title}`, now.state, this.model.steps[this.step - 1]?.state, now.at);
  }

  private drawState(title: string, state: Record<string, string>, before: Record<string, string> | undefined, at: string): void {
    replace(this.table, h("h2", {}, visible(title)), at && h("p", {class: "faint", title: visible(at)}, "defined at ", h("code", {}, visible(at.split("/").pop() ?? at))),
      h("table", {class: "fields"}, ...this.model.variables.map((name) => {
        const changed = before !== undefined && before[name] !== state[name];
        return h("tr", {class: changed ? "changed" : ""}, h("th", {scope: "row"}, visible(name)),
          h("td", {}, changed && [h("del", {}, visible(before[name] ?? "")), " → "], visible(state[name] ?? "")));
      })));
  }

  /** Levels from left to right; an edge for every step, by action. The counterexample is marked, and where one stands in it. */
  private graph(graph: NonNullable<Model["graph"]>): HTMLElement {
    const levels: number[][] = [];
    graph.states.forEach((state, index) => { (levels[state.depth] ??= []).push(index); });
    const tall = Math.max(...levels.map((level) => level.length));
    const width = Math.max(480, levels.length * 110);
    const height = Math.max(160, tall * 34 + 30);
    const places = new Map<number, [number, number]>();
    levels.forEach((level, depth) => level.forEach((index, row) => {
      places.set(index, [30 + depth * (width - 60) / Math.max(1, levels.length - 1), (row + 0.5) * height / level.length]);
    }));
    const texts = graph.states.map((state) => this.textOf(state.state));
    const way = this.model.steps.map((step) => texts.indexOf(this.textOf(step.state)));
    const onWay = new Set(way.slice(1).map((to, index) => `${way[index]} ${to}`));
    const colours = theme();
    const used = [...new Set(graph.edges.map(([, , action]) => action))];
    // Where several actions lead from one state to the same other one, their lines lie beside each other.
    const beside = new Map<string, number>();
    this.nodes = new Map();
    const edges = graph.edges.filter(([from, to]) => from !== to).map(([from, to, action]) => {
      const [x1, y1] = places.get(from)!;
      const [x2, y2] = places.get(to)!;
      const nth = beside.get(`${from} ${to}`) ?? 0;
      beside.set(`${from} ${to}`, nth + 1);
      const bold = onWay.has(`${from} ${to}`);
      const bend = (x2 > x1 ? 0 : 26) + nth * 12 + (Math.abs(y2 - y1) < 4 && x2 - x1 > (width - 60) / Math.max(1, levels.length - 1) * 1.5 ? 22 : 0);
      const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2 - bend];
      // Ends at the rim of the circle, with a head.
      const length = Math.hypot(x2 - mx, y2 - my) || 1;
      const [ux, uy] = [(x2 - mx) / length, (y2 - my) / length];
      const [ex, ey] = [x2 - ux * 10, y2 - uy * 10];
      const size = bold ? 8 : 5;
      const colour = colours.kind(used.indexOf(action));
      return svg("g", {opacity: bold ? 1 : onWay.size > 0 ? 0.35 : 0.7}, svg("path", {d: `M${x1} ${y1}Q${mx} ${my} ${ex} ${ey}`, fill: "none", stroke: colour, "stroke-width": bold ? 3 : 1.2}),
        svg("path", {d: `M${ex} ${ey}L${ex - ux * size - uy * size / 2} ${ey - uy * size + ux * size / 2}L${ex - ux * size + uy * size / 2} ${ey - uy * size - ux * size / 2}Z`, fill: colour}),
        svg("title", {}, graph.actions[action] ?? ""));
    });
    return h("div", {}, h("p", {class: "faint"}, "A circle is a state, as far to the right as the fewest steps that lead to it; an arrow is a step.", this.model.steps.length > 0 && " The counterexample is bold, its states have their numbers.", " Click a state to see it."),
      h("ul", {class: "keys"}, ...used.map((action, index) => h("li", {},
      h("span", {class: "swatch", style: `background:${colours.kind(index)}`}), visible(graph.actions[action] ?? "")))),
      h("div", {class: "wide"}, svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "graph", "aria-label": `${graph.states.length} states, ${graph.edges.length} steps`},
        edges, graph.states.map((state, index) => {
          const [x, y] = places.get(index)!;
          const step = way.indexOf(index);
          const open = (): void => { if (step >= 0) this.show(step); else { this.mark(index); this.drawState(`State at depth ${state.depth + 1}`, state.state, undefined, ""); } };
          const node = svg("g", {tabindex: 0, role: "button", class: "node", onclick: open, onkeydown: (event: KeyboardEvent) => { if (event.key === "Enter") open(); }},
            svg("circle", {cx: x, cy: y, r: step >= 0 ? 10 : 7, fill: step >= 0 ? colours.bad : colours.back, stroke: step >= 0 ? colours.bad : colours.ink, "stroke-width": 1.5}),
            step >= 0 && svg("text", {x, y: y + 4, "text-anchor": "middle", class: "inside"}, step + 1),
            svg("title", {}, Object.entries(state.state).map(([name, value]) => `${name} = ${value}`).join("\n")));
          this.nodes.set(index, node);
          if (step >= 0) this.places.set(step, index);
          return node;
        }))), this.model.steps.length === 0 && this.table);
  }

  private textOf(state: Record<string, string>): string { return JSON.stringify(this.model.variables.map((name) => state[name])); }

  private mark(index: number | undefined): void {
    for (const [number, node] of this.nodes) node.classList.toggle("now", number === index);
  }
}
