// Elements without HTML: whatever a name, a log line or a message field holds, it is shown as text.

export type Child = Node | string | number | null | undefined | false | Child[];
type Properties = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function append(parent: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) {
    for (const one of child) append(parent, one);
  } else {
    parent.append(child instanceof Node ? child : String(child));
  }
}

function setUp(element: Element, properties: Properties, children: Child[]): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (name === "value" && element instanceof HTMLInputElement) {
      element.value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setUp(element, properties, children);
  return element;
}

export function svg(tag: string, properties: Properties = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setUp(element, properties, children);
  return element;
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Control characters, terminal escapes and marks that turn the direction of text become visible. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (letter) => "\u2423" + letter.charCodeAt(0).toString(16).padStart(2, "0"));
}

/** Hashes as short as the log writes them; the whole text is the title. */
export function brief(text: string): HTMLElement {
  return h("span", {title: visible(text)}, visible(text.replace(/\b([0-9a-f]{6})[0-9a-f]{10,}\b/g, "$1")));
}

export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

export function outcomeMark(outcome: string): string {
  return outcome === "fail" ? "✗" : outcome === "pass" ? "✓" : outcome === "unknown" ? "?" : "·";
}

export function seconds(us: number): string {
  if (us === 0) return "0 s";
  if (us < 1000) return `${us} µs`;
  if (us < 1e6) return `${trim(us / 1e3, 3)} ms`;
  return `${trim(us / 1e6, us < 1e8 ? 3 : 1)} s`;
}

/** For columns: as many digits in every line. */
export function clock(us: number, end: number): string { return `${(us / 1e6).toFixed(end < 2e6 ? 6 : 3)} s`; }

export function trim(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.?0+$/, "");
}

export function count(value: number): string {
  return value.toLocaleString("en-US").replace(/,/g, "\u202f");
}

export function percent(share: number): string {
  if (share === 0) return "0 %";
  return share < 0.001 ? `${(share * 100).toExponential(1)} %` : `${trim(share * 100, share < 0.1 ? 2 : 1)} %`;
}

/** A command with a button that copies it. */
export function command(text: string): HTMLElement {
  const said = h("span", {class: "said", "aria-live": "polite"});
  return h("div", {class: "command"}, h("code", {}, visible(text)),
    h("button", {type: "button", onclick: () => {
      navigator.clipboard?.writeText(text).then(() => { said.textContent = "copied"; },
        () => { said.textContent = "select the text to copy it"; });
    }}, "Copy"), said);
}

export function failure(text: string): HTMLElement {
  return h("p", {class: "trouble", role: "alert"}, visible(text));
}

export function busy(text: string): HTMLElement {
  return h("p", {class: "busy", role: "status"}, text);
}
