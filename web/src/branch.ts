// The time machine: at the selected event, something else happens.
import {isSaved, post, type BranchAnswer, type EventDetail} from "./api";
import {busy, command, failure, h, replace, seconds, trim, visible} from "./dom";
import type {RunData} from "./run_data";
import {link} from "./state";

const kMessage = new Set(["send", "deliver", "drop", "duplicate", "mutate"]);

export function branchPanel(data: RunData, run: number, detail: EventDetail, select: (record: number) => void): HTMLElement {
  const result = h("div", {class: "result", "aria-live": "polite"});
  const panel = h("details", {class: "branch", open: true}, h("summary", {}, "What if?"));
  if (isSaved || !data.head.repeatable) {
    panel.append(h("p", {class: "faint"}, isSaved ? "A saved page makes no runs." : visible(data.head.not_repeatable)));
    return panel;
  }
  const make = async (change: Record<string, unknown>): Promise<void> => {
    replace(result, busy("running on from here…"));
    try {
      replace(result, card(data, run, await post<BranchAnswer>(`runs/${run}/branch`, {record: detail.record, ...change})));
    } catch (error) {
      replace(result, failure((error as Error).message));
    }
  };
  const button = (text: string, change: () => Record<string, unknown>): HTMLElement =>
    h("button", {type: "button", onclick: () => { void make(change()); }}, text);
  const number = (name: string, value: number): HTMLInputElement =>
    h("input", {type: "number", min: 0, step: "any", value, "aria-label": name});
  // A change to a message begins to act when it is sent.
  const message = kMessage.has(detail.type) && detail.kind !== null;
  const sent = message && detail.type !== "send" && data.cause[detail.record]! >= 0 ? data.cause[detail.record]! : detail.record;
  const isOver = data.time[sent]! >= data.faultsEnd;
  if (isOver) {
    const before = data.nearestBefore(detail.node ?? 0, data.faultsEnd);
    panel.append(h("p", {class: "faint"}, `The scenario's faults end at ${seconds(data.faultsEnd)}: nothing is done to the run after that. `,
      before >= 0 && h("button", {type: "button", onclick: () => select(before)}, "To the last event before")));
  }
  if (message && !isOver) {
    const delay = number("milliseconds later", 500);
    panel.append(h("div", {class: "choice"}, "this message ", button("never comes", () => ({type: "drop"})),
      button("comes twice", () => ({type: "duplicate", time_ms: 1}))));
    panel.append(h("div", {class: "choice"}, "it comes ", delay, " ms later ", button("Try", () => ({type: "delay", time_ms: Number(delay.value)}))));
    const others = detail.type === "deliver" ? nextDeliveries(data, detail.record) : [];
    if (others.length > 0) {
      const choice = h("select", {"aria-label": "comes after"}, ...others.map((other) => h("option", {
        value: (data.time[other]! - data.time[detail.record]! + 1) / 1000},
        `${data.kindName(other)} from node ${data.peer[other]} (${seconds(data.time[other]! - data.time[detail.record]!)} later)`)));
      panel.append(h("div", {class: "choice"}, "first comes ", choice, " ", button("Try", () => ({type: "delay", time_ms: Number(choice.value)}))));
    }
    if (detail.fields.length > 0) {
      const field = h("select", {"aria-label": "field"}, ...detail.fields.map((one) => h("option", {value: one.name}, visible(one.name))));
      panel.append(h("div", {class: "choice"}, "the sender lies about ", field, " ",
        button("Try", () => ({type: "lie", field: field.value, seed: Math.floor(Math.random() * 1e6)}))));
    }
  }
  if (detail.node !== null && !isOver) {
    const node = detail.node;
    const time = number("milliseconds", 2000);
    panel.append(h("div", {class: "choice"}, `right after it node ${node} is, for `, time, " ms, ",
      button("down", () => ({type: "crash", node, time_ms: Number(time.value)})),
      button("standing still", () => ({type: "pause", node, time_ms: Number(time.value)})),
      button("cut off", () => ({type: "isolate", node, time_ms: Number(time.value)}))));
  }
  panel.append(h("div", {class: "choice"}, "from here on ", button("chance falls otherwise",
    () => ({type: "seed", seed: Math.floor(Math.random() * 1e9)}))), result);
  return panel;
}

/** What else arrives at the node soon after. */
function nextDeliveries(data: RunData, record: number): number[] {
  const result: number[] = [];
  for (let i = record + 1; i < data.count && result.length < 12; ++i) {
    if (data.node[i] === data.node[record] && data.is(i, "deliver") && data.time[i]! > data.time[record]!) result.push(i);
  }
  return result;
}

function card(data: RunData, parent: number, answer: BranchAnswer): HTMLElement {
  const same = answer.hash === answer.parent_hash;
  const was = data.head.outcome;
  const verdict = answer.outcome === "fail" ? "fails" : answer.outcome === "pass" ? "passes" : "ends without verdict";
  return h("div", {class: `card ${answer.outcome}`},
    h("p", {}, h("strong", {}, same ? "Makes no difference: the same run again." : `This run ${verdict}${was === answer.outcome ? ", too" : ""}.`)),
    h("p", {}, visible(answer.words), "."),
    answer.violations.slice(0, 3).map((text) => h("p", {class: "violation"}, visible(text))),
    h("p", {class: "faint"}, `${answer.events} events, simulated in ${trim(answer.simulated_ms, 1)} ms; trace ${answer.hash}` +
      (answer.first_difference === null ? "" : `; equal up to event ${data.id[answer.first_difference] ?? "the end"}`)),
    command(answer.replay),
    h("p", {}, h("a", {href: link({view: "run", run: String(answer.run)})}, "Open this run"), " · ",
      (answer.outcome === "fail") !== (was === "fail")
        ? h("a", {href: link({view: "compare", run: String(was === "fail" ? parent : answer.run),
          with: String(was === "fail" ? answer.run : parent)})}, "Compare with the one it came from")
        : h("span", {class: "faint"}, "same verdict as the run it came from")));
}
