// The scroller with the rows of a transcript. Only rows in view are elements, whatever the number of lines.

import { arrange, h } from "./dom";
import { RowIndex, rows_of, window_of } from "./rows";
import { span_node } from "./span_view";
import type { Line, Transcript } from "./transcript";

const row_height = 20; // as in the style sheet
const widest = 2000; // columns: even a line of megabytes is broken
const gutter_columns = 7;

export class OutputRows {
    readonly element = h("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Output" });
    is_following = true;
    private transcript: Transcript;
    private index = new RowIndex();
    private made = new Map<number, HTMLElement>();
    private spacer = h("div", { class: "rows-spacer" });
    private window = h("div", { class: "rows-window" });
    private ruler = h("span", { class: "rows-ruler", "aria-hidden": "true" }, "0".repeat(10));
    private wraps = true;
    private is_planned = false;
    private found: number | null = null;
    private last_top = 0;

    constructor(transcript: Transcript, private readonly on_follow: () => void) {
        this.transcript = transcript;
        this.spacer.append(this.window);
        this.element.append(this.ruler, this.spacer);
        this.element.addEventListener("scroll", () => this.on_scroll(), { passive: true });
        new ResizeObserver(() => this.measure()).observe(this.element);
    }

    show(transcript: Transcript): void {
        this.transcript = transcript;
        this.found = null;
        this.is_following = true;
        this.rebuild(this.index.columns);
    }

    // Lines from `first` on are new; `dropped` have gone from the front.
    changed(first: number, dropped: number): void {
        if (dropped > 0) {
            const rows = this.index.drop(dropped);
            this.made.clear();
            if (!this.is_following) this.element.scrollTop -= rows * row_height;
        }
        const from = this.index.start_of(first);
        this.index.update(this.transcript.lines, first);
        for (const row of this.made.keys()) if (row >= from) this.made.delete(row);
        this.plan();
    }

    set_wrap(wraps: boolean): void {
        this.wraps = wraps;
        this.element.classList.toggle("unwrapped", !wraps);
        this.measure();
    }

    follow(): void {
        this.is_following = true;
        this.plan();
        this.on_follow();
    }

    to_line(line: number): void {
        this.found = line;
        this.is_following = false;
        this.made.clear();
        const top = this.index.start_of(line) * row_height;
        this.element.scrollTop = Math.max(0, top - this.element.clientHeight / 2);
        this.plan();
        this.on_follow();
    }

    private measure(): void {
        const cell = this.ruler.getBoundingClientRect().width / 10;
        if (cell === 0) return; // not on the page
        const room = Math.floor((this.element.clientWidth - 12) / cell) - gutter_columns;
        const columns = this.wraps ? Math.max(20, Math.min(room, widest)) : widest;
        if (columns !== this.index.columns) this.rebuild(columns);
        else this.plan();
    }

    private rebuild(columns: number): void {
        const top_line = this.index.line_at(Math.floor(this.element.scrollTop / row_height));
        this.index.rebuild(this.transcript.lines, columns);
        this.made.clear();
        this.spacer.style.height = `${this.index.total * row_height}px`;
        this.element.scrollTop =
            this.is_following ? this.element.scrollHeight : this.index.start_of(top_line) * row_height;
        this.plan();
    }

    // Once for each frame, however much has come.
    private plan(): void {
        if (this.is_planned) return;
        this.is_planned = true;
        requestAnimationFrame(() => {
            this.is_planned = false;
            this.draw();
        });
    }

    private draw(): void {
        this.spacer.style.height = `${this.index.total * row_height}px`;
        if (this.is_following) this.element.scrollTop = this.element.scrollHeight;
        const { first, last } =
            window_of(this.element.scrollTop, this.element.clientHeight, row_height, this.index.total);
        for (const row of this.made.keys()) if (row < first || row >= last) this.made.delete(row);
        let line = this.index.line_at(first);
        while (first < last && this.index.start_of(line) < last && line < this.transcript.lines.length)
            this.make_line(line++, first, last);
        this.window.style.transform = `translateY(${first * row_height}px)`;
        const shown: HTMLElement[] = [];
        for (let row = first; row < last; ++row) {
            const element = this.made.get(row);
            if (element) shown.push(element);
        }
        arrange(this.window, shown);
    }

    private make_line(index: number, first: number, last: number): void {
        const start = this.index.start_of(index);
        const end = this.index.start_of(index + 1);
        let is_made = true;
        for (let row = Math.max(start, first); row < Math.min(end, last); ++row) is_made &&= this.made.has(row);
        if (is_made) return;
        const line = this.transcript.lines[index] as Line;
        rows_of(line, this.index.columns).forEach((spans, offset) => {
            const row = start + offset;
            if (row < first || row >= last || this.made.has(row)) return;
            const element = h("div", { class: "row" }, ...spans.map(span_node));
            if (offset === 0 && line.number !== null) element.dataset.number = String(line.number);
            if (offset === 0 && line.rewritten > 0) {
                element.dataset.rewritten = `↻${line.rewritten}`;
                element.title = `rewritten ${line.rewritten} times by carriage returns; the log has every state`;
            }
            element.classList.toggle("found", index === this.found);
            this.made.set(row, element);
        });
    }

    private on_scroll(): void {
        const { scrollTop, clientHeight, scrollHeight } = this.element;
        const at_end = scrollTop + clientHeight >= scrollHeight - 2;
        const went_up = scrollTop < this.last_top - 1;
        this.last_top = scrollTop;
        // Rows that were added since are not a reason to stop following; going up is.
        if (this.is_following ? went_up && !at_end : at_end) {
            this.is_following = !this.is_following;
            this.on_follow();
        }
        this.plan();
    }
}
