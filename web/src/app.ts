// The explorer: the address says which view is open and what it shows.
import {get, isSaved, type Overview} from "./api";
import {openCampaign} from "./campaign_view";
import {openCampaigns} from "./campaigns_view";
import {openCauses} from "./causes_view";
import {openCompare} from "./compare_view";
import {openConformance} from "./conformance_view";
import {busy, count, failure, h, replace, visible} from "./dom";
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

function outcomeMark(outcome: string): string {
  return outcome === "fail" ? "✗" : outcome === "pass" ? "✓" : outcome === "unknown" ? "?" : "·";
}

function openHome(place: HTMLElement): View {
  let closed = false;
  document.title = "Dissensus explorer";
  replace(place, busy("…"));
  get<Overview>("").then((overview) => {
    if (closed) return;
    const children = new Map<number, number>();
    for (const run of overview.runs) children.set(run.parent, (children.get(run.parent) ?? 0) + 1);
    replace(place, h("div", {class: "home"}, h("h1", {}, "What is here"),
      overview.stores.map((store) => h("section", {}, h("h2", {}, "Store ", h("code", {}, visible(store.name))), store.trouble && failure(store.trouble),
        h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {}, "hunt"), h("th", {}, "search"), h("th", {class: "number"}, "runs"), h("th", {class: "number"}, "failed"), h("th", {class: "number"}, "findings"), h("th", {}, "state"))),
          h("tbody", {}, ...store.hunts.map((hunt) => h("tr", {}, h("td", {}, h("a", {href: link({view: "campaign", store: String(store.store), hunt: String(hunt.hunt)})}, visible(hunt.scenario || `hunt ${hunt.hunt}`))),
            h("td", {}, visible(String(hunt.search))), h("td", {class: "number"}, count(hunt.items)), h("td", {class: "number"}, count(hunt.failed)), h("td", {class: "number"}, hunt.findings), h("td", {}, hunt.finished ? "finished" : "not finished")))))),
        h("p", {}, h("a", {href: link({view: "causes", store: String(store.store)})}, "Separate its failing runs by cause")))),
      overview.stores.reduce((sum, store) => sum + store.hunts.length, 0) > 1 && h("p", {}, h("a", {href: link({view: "campaigns"})}, "Compare two hunts")),
      overview.models.length > 0 && h("section", {}, h("h2", {}, "Models"), h("ul", {class: "runs"}, ...overview.models.map((model) => h("li", {},
        h("a", {href: link({view: "model", model: String(model.model)})}, visible(model.name)))))),
      overview.conformance.length > 0 && h("section", {}, h("h2", {}, "Model against implementation"), h("ul", {class: "runs"}, ...overview.conformance.map((one) => h("li", {},
        h("a", {href: link({view: "conformance", finding: String(one.finding)})}, visible(one.name)))))),
      overview.runs.length > 0 && h("section", {}, h("h2", {}, "Runs"), h("ul", {class: "runs"}, ...overview.runs.map((run) => h("li", {class: run.outcome},
        h("a", {href: link({view: "run", run: String(run.run)})}, `${outcomeMark(run.outcome)} ${visible(run.name)}`),
        run.parent > 0 && h("span", {class: "faint"}, ` from run ${run.parent}: ${visible(run.words)}`))))),
      h("p", {class: "faint"}, visible(overview.program))));
  }, (error: Error) => { if (!closed) replace(place, failure(error.message)); });
  return {close: () => { closed = true; }};
}

async function show(): Promise<void> {
  open?.close();
  let state = readState();
  if (!state["view"]) {
    // One run and nothing else: that is what somebody wants to see.
    try {
      const overview = await get<Overview>("");
      const others = overview.stores.length + overview.runs.length;
      if (overview.conformance.length === 1 && others + overview.models.length === 0) {
        history.replaceState(null, "", link({view: "conformance", finding: "1"}));
      } else if (overview.models.length === 1 && others + overview.conformance.length === 0) {
        history.replaceState(null, "", link({view: "model", model: "1"}));
      } else if (overview.models.length + overview.conformance.length === 0 && overview.stores.length === 0 && overview.runs.length >= 1 && overview.runs.length <= 2) {
        const last = overview.runs[overview.runs.length - 1]!;
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
    line("wheel, drag", "zoom at the pointer, move")),
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
    h("header", {class: "bar"}, h("a", {class: "brand", href: link({view: "home"})}, "Dissensus"),
      isSaved && h("span", {class: "faint"}, "saved page"),
      h("span", {class: "grow"}),
      h("button", {type: "button", onclick: () => keys.showModal()}, "Keys"),
      h("button", {type: "button", onclick: turn}, "Light/dark"),
      !isSaved && h("button", {type: "button", id: "save", onclick: () => { void saveAsFile(); }}, "Save as one file")),
    main, keys);
  addEventListener("hashchange", () => { void show(); });
  void show();
}

start();
