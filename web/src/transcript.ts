// Lines of output, as many as a page should hold. Old ones make room for new ones.

import { AnsiReader, Flag, type Span, type Style, type Token } from "./ansi";

export interface Line {
    number: number | null; // null where it goes on from the one before
    spans: Span[];
    rewritten: number; // how often a carriage return began it again
    chars: number;
}

export interface Bounds {
    lines: number;
    chars: number;
}

export const usual_bounds: Bounds = { lines: 100_000, chars: 16 << 20 };

// A longer line goes on in another one: a line is broken into rows as a whole, again and again while it grows.
export const longest_line = 16 << 10;

const note_style: Style = { fg: null, bg: null, flags: Flag.mark };

export class Transcript {
    readonly lines: Line[] = [];
    dropped = 0; // lines that made room
    private chars = 0;
    private reader = new AnsiReader();
    private begins_again = false;
    private is_open = false; // the last line has no newline yet
    private count = 0; // of lines that ever were

    constructor(private readonly bounds: Bounds = usual_bounds) {}

    // The index of the first line that has changed; lines that were dropped are `dropped` more than before.
    append(text: string): number {
        const first = this.is_open ? this.lines.length - 1 : this.lines.length;
        const before = this.dropped;
        for (const token of this.reader.read(text)) this.take(token);
        this.make_room();
        return Math.max(0, first - (this.dropped - before));
    }

    finish(): number {
        const first = Math.max(0, this.lines.length - 1);
        for (const token of this.reader.end()) this.take(token);
        return first;
    }

    text(): string {
        return this.lines.map((line) => line.spans.map((span) => span.text).join("")).join("\n");
    }

    // A line that no command has written.
    note(text: string): void {
        if (this.is_open) this.take("newline");
        this.lines.push({ number: null, spans: [{ text, style: note_style }], rewritten: 0, chars: text.length });
        this.chars += text.length;
    }

    private last(): Line {
        const last = this.lines[this.lines.length - 1];
        if (this.is_open && last && last.chars < longest_line) return last;
        const line: Line = { number: this.is_open ? null : ++this.count, spans: [], rewritten: 0, chars: 0 };
        this.lines.push(line);
        this.is_open = true;
        return line;
    }

    private take(token: Token): void {
        if (typeof token !== "string" && token.text.length > longest_line) {
            for (let from = 0; from < token.text.length; from += longest_line)
                this.take({ text: token.text.slice(from, from + longest_line), style: token.style });
            return;
        }
        const line = this.last();
        if (token === "newline") {
            this.is_open = false;
            this.begins_again = false;
        } else if (token === "return") {
            this.begins_again = line.spans.length > 0;
        } else {
            if (this.begins_again) {
                this.chars -= line.chars;
                line.spans = [];
                line.chars = 0;
                line.rewritten += 1;
                this.begins_again = false;
            }
            line.spans.push(token);
            line.chars += token.text.length;
            this.chars += token.text.length;
        }
    }

    // A tenth at a time, so that it is cheap in the long run.
    private make_room(): void {
        let count = 0;
        if (this.lines.length > this.bounds.lines * 1.1) count = this.lines.length - this.bounds.lines;
        if (this.chars > this.bounds.chars * 1.1) {
            let over = this.chars - this.bounds.chars;
            for (let index = 0; index < count; ++index) over -= this.lines[index]?.chars ?? 0;
            while (over > 0 && count < this.lines.length - 1) over -= this.lines[count++]?.chars ?? 0;
        }
        for (const line of this.lines.splice(0, count)) this.chars -= line.chars;
        this.dropped += count;
    }
}
