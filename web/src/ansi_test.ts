import assert from "node:assert/strict";
import { test } from "node:test";
import { AnsiReader, Flag, type Span, type Token, apply_sgr } from "./ansi";

const esc = "\u001b";

function read(...pieces: string[]): Token[] {
    const reader = new AnsiReader();
    return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()];
}

// "text" for plain text, "text{fg,bg,flags}" for what has a style.
function shown(...pieces: string[]): string {
    return read(...pieces).map((token) => {
        if (typeof token === "string") return token === "newline" ? "⏎" : "↩";
        const { text, style } = token as Span;
        return style === null ? text : `${text}{${style.fg ?? ""},${style.bg ?? ""},${style.flags}}`;
    }).join("");
}

const table: [name: string, output: string, wanted: string][] = [
    ["plain text", "hello\nworld", "hello⏎world"],
    ["CRLF is one newline", "a\r\nb", "a⏎b"],
    ["a lone carriage return begins again", "10%\r20%", "10%↩20%"],
    ["red and back", `a${esc}[31mb${esc}[0mc`, "ab{1,,0}c"],
    ["an empty parameter is 0", `${esc}[31ma${esc}[mb`, "a{1,,0}b"],
    ["bright colours", `${esc}[91;102ma`, "a{9,10,0}"],
    ["bold and underline", `${esc}[1;4ma${esc}[22mb`, `a{,,${Flag.bold | Flag.underline}}b{,,${Flag.underline}}`],
    ["256 colours", `${esc}[38;5;208ma`, "a{208,,0}"],
    ["true colours", `${esc}[48;2;1;2;3ma`, "a{,1,2,3,0}"],
    ["true colours with colons", `${esc}[38:2::9:8:7ma`, "a{9,8,7,,0}"],
    ["conceal hides nothing", `${esc}[8mhidden`, "hidden"],
    ["clearing the screen clears nothing", `a${esc}[2J${esc}[Hb`, "ab"],
    ["the cursor does not move", `secret${esc}[6D${esc}[Ksafe`, "secretsafe"],
    ["titles are left out", `a${esc}]0;title\u0007b`, "ab"],
    ["links are left out, their text stays", `${esc}]8;;http://x/${esc}\\text${esc}]8;;${esc}\\`, "text"],
    ["private modes are left out", `${esc}[?1049ha`, "a"],
    ["device strings are left out", `a${esc}P1;2|x${esc}\\b`, "ab"],
    ["character sets are left out", `${esc}(Ba`, "a"],
    ["a string that does not end hides no line", `${esc}]0;x\nrm -rf /`, `␛{,,${Flag.mark}}]0;x⏎rm -rf /`],
    ["a sequence in a string ends it", `${esc}]0;x${esc}[31mred`, `␛{,,${Flag.mark}}]0;xred{1,,0}`],
    ["a torn sequence is shown", `a${esc}[3`, `a␛{,,${Flag.mark}}[3`],
    ["what is no sequence is shown", `${esc}[3\u0001m`, `␛{,,${Flag.mark}}[3␁{,,${Flag.mark}}m`],
    ["bell and backspace are shown", "a\u0007\u0008b", `a␇{,,64}␈{,,64}b`],
    ["a change of direction is shown", "a\u202eb", "aU+202E{,,64}b"],
    ["eight bit controls are shown", "\u009b31ma", "U+009B{,,64}31ma"],
    ["invisible tags are shown", "a\u{e0041}b", "aU+E0041{,,64}b"],
    ["markup is text", "<script>alert(1)</script>", "<script>alert(1)</script>"],
];

for (const [name, output, wanted] of table) {
    test(`ansi: ${name}`, () => assert.equal(shown(output), wanted));
    test(`ansi: ${name}, byte by byte`, () => {
        const joined = (text: string) => text.replaceAll(/(\{[^}]*\})(?=([^{]*)\1)/g, "$1");
        const letters = [...output];
        const whole = read(output).map((t) => (typeof t === "string" ? `[${t}]` : t.text)).join("");
        const torn = read(...letters).map((t) => (typeof t === "string" ? `[${t}]` : t.text)).join("");
        assert.equal(joined(torn), joined(whole));
    });
}

test("ansi: a long string is text in the end, and the page goes on", () => {
    const tokens = read(`${esc}]0;${"x".repeat(5000)}`);
    assert.equal(tokens.map((t) => (typeof t === "string" ? t : t.text)).join("").length, 5004);
});

test("ansi: numbers beyond all bounds are kept in them", () => {
    assert.deepEqual(apply_sgr({ fg: null, bg: null, flags: 0 }, "38;5;99999").fg, 255);
    assert.deepEqual(apply_sgr({ fg: null, bg: null, flags: 0 }, "38;2;999;-1;3").fg, [255, 0, 3]);
});

test("ansi: a megabyte of escapes takes no long time", () => {
    const began = performance.now();
    read(`${esc}[`.repeat(250_000), `${esc}]`.repeat(250_000), `${esc}]${"x".repeat(4000)}`.repeat(250),
        `${esc}[31mx`.repeat(100_000));
    assert.ok(performance.now() - began < 30_000, "it is quadratic"); // usually less than a second
});
