import assert from "node:assert/strict";
import { test } from "node:test";
import { RowIndex, rows_of, window_of } from "./rows";
import { type Line, Transcript, longest_line } from "./transcript";

function transcript(text: string, bounds?: { lines: number; chars: number }): Transcript {
    const made = new Transcript(bounds);
    made.append(text);
    made.finish();
    return made;
}

function rows(text: string, columns: number): string[] {
    const line = transcript(text).lines[0] as Line;
    return rows_of(line, columns).map((row) => row.map((span) => span.text).join(""));
}

const breaks: [text: string, columns: number, wanted: string[]][] = [
    ["", 4, []],
    ["abcd", 4, ["abcd"]],
    ["abcdef", 4, ["abcd", "ef"]],
    ["a\tb", 16, ["a       b"]],
    ["one two three", 9, ["one two ", "three"]],
    ["one two three", 7, ["one two ", "three"]],
    ["one  two", 4, ["one  ", "two"]],
    ["onetwothree four", 6, ["onetwo", "three ", "four"]],
    ["  onetwothree", 6, ["  onet", "wothre", "e"]],
    ["on \u001b[31mtwo\u001b[0m three", 6, ["on two ", "three"]],
    ["\u00e4 \u00f6\u00fc \u00df\u00df\u00df", 5, ["\u00e4 \u00f6\u00fc ", "\u00df\u00df\u00df"]],
    ["\u00e4 \u4f60\u597d\u4e16", 6, ["\u00e4 ", "\u4f60\u597d\u4e16"]],
    ["\u00e4\tbcd", 10, ["\u00e4       ", "bcd"]],
    ["\u00e4bc\td", 4, ["\u00e4bc", "    ", "d"]],
    ["\u4f60\u597d\u4e16", 5, ["\u4f60\u597d", "\u4e16"]],
    ["ab\u001b[31mcd\u001b[0mef", 3, ["abc", "def"]],
    ["e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
];
for (const [text, columns, wanted] of breaks) {
    test(`rows: ${JSON.stringify(text)} in ${columns}`, () => {
        if (wanted.length === 0) assert.equal(transcript(text).lines.length, 0);
        else assert.deepEqual(rows(text, columns), wanted);
    });
}

test("rows: a tower of marks is cut", () => {
    const row = rows(`a${"\u0301".repeat(1000)}`, 80)[0] as string;
    assert.ok(row.length < 20);
});

test("rows: the index finds what it has counted, also after changes", () => {
    const made = new Transcript();
    const index = new RowIndex();
    index.rebuild(made.lines, 10);
    for (const piece of ["short\n", "x".repeat(35), "y".repeat(10), "\n", "\u4f60".repeat(11), "\nend"])
        index.update(made.lines, made.append(piece));
    const counts = made.lines.map((line) => rows_of(line, 10).length);
    assert.deepEqual(counts, [1, 5, 3, 1]);
    assert.equal(index.total, 10);
    assert.deepEqual([0, 1, 5, 6, 8, 9].map((row) => index.line_at(row)), [0, 1, 1, 2, 2, 3]);
    assert.equal(index.start_of(2), 6);
    assert.equal(index.drop(2), 6);
    assert.equal(index.total, 4);
    assert.equal(index.line_at(3), 1);
});

test("rows: the window has what is seen and little more", () => {
    assert.deepEqual(window_of(0, 400, 20, 10_000), { first: 0, last: 40 });
    assert.deepEqual(window_of(100_000, 400, 20, 10_000), { first: 4980, last: 5040 });
    assert.deepEqual(window_of(199_600, 400, 20, 10_000), { first: 9960, last: 10_000 });
    assert.deepEqual(window_of(5000, 400, 20, 3), { first: 3, last: 3 });
});

test("transcript: a rewritten line has its last state, and says so", () => {
    const { lines } = transcript("10%\r20%\r30%\nnext");
    assert.equal(lines[0]?.spans[0]?.text, "30%");
    assert.equal(lines[0]?.rewritten, 2);
    assert.equal(lines[1]?.rewritten, 0);
});

test("transcript: a return at the end leaves the line as it is", () => {
    assert.equal(transcript("done\r").text(), "done");
});

test("transcript: old lines make room", () => {
    const made = new Transcript({ lines: 100, chars: 1 << 20 });
    for (let index = 0; index < 1000; ++index) made.append(`line ${index}\n`);
    assert.ok(made.lines.length <= 110);
    assert.equal(made.lines.length + made.dropped, 1000);
    assert.equal(made.lines[made.lines.length - 1]?.spans[0]?.text, "line 999");
});

test("transcript: many characters make room too", () => {
    const made = new Transcript({ lines: 1000, chars: 1000 });
    for (let index = 0; index < 100; ++index) made.append(`${"x".repeat(99)}\n`);
    assert.ok(made.lines.length <= 12);
});

test("transcript: a line without end goes on in others, and is one line", () => {
    const made = new Transcript();
    for (let index = 0; index < 10; ++index) made.append("x".repeat(50_000));
    made.append("\nnext\n");
    assert.ok(made.lines.length > 20);
    assert.ok(made.lines.every((line) => line.chars <= 2 * longest_line));
    assert.deepEqual(made.lines.filter((line) => line.number !== null).map((line) => line.number), [1, 2]);
    assert.equal(made.text().replaceAll("\n", "").length, 500_004);
});
