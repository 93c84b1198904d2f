// Terminal output into coloured text. Of all that a terminal would do, only colours and the like (SGR) happen;
// other complete sequences are left out, and whatever is torn, too long or unknown is shown as text.

import { has_unseen, inert_parts } from "./inert";

export type Colour = number | readonly [number, number, number]; // 0 to 255 of the palette, or a triple

export interface Style {
    readonly fg: Colour | null;
    readonly bg: Colour | null;
    readonly flags: number;
}

export const Flag = { bold: 1, dim: 2, italic: 4, underline: 8, inverse: 16, strike: 32, mark: 64 } as const;

export interface Span {
    text: string;
    style: Style | null; // null is plain
}

export type Token = Span | "newline" | "return";

const escape = "\u001b";
const longest_sequence = 4096;
const plain: Style = { fg: null, bg: null, flags: 0 };
const set_by: Record<number, number> = { 1: Flag.bold, 2: Flag.dim, 3: Flag.italic, 4: Flag.underline,
                                         7: Flag.inverse, 9: Flag.strike };
const cleared_by: Record<number, number> = { 22: Flag.bold | Flag.dim, 23: Flag.italic, 24: Flag.underline,
                                             27: Flag.inverse, 29: Flag.strike };

const byte = (value: number | undefined) => Math.min(255, Math.max(0, value ?? 0));

// 38;5;N and 38;2;R;G;B, and how many parameters that took.
function extended(codes: number[], at: number): { colour: Colour | null; taken: number } {
    if (codes[at] === 5) return { colour: byte(codes[at + 1]), taken: 2 };
    if (codes[at] === 2)
        return { colour: [byte(codes[at + 1]), byte(codes[at + 2]), byte(codes[at + 3])], taken: 4 };
    return { colour: null, taken: codes.length };
}

function simple_code(style: Style, code: number): Style {
    const set = set_by[code];
    const cleared = cleared_by[code];
    if (code === 0) return plain;
    if (set !== undefined) return { ...style, flags: style.flags | set };
    if (cleared !== undefined) return { ...style, flags: style.flags & ~cleared };
    if (code === 21) return { ...style, flags: style.flags | Flag.underline };
    if (code === 39) return { ...style, fg: null };
    if (code === 49) return { ...style, bg: null };
    if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
    if (code >= 90 && code <= 97) return { ...style, fg: code - 90 + 8 };
    if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
    if (code >= 100 && code <= 107) return { ...style, bg: code - 100 + 8 };
    return style; // also 8, conceal: text stays readable
}

export function apply_sgr(style: Style, parameters: string): Style {
    // 4:3 and 38:2::1:2:3 are forms with colons; the empty field is that of a colour space.
    const text = parameters.replace(/([34]8):2::/g, "$1:2:").replace(/\b4:0\b/g, "24").replace(/\b4:\d+/g, "4");
    const codes = text.split(/[;:]/).map((one) => (one === "" ? 0 : Number.parseInt(one, 10)));
    for (let at = 0; at < codes.length; ++at) {
        const code = codes[at] ?? 0;
        if (code === 38 || code === 48) {
            const { colour, taken } = extended(codes, at + 1);
            if (colour !== null) style = code === 38 ? { ...style, fg: colour } : { ...style, bg: colour };
            at += taken;
        } else if (code === 58) {
            at += extended(codes, at + 1).taken;
        } else {
            style = simple_code(style, code);
        }
    }
    return style;
}

type Sequence = { kind: "whole"; end: number; sgr: string | null } | { kind: "torn" } | { kind: "text" };

const string_starts = "]PX^_";

// What begins with the escape at `at`. Strings (titles, links, ...) end with BEL or ESC \; with a line's end or another
// sequence in them they are no strings, so nothing is read twice.
function sequence_at(text: string, at: number): Sequence {
    const second = text[at + 1];
    if (second === undefined) return { kind: "torn" };
    if (second === "[") {
        let end = at + 2;
        while (end < text.length && end - at < 256 && /[ -?]/.test(text[end] as string)) ++end;
        const last = text[end];
        if (last === undefined) return { kind: "torn" };
        if (!/[@-~]/.test(last)) return { kind: "text" };
        const inner = text.slice(at + 2, end);
        return { kind: "whole", end: end + 1, sgr: last === "m" && /^[\d;:]*$/.test(inner) ? inner : null };
    }
    if (string_starts.includes(second)) {
        for (let end = at + 2; end < text.length; ++end) {
            if (end - at > longest_sequence || text[end] === "\n") return { kind: "text" };
            if (text[end] === "\u0007") return { kind: "whole", end: end + 1, sgr: null };
            if (text[end] !== escape) continue;
            if (text[end + 1] === undefined) return { kind: "torn" };
            return text[end + 1] === "\\" ? { kind: "whole", end: end + 2, sgr: null } : { kind: "text" };
        }
        return text.length - at > longest_sequence ? { kind: "text" } : { kind: "torn" };
    }
    const short = /^[ -/]{0,3}[0-~]/.exec(text.slice(at + 1, at + 6));
    if (short) return { kind: "whole", end: at + 1 + short[0].length, sgr: null };
    return /^[ -/]{0,3}$/.test(text.slice(at + 1)) ? { kind: "torn" } : { kind: "text" };
}

// Keeps the style, and a sequence that is not complete yet, from one piece to the next.
export class AnsiReader {
    private style: Style = plain;
    private torn = "";
    private interned = new Map<string, Style>();

    read(piece: string): Token[] {
        const text = this.torn + piece;
        this.torn = "";
        const tokens: Token[] = [];
        let begin = 0;
        const stop = /[\n\r\u001b]/g;
        for (let found = stop.exec(text); found; found = stop.exec(text)) {
            this.push_text(tokens, text.slice(begin, found.index));
            begin = found.index + 1;
            if (found[0] === "\n") {
                tokens.push("newline");
            } else if (found[0] === "\r") {
                if (text[begin] === undefined) {
                    this.torn = "\r"; // perhaps a newline follows
                    return tokens;
                }
                if (text[begin] !== "\n") tokens.push("return");
            } else {
                const sequence = sequence_at(text, found.index);
                if (sequence.kind === "torn") {
                    this.torn = text.slice(found.index);
                    return tokens;
                }
                if (sequence.kind === "text") {
                    tokens.push({ text: "\u241b", style: mark });
                } else {
                    begin = sequence.end;
                    if (sequence.sgr !== null) this.style = this.intern(apply_sgr(this.style, sequence.sgr));
                }
            }
            stop.lastIndex = begin;
        }
        this.push_text(tokens, text.slice(begin));
        return tokens;
    }

    // What is left of a sequence when nothing more comes.
    end(): Token[] {
        const rest = this.torn;
        this.torn = "";
        const tokens: Token[] = [];
        if (rest !== "\r") this.push_text(tokens, rest);
        return tokens;
    }

    private push_text(tokens: Token[], text: string): void {
        if (text === "") return;
        const style = this.style === plain ? null : this.style;
        if (!has_unseen(text)) {
            tokens.push({ text, style });
            return;
        }
        for (const part of inert_parts(text))
            tokens.push({ text: part.text, style: part.is_mark ? mark : style });
    }

    private intern(style: Style): Style {
        if (style.fg === null && style.bg === null && style.flags === 0) return plain;
        const key = `${style.fg}/${style.bg}/${style.flags}`;
        const known = this.interned.get(key);
        if (known) return known;
        if (this.interned.size > 4096) this.interned.clear();
        this.interned.set(key, style);
        return style;
    }
}

const mark: Style = { fg: null, bg: null, flags: Flag.mark };
