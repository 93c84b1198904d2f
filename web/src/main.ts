// The console: the store is fed by events, the views show it, the address says which one.

import { ApiError, api } from "./api";
import { AuditView } from "./audit_view";
import type { Approval, Configuration } from "./api_types";
import { DetailView } from "./detail_view";
import { show_help } from "./dialogs";
import { h } from "./dom";
import { type Entry, entries_of } from "./entries";
import { Events } from "./events";
import { Header } from "./header";
import { inert } from "./inert";
import { InboxView } from "./inbox_view";
import { type Keys, listen } from "./keyboard";
import { ListView } from "./list_view";
import { Notices } from "./notices";
import { Overview } from "./overview";
import { type Route, parse_route } from "./route";
import { Store } from "./store";
import { next_theme, start_theme } from "./theme";

const most_shells = 500;
const retry_ms = 3000;

class Console {
    private store = new Store();
    private notices = new Notices();
    private header = new Header((text) => this.notices.say(text));
    private list = new ListView(this.store);
    private overview = new Overview(this.store);
    private inbox = new InboxView(this.store, this.notices);
    private audit = new AuditView(this.notices);
    private detail: DetailView | null = null;
    private route: Route = { page: "list" };
    private main = h("main", { class: "main", tabindex: "-1" });
    private is_planned = false;
    private is_loaded = false;
    private waiting: [string, unknown][] | null = null;

    start(): void {
        start_theme();
        document.body.append(h("a", { class: "skip", href: "#main", onclick: (event: MouseEvent) => {
            event.preventDefault();
            this.main.focus();
        } }, "Skip the list"), this.header.element,
            h("div", { class: "panes" }, this.list.element, this.main), this.notices.element);
        window.addEventListener("hashchange", () => this.go());
        window.addEventListener("pagehide", () =>
            this.store.samples.save(sessionStorage, this.store.server?.epoch ?? ""));
        listen(() => this.keys());
        this.store.on_change(() => this.plan());
        this.store.on_output((news) => {
            if (this.detail?.shell_id() === news.shell_id) this.detail.output?.poke(news.stream);
        });
        window.setInterval(() => this.plan(), 1000);
        new Events({
            on_event: (type, data) => this.on_event(type, data),
            on_link: (link) => {
                this.header.set_link(link);
                if (link === "broken") void this.explain_break();
            },
            on_gap: () => void this.load(),
        }).open();
        this.go();
    }

    // What happens while the lists are on their way may be missing in them: it is applied afterwards.
    private async load(): Promise<void> {
        const waiting: [string, unknown][] = [];
        this.waiting = waiting;
        const lists = await this.notices.attempt("The lists could not be read", async () =>
            Promise.all([api.server(), api.shells(most_shells), api.calls(), api.approvals()]));
        if (this.waiting === waiting) this.waiting = null; // else a later load is under way
        if (!lists) {
            window.setTimeout(() => void this.load(), retry_ms);
            return;
        }
        const [server, { shells, total }, { calls }, { approvals }] = lists;
        this.store.samples.load(sessionStorage, server.epoch);
        this.store.replace({ server, shells, total_shells: total, calls, approvals });
        for (const [type, data] of waiting) this.on_event(type, data);
        this.is_loaded = true;
        this.detail?.output?.poke(null);
    }

    private on_event(type: string, data: unknown): void {
        if (this.waiting) {
            this.waiting.push([type, data]);
            return;
        }
        this.store.apply(type, data);
        if (type === "approval.asked" && this.route.page !== "inbox")
            this.notices.say(`Asks: ${inert((data as Approval).command.slice(0, 80))}`);
        if (type.startsWith("configuration.")) this.tell_of(data as Configuration);
        if (type === "shell.ended" || type === "shell.gone") this.detail?.output?.poke(null);
    }

    // The mode and the network of the server may be others now.
    private tell_of({ outcome, changed, why }: Configuration): void {
        if (outcome === "refused") this.notices.say(`A change of the configuration is not obeyed: ${inert(why ?? "")}`, "error");
        else this.notices.say(`The configuration has changed: ${inert(changed.join("; ") || "nothing in force is different")}`);
        if (outcome === "applied") void this.load();
    }

    private async explain_break(): Promise<void> {
        try {
            await api.server();
        } catch (error) {
            if (!(error instanceof ApiError) || error.status !== 401) return;
            this.notices.say("This browser is not let in any more: open a new link of husk serve.", "error");
        }
    }

    private go(): void {
        const route = parse_route(location.hash);
        const is_same = JSON.stringify(route) === JSON.stringify(this.route) && this.main.childElementCount > 0;
        if (is_same) return;
        this.route = route;
        this.detail?.close();
        this.detail = null;
        document.body.dataset.page = route.page;
        this.list.current = route.page === "entry" ? route.key : null;
        this.main.scrollTop = 0;
        if (route.page === "inbox") this.main.replaceChildren(this.inbox.element);
        else if (route.page === "audit") this.main.replaceChildren(this.audit.element);
        else if (route.page === "list") this.main.replaceChildren(this.overview.element);
        else this.main.replaceChildren(h("p", { class: "empty" }, "…"));
        this.update();
        if (route.page === "inbox") this.inbox.move(1);
        if (route.page === "audit") this.audit.open();
    }

    private current_entry(): Entry | null {
        if (this.route.page !== "entry") return null;
        const { key } = this.route;
        const id = key.slice(5);
        return entries_of(this.store.shells, this.store.calls).find((entry) => entry.key === key
            || (key.startsWith("call/") && (entry.call?.call_id === id || entry.other_calls.some((one) => one.call_id === id))))
            ?? null;
    }

    // Once for each frame. A page that nobody sees has no frames, and its title shall change all the same.
    private plan(): void {
        if (document.hidden) this.header.update(this.store);
        if (this.is_planned) return;
        this.is_planned = true;
        requestAnimationFrame(() => {
            this.is_planned = false;
            this.update();
        });
    }

    private update(): void {
        this.header.update(this.store);
        this.list.update();
        if (this.route.page === "inbox") this.inbox.update();
        else if (this.route.page === "list") this.overview.update();
        else if (this.route.page === "entry") this.update_detail();
    }

    private update_detail(): void {
        const entry = this.current_entry();
        if (entry) {
            // The page of a call becomes that of its shell.
            this.list.current = entry.key;
            if (this.detail) this.detail.update(entry);
            else this.show_detail(entry);
        } else if (this.is_loaded && !this.detail) {
            void this.look_for_older();
        }
    }

    private show_detail(entry: Entry): void {
        this.detail = new DetailView(entry, this.store, this.notices);
        this.main.replaceChildren(this.detail.element);
    }

    // It is not in the lists: perhaps it is older than those.
    private asked_for = "";
    private async look_for_older(): Promise<void> {
        if (this.route.page !== "entry" || this.asked_for === this.route.key) return;
        const { key } = this.route;
        this.asked_for = key;
        try {
            if (key.startsWith("shell/")) this.store.put_shell(await api.shell(key.slice(6)));
            else this.store.put_call(await api.call(key.slice(5)));
            this.plan();
        } catch (error) {
            const is_unknown = error instanceof ApiError && error.status === 404;
            const text = is_unknown ? `Nothing is known here of ${key.replace("/", " ")}: perhaps it made room for newer ones.`
                : error instanceof Error ? error.message : String(error);
            if (this.list.current === key)
                this.main.replaceChildren(h("div", { class: "empty" }, h("p", {}, inert(text)),
                    h("p", {}, h("a", { href: "#/" }, "Back to the list"), " · ",
                        h("a", { href: "#/audit" }, "Search the audit"))));
        }
    }

    private keys(): Keys {
        const inbox = this.route.page === "inbox";
        const audit = this.route.page === "audit";
        const output = this.detail?.output;
        const move = (step: 1 | -1) =>
            (inbox ? this.inbox.move(step) : audit ? this.audit.move(step) : this.list.move(step));
        const keys: Keys = {
            "?": show_help,
            "/": () => (audit ? this.audit.focus_search() : this.list.focus_filter()),
            j: () => move(1),
            k: () => move(-1),
            i: () => { location.hash = "#/approvals"; },
            l: () => { location.hash = "#/audit"; },
            t: () => this.notices.say(`Theme: ${next_theme()}`),
            Escape: () => { location.hash = "#/"; },
        };
        if (this.list.element.contains(document.activeElement)) {
            keys.ArrowDown = keys.j as () => void;
            keys.ArrowUp = keys.k as () => void;
        }
        if (inbox) {
            keys.a = () => this.inbox.focused()?.allow_by_key();
            keys.A = () => this.inbox.focused()?.show("always");
            keys.d = () => this.inbox.focused()?.show("deny");
        }
        if (this.detail) keys.x = () => void this.detail?.kill();
        if (!output) return keys;
        return { ...keys, o: () => output.focus(), f: () => output.follow(), w: () => output.toggle_wrap(),
                 s: () => output.focus_find(), n: () => output.find_next(1), N: () => output.find_next(-1),
                 y: () => void output.copy() };
    }
}

new Console().start();
