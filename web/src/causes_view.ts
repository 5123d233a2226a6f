// The failing runs of a store by cause: which condition over messages tells each group from the runs that pass.
import {get, post, type Causes, type StoreBrief} from "./api";
import {busy, count, failure, h, percent, replace, trim, visible} from "./dom";
import type {View} from "./run_view";
import {go, type State} from "./state";

export function openCauses(place: HTMLElement, state: State): View {
  let closed = false;
  const store = state["store"] ?? "1";
  document.title = "Causes – Dissensus";
  replace(place, h("h1", {}, "Causes"), busy("making every run again and comparing their messages…"));
  get<Causes>(`stores/${store}/causes`).then((causes) => { if (!closed) draw(place, store, causes); },
    (error: Error) => { if (!closed) replace(place, h("h1", {}, "Causes"), failure(error.message)); });
  return {close: () => { closed = true; }};
}

/** Isolation calls a run by its scenario and its item, which counts from 0: "xrpl-b3 16". */
async function look(store: string, name: string, button: HTMLElement): Promise<void> {
  const blank = name.lastIndexOf(" ");
  try {
    const {hunts} = await get<StoreBrief>(`stores/${store}`);
    const hunt = hunts.find((one) => one.scenario === name.slice(0, blank))?.hunt ?? 1;
    const answer = await post<{run: number}>(`stores/${store}/hunts/${hunt}/open`, {run: Number(name.slice(blank + 1)) + 1});
    go({view: "run", run: String(answer.run)});
  } catch (error) { button.replaceWith(failure((error as Error).message)); }
}

function draw(place: HTMLElement, store: string, causes: Causes): void {
  replace(place, h("div", {class: "causes"}, h("h1", {}, "Causes"),
    h("p", {class: "lead"}, `${count(causes.failing)} of ${count(causes.runs)} runs fail; ${causes.findings.length} conditions over messages explain ${count(causes.failing - causes.unexplained.length)} of them.`),
    causes.sampled && h("p", {class: "note"}, `A sample: of ${count(causes.sampled.of)} runs ${percent(causes.sampled.failing_share)} of the failing ones and ${percent(causes.sampled.passing_share)} of the others were made again. What only few runs show may be missing; `, h("code", {}, "dissensus isolate"), " takes all of them."),
    causes.findings.length === 0 && h("p", {}, "No condition tells the failing runs from the others: there are too few of them, or none differs."),
    ...causes.findings.map((finding, index) => h("section", {class: "card"}, h("h2", {}, `${index + 1}. `, visible(finding.words)),
      h("p", {}, h("code", {}, visible(finding.predicate))),
      h("p", {}, `holds in ${count(finding.failing_true)} failing and ${count(finding.successful_true)} passing runs; importance ${trim(finding.importance, 3)}; cluster of ${count(finding.cluster.length)} runs `,
        h("button", {type: "button", onclick: (event: Event) => { void look(store, finding.representative, event.target as HTMLElement); }}, `Look at the one that shows it best (${finding.representative})`)),
      finding.relatives.length > 0 && h("details", {}, h("summary", {}, "Conditions that say nearly the same"),
        h("ul", {}, ...finding.relatives.map((relative) => h("li", {}, h("b", {}, relative.type), " ", h("code", {}, visible(relative.predicate)))))))),
    causes.unexplained.length > 0 && h("p", {class: "faint"}, `${count(causes.unexplained.length)} failing runs are in no group.`)));
}
