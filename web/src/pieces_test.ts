// Small things that only compute.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JudgedCommand } from "./api_types";
import { contrast, palette, readable } from "./colour";
import { ago, bytes, cores, duration } from "./format";
import { area_path, ceiling, line_path, plot_points } from "./plot_path";
import { address_of, parse_route } from "./route";
import { Samples, most_samples } from "./samples";
import { type ScriptNode, script_tree } from "./script_tree";

function table<A, B>(name: string, call: (input: A) => B, rows: [A, B][]): void {
    for (const [input, wanted] of rows)
        test(`${name}: ${JSON.stringify(input)}`, () => assert.deepEqual(call(input), wanted));
}

table("duration", duration, [
    [null, "–"], [0, "0 ms"], [999, "999 ms"], [1500, "1.5 s"], [9999, "9.9 s"], [59_999, "59 s"],
    [61_000, "1:01"], [3_661_000, "1:01:01"], [200_000_000, "2 d 7 h"], [-5, "0 ms"],
]);
table("bytes", bytes, [[null, "–"], [0, "0 B"], [1023, "1023 B"], [1536, "1.5 KiB"], [123 << 20, "123 MiB"]]);
table("cores", cores, [[null, "–"], [0, "0 %"], [1.257, "126 %"]]);
table("ago", (time: number) => ago(time, 100_000_000), [
    [100_000_000, "now"], [99_990_000, "10 s ago"], [99_400_000, "10 min ago"], [90_000_000, "2 h ago"],
]);
table("route", parse_route, [
    ["", { page: "list" }], ["#/", { page: "list" }], ["#/approvals", { page: "inbox" }],
    ["#/shell/a-1", { page: "entry", key: "shell/a-1" }], ["#/call/%zz", { page: "list" }],
    ["#/else/where", { page: "list" }],
] as [string, ReturnType<typeof parse_route>][]);

test("route: an address comes back", () => {
    const key = "shell/a b/ü?#1";
    assert.deepEqual(parse_route(address_of(key)), { page: "entry", key });
});

table("ceiling", (values: number[]) => ceiling(values, 1), [[[], 1], [[0.2], 1], [[1.5], 2], [[30], 50], [[100], 100]]);

test("plot: the newest value stands at the right edge", () => {
    const box = { width: 100, height: 10 };
    const points = plot_points([0, 1, 2], 11, 2, box);
    assert.deepEqual(points, [[80, 10], [90, 5], [100, 0]]);
    assert.equal(line_path(points), "M80 10L90 5L100 0");
    assert.equal(area_path(points, box), "M80 10L90 5L100 0L100 10L80 10Z");
    assert.equal(area_path([], box), "");
});

test("samples: they are bounded, and none comes twice", () => {
    const samples = new Samples();
    for (let time = 1; time <= 500; ++time)
        for (let again = 0; again < 2; ++again)
            samples.add("a", { cpu: 0, memory_bytes: 0, processes: 1, time });
    assert.equal(samples.of("a").length, most_samples);
    for (let shell = 0; shell < 100; ++shell)
        samples.add(String(shell), { cpu: 0, memory_bytes: 0, processes: 1, time: 1 });
    assert.equal(samples.of("a").length, 0);
    assert.equal(samples.of("99").length, 1);
});

test("colour: whatever a command chooses can be read", () => {
    for (const ground of [[251, 250, 247], [18, 19, 17]] as const)
        for (let index = 16; index < 256; ++index)
            assert.ok(contrast(readable(palette(index), ground, 4.5), ground) >= 4.5);
    assert.deepEqual(palette(16), [0, 0, 0]);
    assert.deepEqual(palette(208), [255, 135, 0]);
    assert.deepEqual(palette(255), [238, 238, 238]);
});

function judged(script: string, text: string): JudgedCommand {
    const begin = Buffer.from(script.slice(0, script.indexOf(text))).length;
    return { text, range: [begin, begin + Buffer.from(text).length], decision: "allow", rule: null, where: null,
             reason: null, instead: null, allow_with: null, change: null };
}
const drawn = (nodes: ScriptNode[]): string =>
    nodes.map((node) => `${node.before}[${node.command.text}${drawn(node.children)}]`).join("");

const scripts: [script: string, commands: string[], wanted: string][] = [
    ["ls", ["ls"], "[ls]"],
    ["cd é && make", ["cd é", "make"], "[cd é]&&[make]"],
    ["sudo git push", ["sudo git push", "git push"], "[sudo git push[git push]]"],
    ["a $(b | c); d", ["a $(b | c)", "b", "c", "d"], "[a $(b | c)[b]|[c]];[d]"],
    ["if a; then\n b; fi", ["a", "b"], "if[a]; then[b]"],
];
for (const [script, commands, wanted] of scripts)
    test(`script: ${script}`, () =>
        assert.equal(drawn(script_tree(script, commands.map((text) => judged(script, text)))), wanted));
