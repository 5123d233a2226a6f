// Small figures: lines over a common axis, with their numbers for those who cannot see them.
import {theme} from "./colours";
import {count, h, svg, trim, visible} from "./dom";

export interface Series { name: string; values: number[]; }

const kDashes = ["", "6 3", "2 3"];

export function sums(values: number[]): number[] {
  let sum = 0;
  return values.map((value) => sum += value);
}

/** Each series is a line; `step` is what one value stands for on the axis. */
export function chart(title: string, series: Series[], step: number, unit: string): HTMLElement {
  const width = 460;
  const height = 170;
  const left = 52;
  const length = Math.max(1, ...series.map((one) => one.values.length));
  const most = Math.max(1e-9, ...series.flatMap((one) => one.values));
  const x = (index: number): number => left + (length === 1 ? 0 : index / (length - 1) * (width - left - 10));
  const y = (value: number): number => height - 26 - value / most * (height - 44);
  const colours = theme();
  const text = (value: number): string => value >= 1000 ? count(Math.round(value)) : trim(value, value < 10 ? 2 : 0);
  return h("figure", {class: "chart"}, h("figcaption", {}, title),
    svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label":
      `${title}: ${series.map((one) => `${one.name} ends at ${text(one.values[one.values.length - 1] ?? 0)}`).join("; ")}`},
      svg("line", {x1: left, x2: width - 10, y1: y(0), y2: y(0), class: "axis"}),
      svg("line", {x1: left, x2: left, y1: y(0), y2: y(most), class: "axis"}),
      svg("text", {x: left - 5, y: y(0), "text-anchor": "end"}, "0"), svg("text", {x: left - 5, y: y(most) + 8, "text-anchor": "end"}, text(most)),
      svg("text", {x: left, y: height - 8}, "0"), svg("text", {x: width - 10, y: height - 8, "text-anchor": "end"}, `${count(length * step)} ${unit}`),
      series.map((one, index) => svg("polyline", {points: one.values.map((value, at) => `${x(at)},${y(value)}`).join(" "),
        fill: "none", stroke: colours.kind(index), "stroke-width": 2, "stroke-dasharray": kDashes[index % 3]}))),
    series.length > 1 && h("ul", {class: "keys"}, ...series.map((one, index) => h("li", {},
      svg("svg", {viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true"}, svg("line", {x1: 0, x2: 26, y1: 4, y2: 4, stroke: colours.kind(index), "stroke-width": 2.5, "stroke-dasharray": kDashes[index % 3]})), " ", visible(one.name || "(no name)"), " ", text(one.values[one.values.length - 1] ?? 0)))));
}
