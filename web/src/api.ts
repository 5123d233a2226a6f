// Requests to the server that sent the page; in a saved page, the answers that were saved with it.

export interface RunEntry {
  run: number; name: string; folder: string; parent: number; words: string; outcome: string; violation: string;
}
export interface HuntBrief {
  hunt: number; scenario: string; search: string; program: string; finished: boolean; items: number; read: number;
  failed: number; unknown: number; mismatches: number; findings: number; workers: number; virtual_seconds: number;
  runs_per_second: number; store?: string;
}
export interface StoreBrief { store: number; name: string; trouble: string; hunts: HuntBrief[]; }
export interface Overview { program: string; runs: RunEntry[]; stores: StoreBrief[]; models: {model: number; name: string}[]; conformance: {finding: number; name: string}[]; }
export interface Model {
  spec: string; result: string; property: string; message: string; distinct: number; generated: number; depth: number; seconds: number;
  variables: string[]; steps: {title: string; at: string; state: Record<string, string>}[]; drawn_max: number;
  graph: {states: {depth: number; state: Record<string, string>}[]; edges: [number, number, number][]; actions: string[]} | null;
}
export interface Violation {
  signature: string; property: string; rule: string; level: string; nodes: number[]; event: number; time_us: number;
  text: string; record: number | null;
}
export interface RunHead extends RunEntry {
  replay: string | null; scenario: string; system: string; program: string; seed: number; nodes: number; hash: string;
  ended_by: string; events: number; records: number; end_us: number; kinds: string[]; levels: string[];
  phases: string[]; event_types: string[]; violations: Violation[]; notes: Violation[]; schedule: string[];
  repeatable: boolean; not_repeatable: string; violations_left_out: number;
  properties: {property: string; outcome: string; reason: string}[];
}
export interface Columns {
  count: number; id: number[]; time_us: number[]; type: number[]; node: number[]; peer: number[]; kind: number[];
  cause: number[]; round: number[]; phase: number[]; variant: number[]; label: number[]; labels: string[]; endings: [number, number][];
}
export interface Brief { record: number; id: number; time_us: number; type: string; node: number | null; text: string; }
export interface Field { name: string; type: string; value: string; }
export interface StateLine { name: string; before: string | null; after: string | null; }
export interface EventDetail extends Brief {
  peer: number | null; kind: string | null; round: number; long_text: string; fields: Field[];
  fields_as_sent?: Field[]; causes: Brief[]; causes_left_out: number; effects: Brief[]; effects_left_out: number;
  node_state: {node: number; stimulus: number; reported: StateLine[]; own: StateLine[] | null} | null;
}
export interface BranchAnswer {
  run: number; folder: string; replay: string; words: string; hash: string; parent_hash: string; outcome: string;
  violations: string[]; events: number; first_difference: number | null; simulated_ms: number; written_ms: number;
}
export interface Comparison {
  trouble: string | null; failing: number; passing: number; difference: string; words: string[]; equal_steps: number;
  only_failing: number[]; only_passing: number[];
  first: {node: number; failing: number | null; passing: number | null; failing_came: string; passing_came: string;
    fate_of_expected: string; fate_of_other: string} | null;
  waiting: {node: number; since_us: number; state: string; asked: string; heard: string; missing: string}[];
  chain: {record: number | null; node: number; time_us: number; came: string; did: string[]; instead: string[]}[];
}
export interface Share { count: number; of: number; share: number; low: number; high: number; }
export interface YieldLine {
  name: string; runs: number; failed: number; states: number; failed_over_time: number[]; states_over_time: number[];
}
export interface HuntDetail extends HuntBrief {
  runs_per_bucket: number;
  course: {runs: number[]; failed: number[]; unknown: number[]; states: number[]; disagreement_margin: number[];
    termination_margin: number[]};
  members: YieldLine[]; origins: YieldLine[];
  findings_list: {signature: string; count: number; first_run: number; first_seen: number; last_seen: number;
    folder: string}[];
  options: Record<string, unknown> | null;
}
export interface Item {
  run: number; outcome: string; signature: string; member: string; origin: string; disagreement_margin: number;
  termination_margin: number; events: number; virtual_ms: number; new_states: number; stability: number;
}
export interface Items { total: number; from: number; items: Item[]; }
export interface HuntComparison {
  first: HuntBrief; second: HuntBrief; common_runs: number;
  failed: {first: Share; second: Share; p_value: number; odds_ratio: number | null};
  first_failure: {first: number | null; second: number | null};
  signatures: {signature: string; first: Share; second: Share; p_value: number; p_adjusted: number}[];
  states_after: {first: number[]; second: number[]}; failed_after: {first: number[]; second: number[]};
}
export interface MatterLine {
  words: string; part: string; value_ms: number; most_ms: number; low_ms: number; high_ms: number; any: boolean;
  runs: number; samples: [number, boolean][]; index: number;
}
export interface Causes {
  causes: {doubt: string; low: number; high: number; list: {runs: string[]; alike: number; returns: number; representative: string; rules: string[][]; shared: string;
    ways_of_failing: {words: string; runs: number}[]}[]};
  sampled: {of: number; failing_share: number; passing_share: number} | null;
  runs: number; failing: number; candidates: number; unexplained: string[];
  findings: {words: string; predicate: string; importance: number; increase: number; failing_true: number;
    successful_true: number; cluster: string[]; representative: string;
    relatives: {type: string; predicate: string}[]}[];
}

export interface RefusingGuard { at: string; text: string; operands: [string, string][]; first_line: number; line: number; lines: string[]; }
export interface Conformance {
  file: string; mapping: string; spec: string; scenario: string; workflow: number; left_out: number;
  inputs: Record<string, string>; settings: Record<string, string>; constants: Record<string, string>;
  model: Record<string, string>; implementation: Record<string, Record<string, string>>;
  steps: {number: number; node: number | null; events: string[]; actions: string[]; at: string; model: Record<string, string>;
    implementation: Record<string, string>}[];
  violation: {type: string; message: string; event: string; action: string; property: string; guards: RefusingGuard[];
    differences: {view: string; model: string; implementation: string}[]; enabled: string[]} | null;
}

declare global { interface Window { savedAnswers?: Record<string, unknown>; } }

/** Answers of this page so far, for "save as one file". */
const kept = new Map<string, unknown>();
export const isSaved = window.savedAnswers !== undefined;
export function keptAnswers(): Record<string, unknown> { return Object.fromEntries(kept); }

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  let body: unknown = null;
  try { body = JSON.parse(text); } catch { /* said below */ }
  if (response.ok && body !== null) return body;
  const said = body !== null && typeof body === "object" && "error" in body ? String(body.error) : text.slice(0, 300);
  throw new Error(said || `the server answered ${response.status}`);
}

export async function get<T>(path: string): Promise<T> {
  if (window.savedAnswers) {
    if (path in window.savedAnswers) return window.savedAnswers[path] as T;
    throw new Error("this is a saved page: ask the running explorer for more");
  }
  const body = await answerOf(await fetch("api/" + path)) as T;
  kept.set(path, body);
  return body;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  if (isSaved) throw new Error("this is a saved page: only the running explorer can make runs");
  return await answerOf(await fetch("api/" + path, {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)})) as T;
}

/** Lines of JSON as they come; ends with `signal`. */
export async function lines(path: string, signal: AbortSignal, line: (value: unknown) => void): Promise<void> {
  if (isSaved) {
    for (const value of (window.savedAnswers?.[path] ?? []) as unknown[]) line(value);
    return;
  }
  const response = await fetch("api/" + path, {signal});
  if (!response.ok || !response.body) { await answerOf(response); return; }
  const all: unknown[] = [];
  kept.set(path, all);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    rest += decoder.decode(value, {stream: true});
    const parts = rest.split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const text = part.startsWith("data: ") ? part.slice(6) : part;
      if (!text.startsWith("{")) continue;
      const parsed: unknown = JSON.parse(text);
      all.push(parsed);
      if (all.length > 2000) all.shift();
      line(parsed);
    }
  }
}
