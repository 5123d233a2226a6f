// Does it matter? Each number of the schedule with the range in which the run fails.
import {get, lines, type MatterLine, type RunHead} from "./api";
import {busy, failure, h, plural, replace, svg, trim, visible} from "./dom";
import {verdictLine, type View} from "./run_view";
import {link, type State} from "./state";

const kWidth = 360;

export function openMatter(place: HTMLElement, state: State): View {
  const stop = new AbortController();
  const rows = h("tbody", {});
  const said = busy("making the run again with other values…");
  const seeds = h("p", {class: "lead"});
  const verdict = h("div", {});
  get<RunHead>(`runs/${state["run"]}`).then((head) => replace(verdict, verdictLine(head)), () => { /* the measuring says it */ });
  document.title = "Does it matter? – Dissensus";
  replace(place, h("div", {class: "matter"}, h("h1", {}, "Does it matter?"), verdict,
    h("p", {}, "Each number of the schedule is changed, all others stay: with which values does the run fail in the same way? ",
      h("a", {href: link({view: "run", run: state["run"] ?? ""})}, "Back to the run")),
    seeds, h("ul", {class: "legend"}, h("li", {}, h("b", {class: "fails"}, "●"), " fails"), h("li", {}, h("b", {class: "passes"}, "×"), " does not"), h("li", {}, h("b", {}, "|"), " the schedule's value"), h("li", {}, h("span", {class: "swatch range"}), "the range around it in which it fails")),
    h("div", {class: "wide"}, h("table", {class: "ranges"}, h("thead", {}, h("tr", {}, h("th", {}, "what"), h("th", {}, "value"), h("th", {}, "it fails"), h("th", {}, "tried"))), rows)), said));
  let values = 0;
  let done = 0;
  let any = 0;
  lines(`runs/${state["run"]}/matter`, stop.signal, (line) => {
    const value = line as Partial<MatterLine> & {values?: number; seeds?: number; failing_seeds?: number};
    if (value.values !== undefined) {
      values = value.values;
    } else if (value.seeds !== undefined) {
      seeds.textContent = (done === 0 ? "" : any === done ? "It fails with any value of all these numbers. " : `${plural(done - any, "number")} of ${done} must lie in a range. `) + `With ${value.failing_seeds} of ${value.seeds} other seeds it fails in the same way: ` +
        (value.failing_seeds === value.seeds ? "chance has no part in it." : value.failing_seeds === 0 ? "chance decides." : "chance has a part in it.");
    } else {
      done += 1;
      if (value.any) any += 1;
      rows.append(row(value as MatterLine));
    }
    said.textContent = done < values ? `${done} of ${values} measured…` : values === 0 ? "This schedule has no numbers: delays, times or spans." : "";
  }).then(() => { if (done >= values && values > 0) said.textContent = ""; },
    (error: Error) => { if (error.name !== "AbortError") replace(said, failure(error.message)); });
  return {close: () => stop.abort()};
}

function milliseconds(value: number): string {
  return value >= 1000 ? `${trim(value / 1000, 3)} s` : `${trim(value, 3)} ms`;
}

function row(line: MatterLine): HTMLElement {
  const all = line.samples.every(([, fails]) => fails);
  const before = line.samples.some(([at, fails]) => at < line.low_ms && !fails);
  const after = line.samples.some(([at, fails]) => at > line.high_ms && !fails);
  const words = all ? "at any value" : before && after ? `from ${milliseconds(line.low_ms)} to ${milliseconds(line.high_ms)}`
    : before ? `from ${milliseconds(line.low_ms)} on` : after ? `up to ${milliseconds(line.high_ms)}` : "around this value";
  const elsewhere = line.samples.filter(([at, fails]) => fails && (at < line.low_ms || at > line.high_ms)).length;
  return h("tr", {}, h("td", {}, visible(line.words), h("div", {class: "faint"}, visible(line.part))),
    h("td", {class: "number"}, milliseconds(line.value_ms)),
    h("td", {}, h("strong", {}, words), elsewhere > 0 && h("div", {class: "faint"}, `and at ${elsewhere} of the other values tried`), picture(line)),
    h("td", {class: "number"}, line.runs));
}

function picture(line: MatterLine): SVGElement {
  const most = Math.max(line.most_ms, 1);
  const x = (value: number): number => 6 + value / most * (kWidth - 12);
  return svg("svg", {viewBox: `0 0 ${kWidth} 30`, width: kWidth, height: 30, role: "img", "aria-label":
    `fails from ${line.low_ms} to ${line.high_ms} ms, tried from 0 to ${most} ms`},
    svg("line", {x1: 6, x2: kWidth - 6, y1: 12, y2: 12, class: "axis"}),
    svg("rect", {x: x(line.low_ms), y: 8, width: Math.max(2, x(line.high_ms) - x(line.low_ms)), height: 8, class: "range"}),
    line.samples.map(([at, fails]) => fails ? svg("circle", {cx: x(at), cy: 12, r: 2.5, class: "fails"})
      : svg("path", {d: `M${x(at) - 3} 9l6 6m0 -6l-6 6`, class: "passes"})),
    svg("line", {x1: x(line.value_ms), x2: x(line.value_ms), y1: 3, y2: 21, class: "value"}),
    svg("text", {x: 6, y: 29}, "0"), svg("text", {x: kWidth - 6, y: 29, "text-anchor": "end"}, milliseconds(most)));
}
