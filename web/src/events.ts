// The stream of events, opened again when it breaks. A page that nobody sees closes it: a browser has few
// connections for each server, and another page may want one.

export type Link = "connecting" | "live" | "paused" | "broken";

export interface EventsHandler {
    on_event(type: string, data: unknown): void;
    on_link(link: Link): void;
    // Events were missed: everything has to be asked for again.
    on_gap(epoch: string): void;
}

export const event_types = [
    "shell.started", "shell.output", "shell.ended", "shell.gone", "shell.usage",
    "call.started", "call.changed", "call.ended", "approval.asked", "approval.answered",
    "configuration.applied", "configuration.refused",
] as const;

const hidden_patience_ms = 30_000;
const retry_ms = 2000;

export class Events {
    private source: EventSource | null = null;
    private last_id = "";
    private timer: number | undefined;

    constructor(private readonly handler: EventsHandler) {
        document.addEventListener("visibilitychange", () => this.on_visibility());
        window.addEventListener("pagehide", () => this.close("paused"));
        window.addEventListener("pageshow", () => { if (!this.source) this.open(); });
    }

    open(): void {
        window.clearTimeout(this.timer);
        this.source?.close();
        this.handler.on_link("connecting");
        const after = this.last_id === "" ? "" : `?after=${encodeURIComponent(this.last_id)}`;
        const source = new EventSource(`/v1/events${after}`);
        this.source = source;
        source.addEventListener("ready", (event) => {
            const { epoch, resumed } = JSON.parse(event.data) as { epoch: string; resumed: boolean };
            if (!resumed) this.handler.on_gap(epoch);
            this.handler.on_link("live");
        });
        for (const type of event_types) {
            source.addEventListener(type, (event) => {
                if (event.lastEventId) this.last_id = event.lastEventId;
                this.handler.on_event(type, JSON.parse(event.data));
            });
        }
        source.onerror = () => {
            if (this.source !== source) return;
            this.close("broken");
            this.timer = window.setTimeout(() => this.open(), retry_ms);
        };
    }

    private close(link: Link): void {
        window.clearTimeout(this.timer);
        this.source?.close();
        this.source = null;
        this.handler.on_link(link);
    }

    private on_visibility(): void {
        window.clearTimeout(this.timer);
        if (document.hidden) this.timer = window.setTimeout(() => this.close("paused"), hidden_patience_ms);
        else if (!this.source) this.open();
    }
}
