// The bar at the top: where this is, whether it is live, and the way to the approvals.

import { show_help } from "./dialogs";
import { h, set_text } from "./dom";
import type { Link } from "./events";
import { icon } from "./icons";
import type { Store } from "./store";
import { next_theme } from "./theme";

const words: Record<Link, string> = { connecting: "connecting", live: "live", paused: "paused", broken: "no connection" };

export class Header {
    private workspace = h("span", { class: "workspace" });
    private walls = h("span", { class: "chip" });
    private link = h("span", { class: "link", role: "status" });
    private count = h("span", { class: "inbox-count" });
    private inbox = h("a", { class: "inbox-link", href: "#/approvals" }, icon("inbox"),
        h("span", { class: "inbox-word" }, "Approvals"), this.count);
    readonly element: HTMLElement;

    constructor(say: (text: string) => void) {
        this.element = h("header", { class: "top" },
            h("a", { class: "brand", href: "#/" }, h("img", { src: "/icon.svg", alt: "", width: "22", height: "22" }),
                h("span", { class: "brand-word" }, "husk")),
            this.workspace, this.walls, h("span", { class: "spacer" }), this.link,
            h("a", { class: "inbox-link", href: "#/audit", "aria-label": "Audit" }, icon("log"),
                h("span", { class: "inbox-word" }, "Audit")), this.inbox,
            h("button", { type: "button", class: "icon-button", "aria-label": "Light or dark", title: "Light or dark (t)",
                          onclick: () => say(`Theme: ${next_theme()}`) }, icon("theme")),
            h("button", { type: "button", class: "icon-button", "aria-label": "Keys", title: "Keys (?)",
                          onclick: show_help }, icon("help")));
    }

    update(store: Store): void {
        const { server } = store;
        const pending = store.pending().length;
        set_text(this.workspace, server?.workspace ?? "");
        this.workspace.title = server?.workspace ?? "";
        set_text(this.walls, server?.mode ?? "");
        this.walls.hidden = !server;
        set_text(this.count, pending === 0 ? "" : String(pending));
        this.inbox.classList.toggle("has-news", pending > 0);
        this.inbox.setAttribute("aria-label", pending === 0 ? "Approvals" : `Approvals, ${pending} waiting`);
        document.title = pending > 0 ? `(${pending}) Husk` : "Husk";
    }

    set_link(link: Link): void {
        this.link.className = `link ${link}`;
        set_text(this.link, words[link]);
    }
}
