// Questions to the person, and the list of keys. <dialog> keeps the focus inside and closes with Escape.

import { type Child, h } from "./dom";

function open_dialog(dialog: HTMLDialogElement): void {
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.showModal();
}

export interface Question {
    title: string;
    body: Child[];
    confirm: string;
    kind: "danger" | "plain";
}

// True when it was confirmed; Escape and Cancel say no.
export function confirm_with(question: Question): Promise<boolean> {
    return new Promise((resolve) => {
        const yes = h("button", { type: "button", class: `button ${question.kind}` }, question.confirm);
        const no = h("button", { type: "button", class: "button" }, "Cancel");
        const dialog = h("dialog", { "aria-label": question.title },
            h("h2", {}, question.title), ...question.body, h("div", { class: "actions" }, no, yes));
        let answer = false;
        yes.addEventListener("click", () => { answer = true; dialog.close(); });
        no.addEventListener("click", () => dialog.close());
        dialog.addEventListener("close", () => resolve(answer));
        open_dialog(dialog);
        yes.focus();
    });
}

const help: [string, [string, string][]][] = [
    ["Everywhere", [["j  k", "next, previous"], ["Enter", "open"], ["Esc", "back"], ["/", "filter the list"],
                    ["i", "approvals"], ["l", "the audit"], ["t", "light, dark, automatic"], ["?", "this list"]]],
    ["A call", [["x", "kill it"], ["o", "to its output"], ["f", "follow the output"], ["w", "wrap long lines"],
                ["s", "find in the output"], ["n  N", "next, previous find"], ["y", "copy the output"]]],
    ["Approvals", [["j  k", "next, previous"], ["a", "allow once"], ["A", "allow always: shows first what is written"],
                   ["d", "deny, with a reason"]]],
    ["Audit", [["/", "search"], ["j  k", "next, previous"], ["Enter", "all that is known of it"]]],
];

export function show_help(): void {
    const close = h("button", { type: "button", class: "button" }, "Close");
    const groups = help.map(([title, keys]) => h("section", {}, h("h3", {}, title),
        h("dl", { class: "keys" }, ...keys.flatMap(([key, meaning]) => [
            h("dt", {}, ...key.split("  ").map((one) => h("kbd", {}, one))), h("dd", {}, meaning)]))));
    const dialog = h("dialog", { class: "help", "aria-label": "Keys" }, h("h2", {}, "Keys"),
        h("div", { class: "help-groups" }, ...groups), h("div", { class: "actions" }, close));
    close.addEventListener("click", () => dialog.close());
    open_dialog(dialog);
}
