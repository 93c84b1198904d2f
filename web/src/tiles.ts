// The figures above a call's output, with plots while it lives.

import type { Shell } from "./api_types";
import { type Child, h, set_text } from "./dom";
import { type Entry, duration_of } from "./entries";
import { bytes, cores, duration } from "./format";
import { Plot } from "./plots";
import type { Store } from "./store";

function tile(label: string, value: HTMLElement, ...more: Child[]): HTMLElement {
    return h("div", { class: "tile" }, h("span", { class: "tile-label" }, label), value, ...more);
}

const value = () => h("span", { class: "tile-value" });
const scale = () => h("span", { class: "tile-scale", title: "What the upper edge of the plot stands for" });

export class Tiles {
    private duration = value();
    private cpu = value();
    private memory = value();
    private processes = value();
    private written = value();
    private cpu_scale = scale();
    private memory_scale = scale();
    private cpu_plot = new Plot("cpu");
    private memory_plot = new Plot("memory");
    readonly element = h("div", { class: "tiles" },
        tile("Duration", this.duration),
        tile("CPU", this.cpu, this.cpu_plot.element, this.cpu_scale),
        tile("Memory", this.memory, this.memory_plot.element, this.memory_scale),
        tile("Processes", this.processes),
        tile("Output", this.written));

    update(entry: Entry, shell: Shell, store: Store): void {
        set_text(this.duration, duration(duration_of(entry, store.now())));
        const samples = store.samples.of(shell.shell_id);
        const now = shell.live ? shell.sample : null;
        const { usage } = shell;
        const spent = usage.user_ms === null ? null : usage.user_ms + (usage.system_ms ?? 0);
        set_text(this.cpu, shell.live ? cores(now?.cpu ?? null) : duration(spent));
        set_text(this.memory, bytes(shell.live ? (now?.memory_bytes ?? null) : usage.peak_memory_bytes));
        set_text(this.processes, String((shell.live ? now?.processes : usage.processes) ?? "–"));
        const errors = shell.error_excerpt?.total_bytes ?? 0;
        set_text(this.written, bytes(shell.excerpt.total_bytes + errors));
        const has_plot = samples.length > 1;
        for (const part of [this.cpu_plot.element, this.memory_plot.element, this.cpu_scale, this.memory_scale])
            part.toggleAttribute("hidden", !has_plot);
        if (!has_plot) return;
        set_text(this.cpu_scale, `scale ${cores(this.cpu_plot.update(samples))}`);
        set_text(this.memory_scale, `scale ${bytes(this.memory_plot.update(samples))}`);
    }
}
