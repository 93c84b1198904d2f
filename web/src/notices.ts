// Short sentences at the edge of the page, that are also read aloud.

import { h } from "./dom";

const lifetime_ms = 6000;

export class Notices {
    readonly element = h("div", { class: "notices", role: "status", "aria-live": "polite" });

    say(text: string, kind: "news" | "error" = "news"): void {
        const notice = h("p", { class: `notice ${kind}` }, text);
        this.element.append(notice);
        while (this.element.children.length > 4) this.element.firstElementChild?.remove();
        window.setTimeout(() => notice.remove(), lifetime_ms);
    }

    // What failed is said in the server's words.
    async attempt<T>(what: string, action: () => Promise<T>): Promise<T | null> {
        try {
            return await action();
        } catch (error) {
            this.say(`${what}: ${error instanceof Error ? error.message : String(error)}`, "error");
            return null;
        }
    }
}
