// Every state has a shape of its own, so that none needs its colour.

import { svg } from "./dom";
import type { Look } from "./entries";

const circle = "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4";

const shapes = {
    running: ["M8 1.8a6.2 6.2 0 1 1-6.2 6.2"],
    asking: [circle, "M6.2 6.3a1.8 1.8 0 1 1 2.7 1.6c-.7.4-.9.7-.9 1.3", "M8 11.3v.1"],
    good: ["M2.5 8.6l3.6 3.6 7.4-8.4"],
    bad: ["M3.5 3.5l9 9", "M12.5 3.5l-9 9"],
    stopped: [circle, "M8 4.6V8l2.4 1.6"],
    denied: [circle, "M3.7 3.7l8.6 8.6"],
    unknown: ["M3 8h2", "M7 8h2", "M11 8h2"],
    inbox: ["M2 9l2-6h8l2 6v4H2z", "M2 9h3.5l1 2h3l1-2H14"],
    log: ["M3 2.5h10v11H3z", "M5.5 5.5h5", "M5.5 8h5", "M5.5 10.5h3"],
    back: ["M9.5 3L4.5 8l5 5"],
    copy: ["M5.5 5.5h8v8h-8z", "M3.5 10.5h-1v-8h8v1"],
    wrap: ["M2 4h12", "M2 8h9.5a2.2 2.2 0 0 1 0 4.4H8", "M9.8 10.4l-2 2 2 2"],
    down: ["M8 2.5v10", "M3.8 8.5L8 12.7l4.2-4.2"],
    theme: ["M8 2a6 6 0 1 0 0 12z", "M8 2a6 6 0 1 1 0 12"],
    help: ["M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.5", "M8 11.8v.1"],
    search: ["M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9", "M10.3 10.3l3.5 3.5"],
} satisfies Record<Look | string, string[]>;

export type IconName = keyof typeof shapes;

export function icon(name: IconName): SVGSVGElement {
    return svg("svg", { viewBox: "0 0 16 16", class: `icon icon-${name}`, "aria-hidden": "true" },
        ...shapes[name].map((d) => svg("path", { d })));
}
