// Lines into rows of a given width, so that every row has the same height and only those in view are made.

import type { Span } from "./ansi";
import type { Line } from "./transcript";

export const tab_stop = 8;
const easy = /^[\u0020-\u007e]*$/;
const wide = new RegExp("[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f" +
    "\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1faff}\\u{20000}-\\u{3fffd}]", "u");
const joining = /[\p{Mn}\p{Me}\u200c\u200d\ufe00-\ufe0f]/u;

// How many cells a character takes in column `at`.
function cells(character: string, at: number): number {
    if (character === "\t") return tab_stop - (at % tab_stop);
    if (character >= " " && character <= "~") return 1;
    if (joining.test(character)) return 0;
    return wide.test(character) ? 2 : 1;
}

// Where each row of a text begins: behind the last blank that fits, or inside a word that is longer than a row. A blank
// that does not fit is left to stick out: nobody sees it.
function row_starts(text: string, columns: number): number[] {
    return easy.test(text) ? easy_starts(text, columns) : cell_starts(text, columns);
}

function easy_starts(text: string, columns: number): number[] {
    const starts = [0];
    for (let from = 0; text.length - from > columns;) {
        const row = text.slice(from, from + columns + 1);
        const blank = row.lastIndexOf(" ");
        from += blank > 0 && row.slice(0, blank).trim() !== "" ? blank + 1 : columns;
        if (from < text.length) starts.push(from);
    }
    return starts;
}

function cell_starts(text: string, columns: number): number[] {
    const starts = [0];
    let at = 0;
    let index = 0;
    let has_word = false; // in this row
    let word = 0; // where the last one begins, if it is not the first of its row
    let in_word = 0; // its cells
    const begin_row = (start: number, width: number) => {
        starts.push(start);
        at = width;
        has_word = false;
        word = 0;
    };
    for (const character of text) {
        const is_blank = character === " " || character === "\t";
        if (!is_blank && word > 0 && at + cells(character, at) > columns) begin_row(word, in_word);
        if (character !== " " && at > 0 && at + cells(character, at) > columns) begin_row(index, 0);
        const width = cells(character, at);
        at += width;
        index += character.length;
        in_word = is_blank ? 0 : in_word + width;
        if (is_blank && has_word) word = index;
        has_word ||= !is_blank;
    }
    return starts;
}

export type Row = Span[];

// A tab is filled with blanks, because a row begins anywhere in the line. A tower of combining marks is cut: it would cost
// time, and nobody can read it.
class Writer {
    private at = 0;
    private in_cell = 0;

    begin_row(): void {
        this.at = 0;
    }

    write(text: string, columns: number): string {
        if (easy.test(text)) {
            this.at += text.length;
            this.in_cell = 0;
            return text;
        }
        let written = "";
        for (const character of text) {
            const width = cells(character, this.at);
            this.in_cell = width === 0 ? this.in_cell + 1 : 0;
            this.at += width;
            if (this.in_cell <= 8) written += character === "\t" ? " ".repeat(Math.min(width, columns)) : character;
        }
        return written;
    }
}

const text_of = (line: Line) => line.spans.map((span) => span.text).join("");

export function rows_of(line: Line, columns: number): Row[] {
    const starts = row_starts(text_of(line), columns);
    const rows: Row[] = [[]];
    const writer = new Writer();
    let at = 0;
    for (const span of line.spans) {
        for (let from = 0; from < span.text.length;) {
            if (at === starts[rows.length]) {
                rows.push([]);
                writer.begin_row();
            }
            const take = Math.min(span.text.length - from, (starts[rows.length] ?? Infinity) - at);
            const piece = writer.write(span.text.slice(from, from + take), columns);
            rows[rows.length - 1]?.push({ text: piece, style: span.style });
            from += take;
            at += take;
        }
    }
    return rows;
}

function row_count(line: Line, columns: number): number {
    return row_starts(text_of(line), columns).length;
}

// Which rows belong to which line.
export class RowIndex {
    private starts: number[] = [0]; // starts[i] is the first row of line i; the last entry is the total
    columns = 80;

    get total(): number {
        return this.starts[this.starts.length - 1] as number;
    }

    rebuild(lines: readonly Line[], columns: number): void {
        this.columns = columns;
        this.starts = [0];
        this.update(lines, 0);
    }

    // Lines from `first` on are new or have changed.
    update(lines: readonly Line[], first: number): void {
        this.starts.length = Math.min(this.starts.length, first + 1);
        for (let index = this.starts.length - 1; index < lines.length; ++index)
            this.starts.push(this.total + row_count(lines[index] as Line, this.columns));
    }

    // `count` lines at the front have gone; how many rows those were.
    drop(count: number): number {
        const rows = this.starts[count] ?? this.total;
        this.starts.splice(0, count);
        for (let index = 0; index < this.starts.length; ++index)
            this.starts[index] = (this.starts[index] as number) - rows;
        if (this.starts.length === 0) this.starts = [0];
        return rows;
    }

    start_of(line: number): number {
        return this.starts[Math.max(0, Math.min(line, this.starts.length - 1))] as number;
    }

    line_at(row: number): number {
        let [low, high] = [0, Math.max(0, this.starts.length - 2)];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if ((this.starts[middle] as number) <= row) low = middle;
            else high = middle - 1;
        }
        return low;
    }
}

export interface Window {
    first: number;
    last: number; // one after
}

// The rows to make for this place of a scroller, with some to spare on both sides.
export function window_of(top: number, height: number, row_height: number, total: number, spare = 20): Window {
    const first = Math.max(0, Math.min(Math.floor(top / row_height) - spare, total));
    const last = Math.min(total, Math.ceil((top + height) / row_height) + spare);
    return { first, last: Math.max(first, last) };
}
