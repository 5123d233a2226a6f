// The failing runs of a store by cause: which condition over messages tells each group from the runs that pass.
import {get, post, type Causes} from "./api";
import {busy, count, failure, h, percent, plural, replace, trim, visible} from "./dom";
import type {View} from "./run_view";
import {go, type State} from "./state";

/** So many runs of a group have a button, beside the one that shows it best. */
const kOthers = 6;

export function openCauses(place: HTMLElement, state: State): View {
  let closed = false;
  const store = state["store"] ?? "1";
  document.title = "Causes – Dissensus";
  replace(place, h("h1", {}, "Causes"), busy("making the runs again and comparing their messages… a thousand runs take some seconds"));
  get<Causes>(`stores/${store}/causes`).then((causes) => { if (!closed) draw(place, store, causes); },
    (error: Error) => { if (!closed) replace(place, h("h1", {}, "Causes"), failure(error.message)); });
  return {close: () => { closed = true; }};
}

/** Isolation calls a run by its row: "STORE#HUNT/NUMBER". */
function rowOf(name: string): {hunt: string; run: number} {
  const [hunt, run] = name.slice(name.lastIndexOf("#") + 1).split("/");
  return {hunt: hunt ?? "1", run: Number(run)};
}

function rowName(name: string): string {
  const {hunt, run} = rowOf(name);
  return `${hunt}/${run}`;
}

async function look(store: string, name: string, button: HTMLElement): Promise<void> {
  const {hunt, run} = rowOf(name);
  button.textContent = "running…";
  try {
    const answer = await post<{run: number}>(`stores/${store}/hunts/${hunt}/open`, {run});
    go({view: "run", run: String(answer.run)});
  } catch (error) { button.replaceWith(failure((error as Error).message)); }
}

/** Runs of a group as buttons: the one that shows it best first, then some others. */
function runButtons(store: string, representative: string, names: string[]): HTMLElement {
  const button = (name: string, words: string): HTMLElement => h("button", {type: "button", onclick: (event: Event) => { void look(store, name, event.target as HTMLElement); }}, words);
  const others = names.filter((name) => name !== representative);
  return h("p", {class: "beginnings"}, button(representative, `Look at the one that shows it best: run ${rowName(representative)}`),
    others.length > 0 && h("span", {class: "faint"}, "others: "), ...others.slice(0, kOthers).map((name) => button(name, `run ${rowName(name)}`)),
    others.length > kOthers && h("span", {class: "faint"}, `and ${count(others.length - kOthers)} more`));
}

function shareBar(part: number, all: number, words: string): HTMLElement {
  return h("p", {class: "share"}, h("span", {class: "track", "aria-hidden": "true"}, h("span", {style: `width:${100 * part / Math.max(1, all)}%`})), words);
}

function draw(place: HTMLElement, store: string, causes: Causes): void {
  const list = causes.causes.list;
  replace(place, h("div", {class: "causes"}, h("h1", {}, "Causes"),
    h("p", {class: "lead"}, causes.failing === 0 ? `None of ${plural(causes.runs, "run")} fails: there is nothing to separate.`
      : `${count(causes.failing)} of ${plural(causes.runs, "run")} fail, for ${plural(list.length, "cause")}.`),
    causes.causes.doubt !== "" && h("p", {class: "note"}, "In doubt: ", visible(causes.causes.doubt)),
    causes.sampled && h("p", {class: "note"}, `A sample: of ${count(causes.sampled.of)} runs ${percent(causes.sampled.failing_share)} of the failing ones and ${percent(causes.sampled.passing_share)} of the others were made again. What only few runs show may be missing; `, h("code", {}, "dissensus isolate"), " takes all of them."),
    ...list.map((cause, index) => h("section", {class: "card fail cause"}, h("h2", {}, `Cause ${index + 1}`, list.length === 1 && " of all"),
      shareBar(cause.runs.length, causes.failing, `${plural(cause.runs.length, "failing run")}, ${percent(cause.runs.length / Math.max(1, causes.failing))} of them; ${percent(cause.alike)} alike`),
      cause.ways_of_failing.length > 0 && h("p", {}, cause.ways_of_failing.map((way, at) => [at > 0 && "; ", visible(way.words), cause.ways_of_failing.length > 1 && h("span", {class: "faint"}, ` (${count(way.runs)})`)])),
      cause.rules.some((rule) => rule.length > 0) && [h("p", {class: "faint"}, "What tells them from the other failing runs:"),
        h("ul", {class: "conditions"}, ...cause.rules.map((rule, at) => h("li", {}, at > 0 && h("b", {}, "or "), rule.map((condition, place) => [place > 0 && h("b", {}, " and "), visible(condition)]))))],
      cause.shared !== "" && h("p", {}, "In common: ", visible(cause.shared)),
      runButtons(store, cause.representative, cause.runs))),
    causes.failing > 0 && h("h2", {}, "Conditions that tell failing runs from passing ones"),
    causes.failing > 0 && h("p", {class: "faint"}, causes.findings.length === 0 ? "None does: there are too few runs of either sort, or nothing in their messages differs."
      : `One after the other, each on what those before it left: together they explain ${count(causes.failing - causes.unexplained.length)} of ${plural(causes.failing, "failing run")}.`),
    ...causes.findings.map((finding, index) => h("section", {class: "card"}, h("h3", {}, `${index + 1}. `, visible(finding.words)),
      shareBar(finding.failing_true, causes.failing, `holds in ${plural(finding.failing_true, "failing run")} and ${plural(finding.successful_true, "passing run")}; importance ${trim(finding.importance, 3)}`),
      runButtons(store, finding.representative, finding.cluster),
      h("details", {}, h("summary", {}, "Exactly", finding.relatives.length > 0 && ", and conditions that say nearly the same"), h("p", {}, h("code", {}, visible(finding.predicate))),
        h("ul", {}, ...finding.relatives.map((relative) => h("li", {}, h("b", {}, relative.type), " ", h("code", {}, visible(relative.predicate)))))))),
    causes.unexplained.length > 0 && h("p", {class: "faint"}, `${plural(causes.unexplained.length, "failing run")} in no group.`)));
}
