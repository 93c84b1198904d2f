// The output of a shell: what it has written so far, what it writes now, and a bar to find something in it.

import type { OutputPiece, Shell, Stream } from "./api_types";
import { h, set_text } from "./dom";
import { bytes, count } from "./format";
import { icon } from "./icons";
import type { Notices } from "./notices";
import { OutputFeed } from "./output_feed";
import { OutputRows } from "./output_rows";
import { Transcript } from "./transcript";

// Of a long log a page begins with the end; the rest is one press away.
const first_look = 4 << 20;

function bar_button(name: Parameters<typeof icon>[0], label: string, key: string, press: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "bar-button", title: `${label} (${key})`, "aria-label": label,
                         onclick: press }, icon(name), h("span", { class: "bar-label" }, label));
}

export class OutputView {
    private transcript = new Transcript();
    private rows = new OutputRows(this.transcript, () => this.update_bar());
    private feed: OutputFeed | null = null;
    private stream: Stream = "stdout";
    private from_start = false;
    private finds: number[] = [];
    private find_at = -1;
    private wraps = true;

    private follow_button = bar_button("down", "Follow", "f", () => this.follow());
    private wrap_button = bar_button("wrap", "Wrap", "w", () => this.toggle_wrap());
    private copy_button = bar_button("copy", "Copy", "y", () => void this.copy());
    private facts = h("span", { class: "bar-facts" });
    private find_input = h("input", { type: "search", class: "find", placeholder: "Find in output",
                                      "aria-label": "Find in output", spellcheck: "false", autocomplete: "off" });
    private find_count = h("span", { class: "find-count", role: "status" });
    private streams = h("div", { class: "segments", role: "group", "aria-label": "Stream" });
    private earlier = h("button", { type: "button", class: "earlier", hidden: true,
                                    onclick: () => this.load_from_start() });
    private empty = h("p", { class: "rows-empty" });
    readonly element: HTMLElement;

    constructor(private readonly shell: Shell, private readonly notices: Notices) {
        this.element = h("section", { class: "output", "aria-label": "Output" },
            h("div", { class: "bar" }, h("h2", {}, "Output"), this.streams, this.facts,
                h("div", { class: "find-box" }, this.find_input, this.find_count),
                this.wrap_button, this.copy_button, this.follow_button),
            this.earlier, this.empty, this.rows.element);
        this.find_input.addEventListener("input", () => this.find());
        this.find_input.addEventListener("keydown", (event) => {
            if (event.key === "Enter") this.find_next(event.shiftKey ? -1 : 1);
        });
        if (shell.split) this.make_stream_buttons();
        this.open("stdout");
    }

    close(): void {
        this.feed?.stop();
    }

    poke(stream: Stream | null): void {
        if (stream === null || stream === this.stream) this.feed?.poke();
    }

    focus(): void {
        this.rows.element.focus();
    }

    focus_find(): void {
        this.find_input.focus();
    }

    follow(): void {
        this.rows.follow();
    }

    toggle_wrap(): void {
        this.wraps = !this.wraps;
        this.rows.set_wrap(this.wraps);
        this.update_bar();
    }

    async copy(): Promise<void> {
        const done = await this.notices.attempt("The output was not copied", async () => {
            await navigator.clipboard.writeText(this.transcript.text());
            return true;
        });
        if (done) this.notices.say(`Copied ${count(this.transcript.lines.length, "line", "lines")}.`);
    }

    find_next(step: 1 | -1): void {
        if (this.finds.length === 0) return;
        this.find_at = (this.find_at + step + this.finds.length) % this.finds.length;
        this.rows.to_line(this.finds[this.find_at] as number);
        set_text(this.find_count, `${this.find_at + 1} of ${this.finds.length}`);
    }

    private make_stream_buttons(): void {
        for (const stream of ["stdout", "stderr"] as const)
            this.streams.append(h("button", { type: "button", "data-stream": stream,
                                              onclick: () => this.open(stream) }, stream));
    }

    private load_from_start(): void {
        this.from_start = true;
        this.open(this.stream);
        this.rows.is_following = false;
    }

    private open(stream: Stream): void {
        this.feed?.stop();
        this.stream = stream;
        this.transcript = new Transcript();
        this.rows.show(this.transcript);
        const excerpt = stream === "stderr" ? this.shell.error_excerpt : this.shell.excerpt;
        const total = excerpt?.total_bytes ?? 0;
        const begin = this.from_start ? 0 : Math.max(0, total - first_look);
        this.earlier.hidden = begin === 0;
        set_text(this.earlier, `${bytes(begin)} before this are not shown. Read from the start`);
        set_text(this.empty, "Nothing was written yet.");
        this.feed = new OutputFeed(this.shell.shell_id, stream, begin, {
            on_piece: (piece) => this.take(piece),
            on_end: () => this.end(),
            on_error: (error) => set_text(this.empty, error instanceof Error ? error.message : "cannot be read"),
        });
        for (const button of this.streams.children)
            button.setAttribute("aria-pressed", String((button as HTMLElement).dataset.stream === stream));
        this.update_bar();
    }

    private take(piece: OutputPiece): void {
        const before = this.transcript.dropped;
        if (piece.dropped_before > 0) this.transcript.note(`[${bytes(piece.dropped_before)} were not kept]`);
        const first = this.transcript.append(piece.text);
        this.rows.changed(piece.dropped_before > 0 ? Math.max(0, first - 1) : first,
            this.transcript.dropped - before);
        this.update_bar();
    }

    private end(): void {
        this.rows.changed(this.transcript.finish(), 0);
        if (this.transcript.lines.length === 0) set_text(this.empty, "Nothing was written.");
        this.update_bar();
    }

    private find(): void {
        const wanted = this.find_input.value.toLowerCase();
        this.find_at = -1;
        this.finds = [];
        if (wanted !== "")
            this.transcript.lines.forEach((line, index) => {
                if (line.spans.map((span) => span.text).join("").toLowerCase().includes(wanted)) this.finds.push(index);
            });
        set_text(this.find_count, wanted === "" ? "" : count(this.finds.length, "line", "lines"));
        if (this.finds.length > 0) this.find_next(1);
    }

    private update_bar(): void {
        const { lines, dropped } = this.transcript;
        this.empty.hidden = lines.length > 0;
        this.rows.element.hidden = lines.length === 0;
        set_text(this.facts, count(lines.length + dropped, "line", "lines"));
        if (dropped > 0) this.facts.title = `the first ${dropped} lines made room for newer ones`;
        this.follow_button.setAttribute("aria-pressed", String(this.rows.is_following));
        this.wrap_button.setAttribute("aria-pressed", String(this.wraps));
    }
}
