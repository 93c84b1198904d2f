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

export type Row = Span[];

// A tab is filled with blanks: a row begins anywhere in the line.
export function rows_of(line: Line, columns: number): Row[] {
    const rows: Row[] = [[]];
    let at = 0;
    let in_cell = 0;
    for (const span of line.spans) {
        let piece = "";
        const flush = () => {
            if (piece !== "") rows[rows.length - 1]?.push({ text: piece, style: span.style });
            piece = "";
        };
        if (easy.test(span.text)) {
            for (let from = 0; from < span.text.length;) {
                if (at >= columns) {
                    rows.push([]);
                    at = 0;
                }
                const take = Math.min(columns - at, span.text.length - from);
                rows[rows.length - 1]?.push({ text: span.text.slice(from, from + take), style: span.style });
                from += take;
                at += take;
            }
            continue;
        }
        for (const character of span.text) {
            const width = cells(character, at);
            if (at + width > columns && at > 0) {
                flush();
                rows.push([]);
                at = 0;
            }
            // A tower of combining marks is cut: it would cost time, and nobody can read it.
            in_cell = width === 0 ? in_cell + 1 : 0;
            if (in_cell > 8) continue;
            piece += character === "\t" ? " ".repeat(Math.min(width, columns)) : character;
            at += width;
        }
        flush();
    }
    return rows;
}

function row_count(line: Line, columns: number): number {
    let chars = 0;
    for (const span of line.spans) {
        if (!easy.test(span.text)) return rows_of(line, columns).length;
        chars += span.text.length;
    }
    return Math.max(1, Math.ceil(chars / columns));
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
