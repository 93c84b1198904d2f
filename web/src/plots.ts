// Small live plots of CPU and memory.

import type { Sample } from "./api_types";
import { svg } from "./dom";
import { type Box, area_path, ceiling, line_path, plot_points } from "./plot_path";
import { most_samples } from "./samples";

const box: Box = { width: 100, height: 24 };

export type Measure = "cpu" | "memory";

const read: Record<Measure, (sample: Sample) => number> = {
    cpu: (sample) => sample.cpu,
    memory: (sample) => sample.memory_bytes,
};
// Scales are round numbers of cores, or of MiB.
const unit: Record<Measure, number> = { cpu: 1, memory: 1 << 20 };
const shortest = 20; // a plot that has just begun is not drawn at the right edge only

export class Plot {
    private area = svg("path", { class: "area" });
    private line = svg("path", { class: "line" });
    readonly element: SVGSVGElement;

    constructor(private readonly measure: Measure, private readonly most = most_samples) {
        this.element = svg("svg", {
            viewBox: `0 -1 ${box.width} ${box.height + 2}`, preserveAspectRatio: "none",
            class: `plot plot-${measure}`, "aria-hidden": "true",
        }, this.area, this.line);
    }

    // What the upper edge stands for.
    update(samples: readonly Sample[]): number {
        const values = samples.slice(-this.most).map((sample) => read[this.measure](sample) / unit[this.measure]);
        const top = ceiling(values, 1);
        const points = plot_points(values, Math.max(shortest, values.length), top, box);
        this.line.setAttribute("d", line_path(points));
        this.area.setAttribute("d", area_path(points, box));
        return top * unit[this.measure];
    }
}
