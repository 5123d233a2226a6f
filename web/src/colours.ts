// Colours that people with any colour vision tell apart (Okabe and Ito), in both themes; shapes and words say the same.

const kinds = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a7a00", "#777777"];
const kindsDark = ["#5aaee6", "#f0b429", "#2fc79b", "#e29cc4", "#8fd0f5", "#ff8a47", "#d8ca3c", "#aaaaaa"];

export interface Theme {
  dark: boolean; back: string; ink: string; faint: string; line: string; band: string; bad: string; good: string;
  accent: string; rounds: [string, string]; kind(index: number): string; phase(index: number): string;
  dash(index: number): number[];
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function theme(): Theme {
  const dark = isDark();
  const list = dark ? kindsDark : kinds;
  return {
    dark,
    back: dark ? "#14171a" : "#ffffff",
    ink: dark ? "#e6e6e6" : "#1b1b1b",
    faint: dark ? "#8b949e" : "#666666",
    line: dark ? "#444c56" : "#b5b5b5",
    band: dark ? "rgba(255,138,71,0.16)" : "rgba(213,94,0,0.12)",
    bad: dark ? "#ff8a47" : "#b94700",
    good: dark ? "#5aaee6" : "#0072b2",
    accent: dark ? "#f0b429" : "#8f5a00",
    rounds: dark ? ["#191d21", "#20262b"] : ["#f8f8f6", "#eceef0"],
    kind: (index) => list[index % list.length]!,
    phase: (index) => list[(index + 2) % list.length]!,
    dash: (index) => index < list.length ? [] : index < 2 * list.length ? [5, 3] : [2, 3],
  };
}
