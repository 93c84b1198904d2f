// What is known of shells, calls and approvals. Events change it; whoever shows something listens.

import type { Approval, Call, Sample, Server, Shell, Stream } from "./api_types";
import { Samples } from "./samples";

export type Change = "lists" | "usage";

interface Lists {
    server: Server;
    shells: Shell[];
    total_shells: number;
    calls: Call[];
    approvals: Approval[];
}

type OutputNews = { shell_id: string; stream: Stream; total: number };
type UsageNews = { shell_id: string; time: number } & Omit<Sample, "time">;

const most_kept = 1000;

export class Store {
    server: Server | null = null;
    readonly shells = new Map<string, Shell>();
    readonly calls = new Map<string, Call>();
    readonly approvals = new Map<string, Approval>();
    readonly gone = new Map<string, number>(); // when the last of a shell was seen to end
    readonly samples = new Samples();
    shells_beyond = 0; // that the server has and that are not here
    private skew = 0;
    private listeners: ((change: Change) => void)[] = [];
    private output_listeners: ((news: OutputNews) => void)[] = [];

    on_change(listener: (change: Change) => void): void {
        this.listeners.push(listener);
    }

    on_output(listener: (news: OutputNews) => void): void {
        this.output_listeners.push(listener);
    }

    // The server's time: durations are right on a page whose clock is not.
    now(): number {
        return Date.now() + this.skew;
    }

    replace(lists: Lists): void {
        this.server = lists.server;
        this.shells.clear();
        this.calls.clear();
        this.approvals.clear();
        for (const shell of lists.shells) this.put_shell(shell);
        for (const call of lists.calls) this.calls.set(call.call_id, call);
        for (const approval of lists.approvals) this.approvals.set(approval.approval_id, approval);
        this.shells_beyond = Math.max(0, lists.total_shells - lists.shells.length);
        this.tell("lists");
    }

    apply(type: string, data: unknown): void {
        const time = (data as { time?: number }).time;
        if (typeof time === "number" && Math.abs(time - this.now()) > 2000) this.skew = time - Date.now();
        switch (type) {
            case "shell.gone":
                this.gone.set((data as Shell).shell_id, time ?? this.now());
                this.put_shell(data as Shell);
                break;
            case "shell.started":
            case "shell.ended":
                this.put_shell(data as Shell);
                break;
            case "shell.output":
                this.take_output(data as OutputNews);
                return;
            case "shell.usage":
                this.take_usage(data as UsageNews);
                return;
            case "call.started":
            case "call.changed":
            case "call.ended":
                this.put_call(data as Call);
                break;
            case "approval.asked":
            case "approval.answered":
                this.put_approval(data as Approval);
                break;
        }
        this.tell("lists");
    }

    put_shell(shell: Shell): void {
        this.shells.set(shell.shell_id, shell);
        if (shell.sample) this.samples.add(shell.shell_id, shell.sample);
        forget_oldest(this.shells, (one) => one.live);
    }

    put_call(call: Call): void {
        this.calls.set(call.call_id, { ...this.calls.get(call.call_id), ...call });
        forget_oldest(this.calls, (one) => one.ended === null);
    }

    put_approval(approval: Approval): void {
        this.approvals.set(approval.approval_id, approval);
        forget_oldest(this.approvals, (one) => one.state === "pending");
        const call = this.calls.get(approval.call_id);
        if (!call || call.ended !== null) return;
        const state = approval.state === "pending" ? "asking" : "running";
        this.calls.set(call.call_id, { ...call, state, approval_id: approval.approval_id });
    }

    pending(): Approval[] {
        return [...this.approvals.values()].filter((one) => one.state === "pending")
            .sort((a, b) => a.asked - b.asked);
    }

    tell(change: Change): void {
        for (const listener of this.listeners) listener(change);
    }

    private take_output(news: OutputNews): void {
        const shell = this.shells.get(news.shell_id);
        const excerpt = news.stream === "stderr" ? shell?.error_excerpt : shell?.excerpt;
        if (excerpt) excerpt.total_bytes = news.total;
        for (const listener of this.output_listeners) listener(news);
    }

    private take_usage({ shell_id, ...sample }: UsageNews): void {
        this.samples.add(shell_id, sample);
        const shell = this.shells.get(shell_id);
        if (shell) shell.sample = sample;
        this.tell("usage");
    }
}

// A page that stays open for days keeps what lives, and of the rest the newest.
function forget_oldest<T>(all: Map<string, T>, lives: (one: T) => boolean): void {
    if (all.size <= most_kept) return;
    for (const [key, one] of all) {
        if (all.size <= most_kept * 0.9) return;
        if (!lives(one)) all.delete(key);
    }
}
