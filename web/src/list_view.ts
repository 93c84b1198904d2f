// The list of shells and calls, with a field to filter it.

import { arrange, foreign, h, set_text } from "./dom";
import { type Entry, type Tab, duration_of, listed_entries, matches } from "./entries";
import { ago, bytes, cores, duration } from "./format";
import { icon } from "./icons";
import { inert } from "./inert";
import { Plot } from "./plots";
import { address_of } from "./route";
import type { Store } from "./store";

const most_shown = 200;
const plotted = 60; // seconds

class ListRow {
    readonly item: HTMLLIElement;
    readonly link: HTMLAnchorElement;
    private icon_box = h("span", { class: "row-icon" });
    private status = h("span", { class: "row-status" });
    private command = h("code", { class: "row-command" });
    private duration = h("span", { class: "row-duration" });
    private when = h("span", { class: "row-when" });
    private cpu = new Plot("cpu", plotted);
    private memory = new Plot("memory", plotted);
    private cpu_text = h("span", {});
    private memory_text = h("span", {});
    private usage: HTMLElement;
    private drawn = "";

    constructor(key: string) {
        this.usage = h("span", { class: "row-usage" },
            h("span", { class: "meter", title: "CPU, the last minute" }, this.cpu.element, this.cpu_text),
            h("span", { class: "meter", title: "Memory, the last minute" }, this.memory.element, this.memory_text));
        this.link = h("a", { class: "list-row", href: address_of(key) }, this.icon_box, this.command, this.duration,
            this.status, this.usage, this.when);
        this.item = h("li", {}, this.link);
    }

    update(entry: Entry, store: Store, is_current: boolean): void {
        const now = store.now();
        const drawn = `${entry.look}\n${entry.status}\n${entry.command}`;
        if (drawn !== this.drawn) {
            this.drawn = drawn;
            this.link.className = `list-row ${entry.look}`;
            this.icon_box.replaceChildren(icon(entry.look));
            set_text(this.status, entry.status);
            const line = entry.command.trim().replace(/\s*\n\s*/g, " ⏎ ").slice(0, 300);
            this.command.replaceChildren(foreign(line));
            this.link.title = inert(entry.command.slice(0, 1000));
        }
        if (is_current) this.link.setAttribute("aria-current", "page");
        else this.link.removeAttribute("aria-current");
        set_text(this.duration, duration(duration_of(entry, now)));
        set_text(this.when, entry.is_live ? "" : ago(entry.ended ?? entry.started, now));
        this.update_usage(entry, store);
    }

    private update_usage(entry: Entry, store: Store): void {
        const { shell } = entry;
        this.usage.hidden = !shell?.live;
        if (!shell?.live) return;
        const samples = store.samples.of(shell.shell_id);
        this.cpu.update(samples);
        this.memory.update(samples);
        set_text(this.cpu_text, cores(shell.sample?.cpu ?? null));
        set_text(this.memory_text, bytes(shell.sample?.memory_bytes ?? null));
    }
}

const tabs: [Tab, string][] = [["all", "All"], ["live", "Live"], ["failed", "Failed"]];

export class ListView {
    private rows = new Map<string, ListRow>();
    private list = h("ol", { class: "list", "aria-label": "Shells and calls" });
    private filter = h("input", { type: "search", placeholder: "Filter: words, -without", "aria-label": "Filter",
                                  spellcheck: "false", autocomplete: "off" });
    private tab_bar = h("div", { class: "segments", role: "group", "aria-label": "Which" });
    private foot = h("p", { class: "list-foot" });
    private tab: Tab = "all";
    private shown: Entry[] = [];
    current: string | null = null;
    readonly element: HTMLElement;

    constructor(private readonly store: Store) {
        for (const [tab, label] of tabs)
            this.tab_bar.append(h("button", { type: "button", "data-tab": tab, onclick: () => this.choose(tab) },
                h("span", {}, label), " ", h("span", { class: "tab-count" })));
        this.element = h("nav", { class: "list-pane", "aria-label": "Shells and calls" },
            h("div", { class: "list-head" },
                h("label", { class: "filter" }, icon("search"), this.filter, h("kbd", {}, "/")), this.tab_bar),
            this.list, this.foot);
        this.filter.addEventListener("input", () => this.update());
        this.filter.addEventListener("keydown", (event) => {
            if (event.key === "ArrowDown" || event.key === "Enter") {
                event.preventDefault();
                this.focus_at(0);
            }
        });
    }

    update(): void {
        const all = listed_entries(this.store);
        const query = this.filter.value;
        const found = all.filter((entry) => matches(entry, this.tab, query));
        this.shown = found.slice(0, most_shown);
        for (const entry of this.shown) {
            const row = this.rows.get(entry.key) ?? new ListRow(entry.key);
            this.rows.set(entry.key, row);
            row.update(entry, this.store, entry.key === this.current);
        }
        const keys = new Set(this.shown.map((entry) => entry.key));
        for (const key of this.rows.keys()) if (!keys.has(key)) this.rows.delete(key);
        arrange(this.list, this.shown.map((entry) => (this.rows.get(entry.key) as ListRow).item));
        this.update_tabs(all, query);
        set_text(this.foot, this.foot_text(found.length, query));
    }

    focus_filter(): void {
        this.filter.focus();
        this.filter.select();
    }

    // The next (1) or previous (-1), from the one that has the focus or is open.
    move(step: 1 | -1): void {
        const focused = this.shown.findIndex((entry) => this.rows.get(entry.key)?.link === document.activeElement);
        const open = this.shown.findIndex((entry) => entry.key === this.current);
        const from = focused >= 0 ? focused : open;
        // A narrow page shows the list or an entry, not both.
        if (this.list.offsetParent === null) {
            const next = this.shown[from + step];
            if (next) location.hash = address_of(next.key);
            return;
        }
        this.focus_at(from < 0 ? 0 : from + step);
    }

    private focus_at(index: number): void {
        const entry = this.shown[Math.max(0, Math.min(index, this.shown.length - 1))];
        if (entry) this.rows.get(entry.key)?.link.focus();
    }

    private choose(tab: Tab): void {
        this.tab = tab;
        this.update();
    }

    private update_tabs(all: Entry[], query: string): void {
        for (const button of this.tab_bar.querySelectorAll("button")) {
            const tab = button.dataset.tab as Tab;
            button.setAttribute("aria-pressed", String(tab === this.tab));
            const number = all.filter((entry) => matches(entry, tab, query)).length;
            set_text(button.querySelector(".tab-count") as Element, String(number));
        }
    }

    private foot_text(found: number, query: string): string {
        if (found === 0) return query === "" ? "Nothing here yet." : "Nothing matches.";
        const parts: string[] = [];
        if (found > most_shown) parts.push(`${found - most_shown} more match: narrow the filter`);
        if (this.store.shells_beyond > 0) parts.push(`${this.store.shells_beyond} older shells are not listed`);
        return parts.join(" · ");
    }
}
