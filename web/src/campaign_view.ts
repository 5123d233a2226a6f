// A hunt of a store: how it goes, what it found, and every run of it.
import {get, lines, post, type HuntBrief, type HuntDetail, type Item, type Items, type YieldLine} from "./api";
import {chart, sums, type Series} from "./charts";
import {busy, count, failure, h, outcomeMark, percent, plural, replace, seconds, trim, visible, type Child} from "./dom";
import type {View} from "./run_view";
import {go, link, readState, refine, type State} from "./state";

const kPage = 50;

export function openCampaign(place: HTMLElement, state: State): View {
  return new CampaignPage(place, Number(state["store"]), Number(state["hunt"] ?? "1"));
}

class CampaignPage implements View {
  private readonly stop = new AbortController();
  private readonly head = h("header", {}, h("h1", {}, "Hunt"));
  private readonly tiles = h("dl", {class: "tiles", "aria-live": "polite"});
  private readonly body = h("div", {});
  private readonly table = h("div", {class: "items"});
  private readonly path: string;
  private seen = "";
  private busy = false;

  constructor(place: HTMLElement, private readonly store: number, private readonly hunt: number) {
    this.path = `stores/${store}/hunts/${hunt}`;
    replace(place, h("div", {class: "campaign"}, this.head, this.tiles, this.body, this.table));
    replace(this.body, busy("reading…"));
    void this.load();
    void this.loadItems();
    lines(`stores/${store}/updates`, this.stop.signal, (line) => this.update(line as {hunts: HuntBrief[]})).catch(() => { /* ends with the page */ });
  }

  close(): void { this.stop.abort(); }

  private update(state: {hunts: HuntBrief[]}): void {
    const brief = state.hunts[this.hunt - 1];
    if (!brief) return;
    this.drawTiles(brief);
    const now = `${brief.items} ${brief.read} ${brief.failed}`;
    if (now !== this.seen && !this.busy) {
      this.seen = now;
      this.busy = true;
      void Promise.all([this.load(), this.loadItems()]).finally(() => { setTimeout(() => { this.busy = false; }, 1000); });
    }
  }

  private drawTiles(brief: HuntBrief): void {
    const tile = (name: string, value: string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    replace(this.tiles, tile("runs", count(brief.items)), tile("state", brief.finished ? "finished" : brief.runs_per_second > 0 ? "going on" : "not finished"),
      brief.runs_per_second > 0 && tile("runs/s", count(Math.round(brief.runs_per_second))), tile("failed", count(brief.failed)),
      tile("unknown", count(brief.unknown)), tile("findings", String(brief.findings)), brief.workers > 0 && tile("workers", String(brief.workers)),
      tile("virtual time", brief.virtual_seconds >= 7200 ? `${count(Math.round(brief.virtual_seconds / 3600))} h` : seconds(brief.virtual_seconds * 1e6)),
      brief.mismatches > 0 && tile("NOT DETERMINISTIC", `${brief.mismatches} runs`),
      brief.read < brief.items && tile("read so far", percent(brief.read / brief.items)));
  }

  private async load(): Promise<void> {
    try {
      const detail = await get<HuntDetail>(this.path);
      document.title = `${detail.scenario} – Dissensus`;
      this.drawTiles(detail);
      this.draw(detail);
    } catch (error) { replace(this.body, failure((error as Error).message)); }
  }

  private draw(detail: HuntDetail): void {
    const step = detail.runs_per_bucket;
    const course = detail.course;
    const best = (values: number[]): number[] => { let most = 0; return values.map((value) => most = Math.max(most, value)); };
    const byStates = (line: YieldLine): Series => ({name: line.name, values: sums(line.states_over_time)});
    const byFailed = (line: YieldLine): Series => ({name: line.name, values: sums(line.failed_over_time)});
    const yields = (title: string, list: YieldLine[], series: (line: YieldLine) => Series): Child => list.length > 1 && chart(title, list.slice(0, 6).map(series), step, "runs");
    const first = detail.findings_list.reduce((least, finding) => Math.min(least, finding.first_run), Infinity);
    replace(this.head, h("h1", {}, visible(detail.scenario || "Hunt")),
      h("p", {class: `verdict ${detail.failed > 0 ? "fail" : detail.items > 0 ? "pass" : ""}`}, detail.failed > 0
        ? [h("strong", {}, `✗ ${plural(detail.failed, "run")} of ${count(detail.items)} ${detail.failed === 1 ? "fails" : "fail"}`), ` (${percent(detail.failed / detail.items)}), in ${detail.findings_list.length === 1 ? "one way" : `${detail.findings_list.length} ways`}`, first < Infinity && `; the first is run ${count(first)}`]
        : detail.items === 0 ? "No run so far: they appear here as they are made." : [h("strong", {}, `✓ none of ${plural(detail.items, "run")} fails`), detail.finished ? "" : ", so far"]),
      h("p", {class: "faint"}, `search ${visible(String(detail.search))}, ${visible(detail.program)}`));
    replace(this.body,
      detail.findings_list.length > 0 && h("h2", {}, "Findings"), detail.findings_list.length > 0 && this.findings(detail),
      h("div", {class: "charts"},
        chart("Abstract states reached", [{name: "states", values: sums(course.states)}], step, "runs"),
        chart("Failing runs", [{name: "failing", values: sums(course.failed)}], step, "runs"),
        chart("Nearest to a violation so far (margin)", [{name: "disagreement", values: best(course.disagreement_margin)},
          {name: "no termination", values: best(course.termination_margin)}], step, "runs"),
        yields("New states by search", detail.members, byStates), detail.failed > 0 && yields("Failing runs by search", detail.members, byFailed),
        yields("New states by origin", detail.origins, byStates), detail.failed > 0 && yields("Failing runs by origin", detail.origins, byFailed)),
      h("div", {class: "columns two"}, this.yield("Yield by search", detail.members, "member"), this.yield("Yield by origin", detail.origins, "origin")),
      h("h2", {}, "Runs"), this.filters(detail));
  }

  private findings(detail: HuntDetail): HTMLElement {
    return h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {}, "signature"), h("th", {class: "number"}, "runs"),
      h("th", {class: "number"}, "share"), h("th", {class: "number"}, "first in run"), h("th", {}, ""))),
      h("tbody", {}, ...detail.findings_list.map((finding) => h("tr", {}, h("td", {}, visible(finding.signature)), h("td", {class: "number"}, count(finding.count)),
        h("td", {class: "number"}, percent(finding.count / Math.max(1, detail.items))), h("td", {class: "number"}, count(finding.first_run)),
        h("td", {}, h("button", {type: "button", onclick: (event: Event) => { void this.openRow(finding.first_run, event.target as HTMLElement); }}, "Look"), " ",
          h("button", {type: "button", onclick: () => this.filter({signature: finding.signature, outcome: "fail", page: ""})}, "Its runs")))))));
  }

  private yield(title: string, list: YieldLine[], key: string): HTMLElement {
    return h("section", {}, h("h2", {}, title), h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {}, "name"), h("th", {class: "number"}, "runs"),
      h("th", {class: "number"}, "failed"), h("th", {class: "number"}, "share"), h("th", {class: "number"}, "new states per 1000 runs"))),
      h("tbody", {}, ...list.map((line) => h("tr", {}, h("td", {}, h("button", {type: "button", class: "quiet", onclick: () => this.filter({[key]: line.name, page: ""})}, visible(line.name || "(no name)"))),
        h("td", {class: "number"}, count(line.runs)), h("td", {class: "number"}, count(line.failed)), h("td", {class: "number"}, percent(line.failed / Math.max(1, line.runs))),
        h("td", {class: "number"}, trim(line.states / Math.max(1, line.runs) * 1000, 1))))))));
  }

  private filters(detail: HuntDetail): HTMLElement {
    const state = readState();
    const choice = (name: string, label: string, values: string[]): HTMLElement => {
      const select = h("select", {name, onchange: () => this.filter({[name]: select.value, page: ""})}, h("option", {value: ""}, "any"),
        ...values.map((value) => h("option", {value, selected: state[name] === value}, visible(value || "(none)"))));
      return h("label", {}, label, " ", select);
    };
    return h("div", {class: "filters"}, choice("outcome", "outcome", ["fail", "pass", "unknown"]),
      choice("signature", "signature", detail.findings_list.map((finding) => finding.signature)),
      detail.members.length > 1 && choice("member", "search", detail.members.map((line) => line.name)),
      detail.origins.length > 1 && choice("origin", "origin", detail.origins.map((line) => line.name)),
      h("a", {href: link({view: "causes", store: String(this.store)})}, "Separate by cause"),
      h("a", {href: link({view: "campaigns", first: `${this.store}/${this.hunt}`})}, "Compare with another hunt"));
  }

  private filter(changes: State): void { refine(changes); void this.loadItems(); this.table.scrollIntoView({block: "nearest"}); }

  private async loadItems(): Promise<void> {
    const state = readState();
    const query = new URLSearchParams();
    for (const key of ["outcome", "signature", "member", "origin", "sort", "order"]) if (state[key]) query.set(key, state[key]!);
    const page = Number(state["page"] ?? "0") || 0;
    query.set("from", String(page * kPage));
    query.set("count", String(kPage));
    try {
      this.drawItems(await get<Items>(`${this.path}/items?${query}`), page);
    } catch (error) { replace(this.table, failure((error as Error).message)); }
  }

  private drawItems(items: Items, page: number): void {
    const state = readState();
    const head = (name: string, key: string): HTMLElement => {
      const is = (state["sort"] ?? "number") === key;
      const falling = is && state["order"] === "falling";
      return h("th", {class: "number", "aria-sort": is ? falling ? "descending" : "ascending" : "none"}, h("button", {type: "button", class: "quiet",
        onclick: () => this.filter({sort: key, order: is && !falling ? "falling" : "", page: ""})}, name, is ? falling ? " ▼" : " ▲" : ""));
    };
    const row = (item: Item): HTMLElement => h("tr", {class: item.outcome}, h("td", {class: "number"}, count(item.run)),
      h("td", {}, `${outcomeMark(item.outcome)} `, visible(item.signature || item.outcome), item.stability === 2 && " (not repeatable)"),
      h("td", {}, h("button", {type: "button", onclick: (event: Event) => { void this.openRow(item.run, event.target as HTMLElement); }}, "Look")),
      h("td", {class: "number"}, trim(item.disagreement_margin, 3)), h("td", {class: "number"}, trim(item.termination_margin, 3)), h("td", {class: "number"}, count(item.events)),
      h("td", {class: "number"}, seconds(item.virtual_ms * 1000)), h("td", {class: "number"}, count(item.new_states)), h("td", {}, visible(item.member), item.origin !== item.member && h("span", {class: "faint"}, `, ${visible(item.origin)}`)));
    replace(this.table, h("p", {role: "status"}, items.total === 0 && Object.keys(state).some((key) => ["outcome", "signature", "member", "origin"].includes(key)) ? "0 runs: none is left by these filters " : plural(items.total, "run"),
      items.total > kPage && [`, ${count(items.from + 1)} to ${count(items.from + items.items.length)} `,
        h("button", {type: "button", disabled: page === 0, onclick: () => this.filter({page: String(page - 1)})}, "‹ earlier"), " ",
        h("button", {type: "button", disabled: items.from + kPage >= items.total, onclick: () => this.filter({page: String(page + 1)})}, "later ›")]),
      h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, head("run", "number"), h("th", {}, "verdict"), h("th", {}, ""), head("disagreement", "disagreement"), head("termination", "termination"),
        head("events", "events"), head("virtual", "virtual"), head("new states", "states"), h("th", {}, "made by"))), h("tbody", {}, ...items.items.map(row)))));
  }

  /** Makes the run again and goes there. */
  private async openRow(run: number, button: HTMLElement): Promise<void> {
    button.textContent = "running…";
    try {
      const answer = await post<{run: number}>(`${this.path}/open`, {run});
      go({view: "run", run: String(answer.run)});
    } catch (error) { button.replaceWith(failure((error as Error).message)); }
  }
}
