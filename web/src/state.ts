// The state of a view lives in the address, behind '#': a link shows the same thing again.

export type State = Record<string, string>;

export function readState(): State {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function textOf(state: State): string {
  const entries = Object.entries(state).filter(([, value]) => value !== "");
  return "#" + new URLSearchParams(entries).toString();
}

/** Goes somewhere else: the browser's back button comes back. */
export function go(state: State): void {
  const text = textOf(state);
  if (text === location.hash) return;
  location.hash = text;
}

/** Says more exactly where we are. */
export function refine(changes: State): void {
  const state = {...readState(), ...changes};
  history.replaceState(null, "", textOf(state));
}

export function link(state: State): string { return textOf(state); }
