// Two hunts side by side: two builds, two searches, with the tests that say whether a difference may be chance.
import {get, type HuntComparison, type Overview, type Share} from "./api";
import {chart} from "./charts";
import {busy, count, failure, h, percent, replace, trim, visible} from "./dom";
import type {View} from "./run_view";
import {go, readState, type State} from "./state";

export function openCampaigns(place: HTMLElement, state: State): View {
  let closed = false;
  replace(place, busy("comparing…"));
  get<Overview>("").then(async (overview) => {
    const hunts = overview.stores.flatMap((store) => store.hunts.map((hunt) => ({value: `${store.store}/${hunt.hunt}`,
      text: `${hunt.scenario}, ${String(hunt.search)}, ${hunt.program} (${store.name}#${hunt.hunt})`})));
    const first = state["first"] ?? hunts[0]?.value ?? "";
    const second = state["second"] ?? hunts.find((hunt) => hunt.value !== first)?.value ?? "";
    const choice = (name: string, value: string): HTMLElement => {
      const select = h("select", {"aria-label": name, onchange: () => go({...readState(), view: "campaigns", first, second, [name]: select.value})},
        ...hunts.map((hunt) => h("option", {value: hunt.value, selected: hunt.value === value}, visible(hunt.text))));
      return select;
    };
    const body = h("div", {});
    if (closed) return;
    document.title = "Compare hunts – Dissensus";
    replace(place, h("div", {class: "campaign"}, h("h1", {}, "Compare two hunts"), h("p", {class: "filters"}, choice("first", first), choice("second", second)), body));
    if (second === "") { replace(body, h("p", {}, "There is only one hunt here; serve several stores to compare them.")); return; }
    const comparison = await get<HuntComparison>(`compare?first=${encodeURIComponent(first)}&second=${encodeURIComponent(second)}`);
    if (!closed) draw(body, comparison);
  }).catch((error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => { closed = true; }};
}

function share(value: Share): string {
  return `${count(value.count)} of ${count(value.of)} = ${percent(value.share)} (${percent(value.low)} to ${percent(value.high)})`;
}

function pValue(value: number): string { return value < 0.0001 ? "< 0.0001" : trim(value, 4); }

function draw(body: HTMLElement, comparison: HuntComparison): void {
  const failed = comparison.failed;
  const different = failed.p_value < 0.05;
  const more = failed.first.share > failed.second.share ? "first" : "second";
  // Called by what tells them apart.
  const apart = (["search", "program", "scenario", "store"] as const).find((key) => comparison.first[key] !== comparison.second[key]);
  const [a, b] = [comparison.first, comparison.second].map((hunt, index) => `${index === 0 ? "first" : "second"}${apart ? `: ${visible(String(hunt[apart]))}` : ""}`) as [string, string];
  const step = Math.max(1, Math.floor(comparison.common_runs / 60));
  replace(body,
    h("p", {class: "lead"}, different ? `Runs of the ${more} hunt fail more often (Fisher's exact test, p ${pValue(failed.p_value)}).`
      : `No difference in how often runs fail that could not be chance (Fisher's exact test, p = ${pValue(failed.p_value)}).`),
    h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", {}, a), h("th", {}, b), h("th", {}, "p"), h("th", {}, "p, corrected (Holm)"))),
      h("tbody", {},
        h("tr", {}, h("th", {scope: "row"}, "failing runs (95 % interval)"), h("td", {}, share(failed.first)), h("td", {}, share(failed.second)), h("td", {}, pValue(failed.p_value)), h("td", {}, "")),
        h("tr", {}, h("th", {scope: "row"}, "first failing run"), h("td", {}, comparison.first_failure.first === null ? "none" : count(comparison.first_failure.first)),
          h("td", {}, comparison.first_failure.second === null ? "none" : count(comparison.first_failure.second)), h("td", {}), h("td", {})),
        ...comparison.signatures.map((line) => h("tr", {}, h("th", {scope: "row"}, visible(line.signature)), h("td", {}, share(line.first)), h("td", {}, share(line.second)),
          h("td", {}, pValue(line.p_value)), h("td", {}, pValue(line.p_adjusted))))))),
    h("p", {class: "note"}, "Intervals are 95 %; a difference between hunts that differ in more than one thing says nothing of which of these things it comes from."),
    h("div", {class: "charts"}, chart("Abstract states after as many runs", [{name: a, values: comparison.states_after.first}, {name: b, values: comparison.states_after.second}], step, "runs"),
      chart("Failing runs after as many runs", [{name: a, values: comparison.failed_after.first}, {name: b, values: comparison.failed_after.second}], step, "runs")));
}
