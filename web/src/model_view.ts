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
  private readonly keys: (event: KeyboardEvent) => void;

  constructor(place: HTMLElement, private readonly model: Model) {
    document.title = `${model.spec.split("/").pop() ?? ""} – Dissensus`;
    const good = model.result === "ok";
    replace(place, h("div", {class: "model"}, h("h1", {title: visible(model.spec)}, visible(model.spec.split("/").pop() ?? model.spec)),
      h("p", {class: `verdict ${good ? "pass" : "fail"}`}, h("strong", {}, good ? "✓ nothing found" : `✗ ${model.result}`),
        model.message && `: ${visible(model.message)}`),
      h("p", {class: "faint"}, `${count(model.distinct)} states, ${count(model.generated)} generated, depth ${model.depth}, ${model.seconds < 0.01 ? "less than 0.01" : trim(model.seconds, 2)} s`),
      model.steps.length > 0 && h("div", {class: "columns two"}, h("section", {}, h("h2", {}, "Step by step (← →)"), this.steps), h("section", {}, this.table)),
      h("h2", {}, "All states"), model.graph ? this.graph(model.graph)
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

  /** Levels from left to right; an edge for every step, by action. The counterexample's states are marked. */
  private graph(graph: NonNullable<Model["graph"]>): HTMLElement {
    const levels: number[][] = [];
    graph.states.forEach((state, index) => { (levels[state.depth] ??= []).push(index); });
    const tall = Math.max(...levels.map((level) => level.length));
    const width = Math.max(320, levels.length * 90);
    const height = Math.max(120, tall * 26 + 20);
    const places = new Map<number, [number, number]>();
    levels.forEach((level, depth) => level.forEach((index, row) => {
      places.set(index, [30 + depth * (width - 60) / Math.max(1, levels.length - 1), (row + 0.5) * height / level.length]);
    }));
    const texts = new Set(this.model.steps.map((step) => JSON.stringify(step.state)));
    const colours = theme();
    const used = [...new Set(graph.edges.map(([, , action]) => action))];
    return h("div", {}, h("p", {class: "faint"}, "A circle is a state, as far to the right as steps lead to it; a line is a step", this.model.steps.length > 0 && "; filled: the states of the counterexample", ". Click one."),
      h("ul", {class: "keys"}, ...used.map((action, index) => h("li", {},
      h("span", {class: "swatch", style: `background:${colours.kind(index)}`}), visible(graph.actions[action] ?? "")))),
      h("div", {class: "wide"}, svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${graph.states.length} states, ${graph.edges.length} steps`},
        graph.edges.filter(([from, to]) => from !== to).map(([from, to, action]) => {
          const [x1, y1] = places.get(from)!;
          const [x2, y2] = places.get(to)!;
          return svg("path", {d: `M${x1} ${y1}Q${(x1 + x2) / 2} ${(y1 + y2) / 2 - (x2 > x1 ? 0 : 24)} ${x2} ${y2}`, fill: "none",
            stroke: colours.kind(used.indexOf(action)), "stroke-width": 1.3, opacity: 0.7});
        }),
        graph.states.map((state, index) => {
          const [x, y] = places.get(index)!;
          const marked = texts.has(JSON.stringify(state.state));
          const node = svg("circle", {cx: x, cy: y, r: marked ? 8 : 6, fill: marked ? colours.bad : colours.back, stroke: marked ? colours.bad : colours.ink, "stroke-width": 1.5, tabindex: 0, class: "node",
            onclick: () => this.drawState(`State at depth ${state.depth + 1}`, state.state, undefined, "")},
            svg("title", {}, Object.entries(state.state).map(([name, value]) => `${name} = ${value}`).join("\n")));
          return node;
        }))), this.model.steps.length === 0 && this.table);
  }
}
