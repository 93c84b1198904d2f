// The commands of a verdict as a tree: one that stands inside of another (what sudo runs, what a substitution
// runs) is its child. Between them stands what connects them.

import type { JudgedCommand } from "./api_types";

export interface ScriptNode {
    command: JudgedCommand;
    before: string; // the words of the script between the one before and this one: "&&", "; then"
    children: ScriptNode[];
}

const longest_connector = 40;

// Ranges count bytes of UTF-8.
function connector(script: Uint8Array, begin: number, end: number): string {
    if (begin >= end) return "";
    const text = new TextDecoder().decode(script.subarray(begin, end)).replace(/\s+/g, " ").trim();
    return text.length > longest_connector ? `${text.slice(0, longest_connector)}…` : text;
}

export function script_tree(script: string, commands: readonly JudgedCommand[]): ScriptNode[] {
    const encoded = new TextEncoder().encode(script);
    const roots: ScriptNode[] = [];
    const open: ScriptNode[] = [];
    for (const command of commands) {
        const [begin, end] = command.range;
        const holds = (outer: JudgedCommand) => {
            const [outer_begin, outer_end] = outer.range;
            return outer_begin <= begin && end <= outer_end && outer_end - outer_begin > end - begin;
        };
        while (open.length > 0 && !holds((open[open.length - 1] as ScriptNode).command)) open.pop();
        const parent = open[open.length - 1];
        const siblings = parent ? parent.children : roots;
        const previous = siblings[siblings.length - 1];
        // What stands before the first child is part of the parent's own text.
        const from = previous ? previous.command.range[1] : parent ? begin : 0;
        const node = { command, before: connector(encoded, from, begin), children: [] };
        siblings.push(node);
        open.push(node);
    }
    return roots;
}
