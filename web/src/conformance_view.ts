// A conformance violation: the guard that refuses, where it stands in the model and what its parts were, beside the events of the
// implementation that led there, step by step with what changed on both sides.
import {get, type Conformance, type RefusingGuard} from "./api";
import {busy, command, failure, h, replace, visible} from "./dom";
import type {View} from "./run_view";
import {readState, refine, type State} from "./state";

type Texts = Record<string, string>;

const meaning: Record<string, string> = {
  "Type-I": "the implementation does what the model does not allow",
  "Type-II": "the implementation does not do what the model does",
  Prop: "the implementation's own states break a property",
};

export function openConformance(place: HTMLElement, state: State): View {
  let close = (): void => { closed = true; };
  let closed = false;
  replace(place, busy("making the finding again…"));
  get<Conformance>(`conformance/${state["finding"]}`).then((finding) => { if (!closed) close = new ConformancePage(place, finding).close; },
    (error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => close()};
}

/** The file's name and the line; the whole path is in the title. */
function place(at: string): HTMLElement {
  return h("code", {title: visible(at)}, visible(at.split("/").pop() ?? at));
}

function guardCard(guard: RefusingGuard): HTMLElement {
  return h("div", {class: "card fail guard"}, h("p", {}, place(guard.at), ": ", h("strong", {}, h("code", {}, visible(guard.text))), " does not hold"),
    guard.lines.length > 0 && h("pre", {class: "source", "aria-label": "The model around the guard"}, ...guard.lines.map((line, index) => h("span", {class: guard.first_line + index === guard.line ? "here" : ""},
      h("span", {class: "faint"}, String(guard.first_line + index).padStart(4) + "  "), visible(line) + "\n"))),
    guard.operands.length > 0 && h("table", {class: "fields"}, h("caption", {}, "what its parts are at that moment"),
      ...guard.operands.map(([text, value]) => h("tr", {}, h("th", {scope: "row"}, h("code", {}, visible(text))), h("td", {}, visible(value))))));
}

class ConformancePage {
  private readonly list = h("ol", {class: "steps pairs"});
  private readonly state = h("div", {class: "state", "aria-live": "polite"});
  private step = 0;
  private readonly keys: (event: KeyboardEvent) => void;

  constructor(at: HTMLElement, private readonly finding: Conformance) {
    const violation = finding.violation;
    document.title = `${finding.file.split("/").pop() ?? ""} – Dissensus`;
    const facts = [...Object.entries(finding.inputs), ...Object.entries(finding.settings), ...Object.entries(finding.constants)];
    replace(at, h("div", {class: "conformance"}, h("h1", {}, "Model against implementation"),
      violation
        ? h("p", {class: "verdict fail"}, h("strong", {}, `✗ ${violation.type} violation`), `: ${visible(violation.message)}`)
        : h("p", {class: "verdict pass"}, h("strong", {}, "✓ it does not show any more"), ": made again, model and implementation agree"),
      violation && h("p", {class: "faint"}, `${meaning[violation.type] ?? ""}; found by Workflow ${finding.workflow === 1 ? "I (the simulator runs, the model judges)" : "II (the model walks, the implementation follows)"}`),
      h("p", {class: "faint"}, "model ", place(finding.spec), ", implementation ", place(finding.scenario), facts.length > 0 && `, with ${facts.map(([name, value]) => `${visible(name)} = ${visible(value)}`).join(", ")}`),
      violation && this.why(violation),
      h("h2", {}, "Step by step (← →)"), finding.left_out > 0 && h("p", {class: "faint"}, `the first ${finding.left_out} steps are left out`),
      h("div", {class: "columns two"}, h("section", {}, this.list), h("section", {}, this.state)),
      h("h2", {}, "Again"), command(`dissensus conform replay ${finding.file}`)));
    this.keys = (event) => {
      if ((event.target as HTMLElement).closest("input, select")) return;
      if (event.key === "ArrowRight") this.show(this.step + 1);
      if (event.key === "ArrowLeft") this.show(this.step - 1);
    };
    document.addEventListener("keydown", this.keys);
    const asked = readState()["step"];
    this.show(asked === undefined ? finding.steps.length - 1 : Number(asked));
  }

  close = (): void => document.removeEventListener("keydown", this.keys);

  private why(violation: NonNullable<Conformance["violation"]>): HTMLElement {
    const last = this.finding.steps.slice(-6);
    return h("div", {class: "columns two beside"},
      h("section", {}, h("h2", {}, violation.guards.length > 0 ? "The guard that refuses" : violation.property ? "The property" : "The difference"),
        violation.guards.slice(0, 1).map(guardCard),
        violation.property && h("div", {class: "card fail"}, h("p", {}, h("strong", {}, h("code", {}, visible(violation.property))), " does not hold in the states that the nodes report")),
        violation.differences.length > 0 && h("div", {class: "card fail"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", {}, "model"), h("th", {}, "implementation"))),
          h("tbody", {}, ...violation.differences.map((one) => h("tr", {}, h("td", {}, visible(one.view)), h("td", {}, visible(one.model)), h("td", {}, visible(one.implementation))))))),
        violation.guards.length === 0 && violation.differences.length === 0 && !violation.property && h("div", {class: "card fail"}, h("p", {}, visible(violation.message))),
        violation.guards.length > 1 && h("details", {}, h("summary", {}, `${violation.guards.length - 1} more did not hold on other ways through the action`), ...violation.guards.slice(1).map(guardCard)),
        violation.enabled.length > 0 && h("p", {class: "faint"}, `Instead the model allows here: ${violation.enabled.map(visible).join(", ")}`)),
      h("section", {}, h("h2", {}, "What the implementation did"), h("ol", {class: "did", start: String(last[0]?.number ?? 1)},
        ...last.map((step, index) => h("li", {class: index === last.length - 1 ? "violation" : ""},
          h("code", {}, step.events.map(visible).join("; ") || "nothing"),
          h("span", {class: "faint"}, index === last.length - 1 ? ` – where they part: in the model ${visible(step.actions.join("; ") || "nothing")}` : ` is ${visible(step.actions.join("; ") || "nothing")}`))))));
  }

  /** Both sides after step `until` (-1: at the beginning), nodes by number. */
  private fold(until: number): {model: Texts; nodes: Record<string, Texts>} {
    const model = {...this.finding.model};
    const nodes: Record<string, Texts> = {};
    for (const [node, texts] of Object.entries(this.finding.implementation)) nodes[node] = {...texts};
    for (const step of this.finding.steps.slice(0, until + 1)) {
      Object.assign(model, step.model);
      if (step.node !== null) Object.assign(nodes[String(step.node)] ??= {}, step.implementation);
    }
    return {model, nodes};
  }

  private show(asked: number): void {
    const steps = this.finding.steps;
    if (steps.length === 0) { replace(this.state, h("p", {class: "faint"}, "no step was made")); return; }
    this.step = Math.min(steps.length - 1, Math.max(0, asked || 0));
    refine({step: String(this.step)});
    replace(this.list, ...steps.map((one, index) => h("li", {class: index === this.step ? "chosen" : "", value: String(one.number)},
      h("button", {type: "button", class: "quiet", "aria-current": index === this.step ? "step" : null, onclick: () => this.show(index)}, visible(one.actions.join("; ") || one.events.join("; "))),
      h("span", {class: "faint"}, ` ${visible(one.events.join("; ") || "the implementation does nothing")}`))));
    const chosen = this.list.children[this.step];
    if (chosen instanceof HTMLElement) this.list.scrollTop = chosen.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    const now = steps[this.step]!;
    const before = this.fold(this.step - 1);
    const after = this.fold(this.step);
    const node = now.node === null ? null : String(now.node);
    replace(this.state, h("h2", {}, `Step ${now.number}: ${visible(now.actions.join("; ") || now.events.join("; "))}`), now.at && h("p", {class: "faint"}, "defined at ", place(now.at)),
      this.table("the model", before.model, after.model, now.model),
      node !== null && this.table(`node ${node} of the implementation`, before.nodes[node] ?? {}, after.nodes[node] ?? {}, now.implementation));
  }

  /** What changed comes first; the rest on demand. */
  private table(title: string, before: Texts, after: Texts, changes: Texts): HTMLElement {
    const row = (name: string): HTMLElement => {
      const changed = name in changes;
      return h("tr", {class: changed ? "changed" : ""}, h("th", {scope: "row"}, visible(name)),
        h("td", {}, changed && before[name] !== undefined && [h("del", {}, visible(before[name] ?? "")), " → "], visible(after[name] ?? "")));
    };
    const names = Object.keys(after).sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
    const changed = names.filter((name) => name in changes);
    const others = names.filter((name) => !(name in changes));
    return h("div", {}, h("table", {class: "fields"}, h("caption", {}, title + (changed.length === 0 ? ": nothing changes" : " changes")), ...changed.map(row)),
      others.length > 0 && h("details", {}, h("summary", {}, `${others.length} that stay`), h("table", {class: "fields"}, ...others.map(row))));
  }
}
