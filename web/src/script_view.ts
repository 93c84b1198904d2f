// A script as a tree, with the verdict at each command.

import type { Decision, Verdict } from "./api_types";
import { foreign, h } from "./dom";
import { icon } from "./icons";
import { type ScriptNode, script_tree } from "./script_tree";

const icons = { allow: "good", ask: "asking", deny: "denied" } as const;

export function decision_badge(decision: Decision): HTMLElement {
    return h("span", { class: `decision ${decision}` }, icon(icons[decision]), decision);
}

function detail(label: string, text: string | null): HTMLElement | null {
    if (text === null) return null;
    return h("p", { class: "why" }, h("span", { class: "why-label" }, label), " ", foreign(text));
}

function node_view(node: ScriptNode): HTMLElement {
    const { command } = node;
    const rule = command.rule === null ? null
        : command.rule + (command.where === null ? "" : `, ${command.where}`);
    return h("li", { class: `node ${command.decision}` },
        node.before !== "" && h("span", { class: "connector" }, foreign(node.before)),
        h("div", { class: "node-line" }, decision_badge(command.decision),
            h("code", {}, foreign(command.text))),
        command.decision !== "allow" && detail("why", command.reason),
        command.rule !== null && detail("rule", rule),
        detail("instead", command.instead),
        command.decision !== "allow" && detail("would allow it", command.allow_with),
        // A rule of one's own is named above already.
        command.rule === null && command.decision !== "allow" && detail("decided by", command.change),
        node.children.length > 0 && h("ul", { class: "tree" }, ...node.children.map(node_view)));
}

export function script_view(script: string, verdict: Verdict): HTMLElement {
    const nodes = script_tree(script, verdict.commands);
    const files = new Map(verdict.files.map((file) => [`${file.operation} ${file.path}`, file]));
    return h("div", { class: "script" },
        h("ul", { class: "tree" }, ...nodes.map(node_view)),
        !verdict.understood && h("p", { class: "why" }, h("span", { class: "why-label" }, "not understood"), " ",
            foreign(verdict.not_understood.join("; "))),
        files.size > 0 && h("p", { class: "files" },
            ...[...files.values()].flatMap((file) => [
                h("span", { class: "why-label" }, file.operation), " ", h("code", {}, foreign(file.path)), " "])));
}
