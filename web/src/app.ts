// The explorer: the address says which view is open and what it shows.
import {get, isSaved, type Overview, type RunEntry} from "./api";
import {openCampaign} from "./campaign_view";
import {openCampaigns} from "./campaigns_view";
import {openCauses} from "./causes_view";
import {openCompare} from "./compare_view";
import {openConformance} from "./conformance_view";
import {brief, busy, count, failure, h, outcomeMark, plural, replace, visible, type Child} from "./dom";
import {openMatter} from "./matter_view";
import {openModel} from "./model_view";
import {openRun, type View} from "./run_view";
import {saveAsFile} from "./save";
import {isDark} from "./colours";
import {link, readState, type State} from "./state";

const views: Record<string, (place: HTMLElement, state: State) => View> = {
  run: openRun, compare: openCompare, matter: openMatter, campaign: openCampaign, campaigns: openCampaigns, causes: openCauses, model: openModel, conformance: openConformance, home: openHome,
};

let open: View | null = null;
const main = h("main", {id: "main", tabindex: -1});

/** Everything in one sentence. */
function inWords(overview: Overview): string {
  const hunts = overview.stores.flatMap((store) => store.hunts);
  const failed = hunts.reduce((sum, hunt) => sum + hunt.failed, 0);
  const own = overview.runs.filter((run) => run.parent === 0);
  const failing = own.filter((run) => run.outcome === "fail").length;
  const parts = [hunts.length > 0 && `${plural(hunts.length, "hunt")} with ${plural(failed, "failing run")}`,
    own.length > 0 && `${plural(own.length, "run")}, of which ${failing === own.length && failing > 1 ? "all" : count(failing)} ${failing === 1 ? "fails" : "fail"}`,
    overview.models.length > 0 && plural(overview.models.length, "model"),
    overview.conformance.length > 0 && `${plural(overview.conformance.length, "difference")} between model and implementation`].filter(Boolean);
  return parts.length > 0 ? `${parts.join("; ")}.` : "";
}

function runEntry(run: RunEntry, children: Map<number, RunEntry[]>): HTMLElement {
  const from = children.get(run.run) ?? [];
  const way = run.parent > 0 ? `${visible(run.name)}: ${visible(run.words)}` : visible(run.name);
  return h("li", {class: run.outcome}, h("a", {href: link({view: "run", run: String(run.run)})}, `${outcomeMark(run.outcome)} ${way}`),
    run.violation !== "" && h("span", {class: "faint"}, " ", brief(run.violation)),
    from.length > 0 && h("ul", {class: "runs"}, ...from.map((child) => runEntry(child, children))));
}

function openHome(place: HTMLElement): View {
  let closed = false;
  document.title = "Dissensus explorer";
  replace(place, busy("…"));
  const links = (title: string, entries: [string, State][]): Child => entries.length > 0 && h("section", {}, h("h2", {}, title),
    h("ul", {class: "runs"}, ...entries.map(([name, state]) => h("li", {}, h("a", {href: link(state), title: visible(name)}, visible(name.split("/").pop() ?? name))))));
  get<Overview>("").then((overview) => {
    if (closed) return;
    const children = new Map<number, RunEntry[]>();
    for (const run of overview.runs) children.set(run.parent, [...children.get(run.parent) ?? [], run]);
    const words = inWords(overview);
    replace(place, h("div", {class: "home"}, h("h1", {}, "What is here"), words && h("p", {class: "lead"}, words),
      !words && h("p", {}, "Nothing yet. Find something with ", h("code", {}, "dissensus hunt SCENARIO"), ", and serve the folder that it wrote."),
      overview.stores.map((store) => h("section", {}, h("h2", {}, "Hunts of ", h("code", {}, visible(store.name))), store.trouble && failure(store.trouble),
        store.hunts.length === 0 && h("p", {class: "faint"}, "No hunt has been written to it yet; they appear here when they begin."),
        store.hunts.length > 0 && h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {}, "hunt"), h("th", {}, "search"), h("th", {class: "number"}, "runs"), h("th", {class: "number"}, "failed"), h("th", {class: "number"}, "findings"), h("th", {}, "state"))),
          h("tbody", {}, ...store.hunts.map((hunt) => h("tr", {}, h("td", {}, h("a", {href: link({view: "campaign", store: String(store.store), hunt: String(hunt.hunt)})}, visible(hunt.scenario || `hunt ${hunt.hunt}`))),
            h("td", {}, visible(String(hunt.search))), h("td", {class: "number"}, count(hunt.items)), h("td", {class: "number"}, count(hunt.failed)), h("td", {class: "number"}, hunt.findings), h("td", {}, hunt.finished ? "finished" : hunt.runs_per_second > 0 ? "going on" : "not finished")))))),
        store.hunts.some((hunt) => hunt.failed > 0) && h("p", {}, h("a", {href: link({view: "causes", store: String(store.store)})}, "Its failing runs by cause")))),
      overview.stores.reduce((sum, store) => sum + store.hunts.length, 0) > 1 && h("p", {}, h("a", {href: link({view: "campaigns"})}, "Compare two hunts")),
      overview.runs.length > 0 && h("section", {}, h("h2", {}, "Runs"), h("ul", {class: "runs"}, ...(children.get(0) ?? []).map((run) => runEntry(run, children)))),
      links("Models", overview.models.map((model) => [model.name, {view: "model", model: String(model.model)}])),
      links("Model against implementation", overview.conformance.map((one) => [one.name, {view: "conformance", finding: String(one.finding)}])),
      h("p", {class: "faint"}, visible(overview.program))));
  }, (error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => { closed = true; }};
}

async function show(): Promise<void> {
  open?.close();
  let state = readState();
  if (!state["view"]) {
    // One run and nothing else: that is what somebody wants to see. What was made here since then does not count.
    try {
      const overview = await get<Overview>("");
      const others = overview.stores.length + overview.runs.length;
      const own = overview.runs.filter((run) => run.parent === 0);
      if (overview.conformance.length === 1 && others + overview.models.length === 0) {
        history.replaceState(null, "", link({view: "conformance", finding: "1"}));
      } else if (overview.models.length === 1 && others + overview.conformance.length === 0) {
        history.replaceState(null, "", link({view: "model", model: "1"}));
      } else if (overview.models.length + overview.conformance.length === 0 && overview.stores.length === 0 && own.length >= 1 && own.length <= 2) {
        const last = own[own.length - 1]!;
        history.replaceState(null, "", link({view: "run", run: String(last.run)}));
      } else if (overview.runs.length === 0 && overview.stores.length === 1 && overview.stores[0]!.hunts.length === 1) {
        history.replaceState(null, "", link({view: "campaign", store: "1", hunt: "1"}));
      }
    } catch { /* the view says it */ }
    state = readState();
  }
  const view = views[state["view"] ?? "home"] ?? openHome;
  open = view(main, state);
}

function help(): HTMLDialogElement {
  const line = (keys: string, what: string): HTMLElement => h("tr", {}, h("th", {scope: "row"}, h("kbd", {}, keys)), h("td", {}, what));
  const dialog = h("dialog", {"aria-label": "Keys"}, h("h2", {}, "Keys of the diagram"), h("table", {},
    line("← →", "the event before, after at the same node"), line("↑ ↓", "the node above, below"), line("c  e", "its cause, its first effect"), line("v", "the violation"),
    line("+  −  0", "zoom in, out, all"), line("PageUp  PageDown", "move; Shift with ← → by less"), line("/  n  N", "search; next, previous hit"), line("Esc", "nothing selected"),
    line("↑ ↓ in the log", "the line before, after"), line("wheel, drag", "zoom at the pointer, move"), line("?", "these keys")),
    h("p", {class: "faint"}, "In models and conformance findings ← → go from step to step."),
    h("form", {method: "dialog"}, h("button", {}, "Close")));
  return dialog;
}

function start(): void {
  const app = document.getElementById("app");
  if (!app) return;
  const keys = help();
  const stored = ((): string | null => { try { return localStorage.getItem("theme"); } catch { return null; } })();
  if (stored === "dark" || stored === "light") document.documentElement.dataset["theme"] = stored;
  const turn = (): void => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    try { localStorage.setItem("theme", next); } catch { /* then only here */ }
    void show();
  };
  replace(app, h("a", {class: "skip", href: "#main", onclick: (event: Event) => { event.preventDefault(); main.focus(); }}, "To the content"),
    h("header", {class: "bar"}, h("a", {class: "brand", href: link({view: "home"}), title: "What is here"}, "Dissensus"),
      isSaved && h("span", {class: "faint"}, "saved page"),
      h("span", {class: "grow"}),
      h("button", {type: "button", onclick: () => keys.showModal()}, "Keys"),
      h("button", {type: "button", onclick: turn, title: "Light or dark", "aria-label": "Light or dark"}, "◐"),
      !isSaved && h("button", {type: "button", id: "save", title: "This view with all that it has been told, as one file that needs no server", onclick: () => { void saveAsFile(); }}, "Save as one file")),
    main, keys);
  addEventListener("keydown", (event) => {
    if (event.key === "?" && !(event.target as HTMLElement).closest("input, select, textarea, dialog")) keys.showModal();
  });
  addEventListener("hashchange", () => { void show(); });
  void show();
}

start();
