// What is shown while nothing is chosen: the server, and how much goes on.

import { h, set_text } from "./dom";
import { listed_entries } from "./entries";
import { bytes, cores, duration } from "./format";
import type { Store } from "./store";

export class Overview {
    private values = { live: h("span", { class: "tile-value" }), cpu: h("span", { class: "tile-value" }),
                       memory: h("span", { class: "tile-value" }), pending: h("span", { class: "tile-value" }) };
    private facts = h("dl", { class: "facts" });
    private uptime = h("dd", {});
    private shown = "";
    readonly element: HTMLElement;

    constructor(private readonly store: Store) {
        const tile = (label: string, value: HTMLElement) =>
            h("div", { class: "tile" }, h("span", { class: "tile-label" }, label), value);
        this.element = h("article", { class: "overview" },
            h("div", { class: "tiles" }, tile("Live", this.values.live), tile("CPU", this.values.cpu),
                tile("Memory", this.values.memory), tile("Waiting for an answer", this.values.pending)),
            h("section", { class: "card" }, h("h2", {}, "This server"), this.facts),
            h("p", { class: "quiet" }, "Choose a shell or a call. ", h("kbd", {}, "?"), " lists the keys."));
    }

    update(): void {
        const live = [...this.store.shells.values()].filter((shell) => shell.live);
        const sum = (of: "cpu" | "memory_bytes") => live.reduce((all, shell) => all + (shell.sample?.[of] ?? 0), 0);
        set_text(this.values.live, String(listed_entries(this.store).filter((entry) => entry.is_live).length));
        set_text(this.values.cpu, cores(sum("cpu")));
        set_text(this.values.memory, bytes(sum("memory_bytes")));
        set_text(this.values.pending, String(this.store.pending().length));
        const { server } = this.store;
        if (!server) return;
        set_text(this.uptime, duration(this.store.now() - server.started));
        if (server.epoch === this.shown) return;
        this.shown = server.epoch;
        const rows: [string, string][] = [["workspace", server.workspace], ["walls", server.mode],
            ["network", server.network], ["contract", server.contract], ["version", server.version],
            ["entry", server.auth === "none" ? "open to everybody on this machine" : "with a token"]];
        this.facts.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
            h("dt", {}, "up for"), this.uptime);
    }
}
