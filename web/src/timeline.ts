// What happened when: a bar for waiting, running and what lived on, and the moments by name.

import type { Approval, Call, Shell } from "./api_types";
import { h, svg } from "./dom";
import { clock, duration, way } from "./format";

export interface Moment {
    time: number;
    text: string;
}

export interface Stretch {
    kind: "waiting" | "running" | "leftover";
    from: number;
    to: number;
}

export interface Story {
    moments: Moment[];
    stretches: Stretch[];
}

export interface Sources {
    call: Call | null;
    other_calls: Call[];
    shell: Shell | null;
    approval: Approval | null;
    gone: number | null;
    now: number;
}

const answers: Record<Approval["state"], string> = {
    pending: "waiting for an answer", allowed: "allowed by a person", denied: "denied by a person",
    timed_out: "nobody answered", withdrawn: "withdrawn",
};

function moments_of(sources: Sources): Moment[] {
    const { call, shell, approval, gone } = sources;
    const moments: Moment[] = [];
    const add = (time: number | null | undefined, text: string) => {
        if (typeof time === "number") moments.push({ time, text });
    };
    add(call?.started, `called over ${way(call?.via ?? "")} (${call?.tool})`);
    add(approval?.asked, "a person was asked");
    add(approval?.answered, answers[approval?.state ?? "pending"]);
    add(shell?.created, "started");
    for (const other of sources.other_calls) add(other.started, other.tool);
    add(shell?.ended ?? (shell ? null : call?.ended), shell ? "main ended" : "answered");
    add(gone, "nothing of it lives");
    return moments.sort((one, other) => one.time - other.time);
}

export function story_of(sources: Sources): Story {
    const { shell, approval, gone, now } = sources;
    const stretches: Stretch[] = [];
    if (approval) stretches.push({ kind: "waiting", from: approval.asked, to: approval.answered ?? now });
    if (shell) {
        const ended = shell.ended ?? now;
        stretches.push({ kind: "running", from: shell.created, to: ended });
        if (shell.ended !== null && shell.live) stretches.push({ kind: "leftover", from: ended, to: now });
        else if (gone !== null && gone > ended) stretches.push({ kind: "leftover", from: ended, to: gone });
    }
    return { moments: moments_of(sources), stretches };
}

const words = { waiting: "waited", running: "ran", leftover: "leftovers" };

export function timeline_view(story: Story): HTMLElement {
    const first = story.moments[0]?.time ?? 0;
    const begin = Math.min(first, ...story.stretches.map((one) => one.from));
    const end = Math.max(begin + 1, ...story.stretches.map((one) => one.to));
    const place = (time: number) => ((time - begin) / (end - begin)) * 100;
    const bars = story.stretches.map(({ kind, from, to }) => svg("rect", {
        class: `stretch ${kind}`, x: `${place(from)}`, y: "0", width: `${Math.max(0.8, place(to) - place(from))}`,
        height: "10", rx: "0.6",
    }));
    return h("div", { class: "timeline" },
        story.stretches.length > 0 && svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none",
                                                   class: "stretches", "aria-hidden": "true" }, ...bars),
        story.stretches.length > 0 && h("p", { class: "legend" }, ...story.stretches.map(({ kind, from, to }) =>
            h("span", { class: `legend-${kind}` }, `${words[kind]} ${duration(to - from)}`))),
        h("ol", {}, ...story.moments.map((one) => h("li", {},
            h("time", {}, clock(one.time)), h("span", { class: "since" }, `+${duration(one.time - first)}`),
            h("span", {}, one.text)))));
}
