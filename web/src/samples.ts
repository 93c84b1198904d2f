// What living shells have used of late: a minute or two for the plots. It outlives a reload of the page.

import type { Sample } from "./api_types";

export const most_samples = 120;
const most_shells = 50;
const storage_key = "husk.samples";

export class Samples {
    private by_shell = new Map<string, Sample[]>();

    add(shell: string, sample: Sample): void {
        const all = this.by_shell.get(shell) ?? [];
        const last = all[all.length - 1];
        if (last && last.time >= sample.time) return;
        all.push(sample);
        if (all.length > most_samples) all.shift();
        this.by_shell.delete(shell); // so that the map is in the order of use
        this.by_shell.set(shell, all);
        for (const oldest of this.by_shell.keys()) {
            if (this.by_shell.size <= most_shells) break;
            this.by_shell.delete(oldest);
        }
    }

    of(shell: string): readonly Sample[] {
        return this.by_shell.get(shell) ?? [];
    }

    save(storage: Storage, epoch: string): void {
        try {
            storage.setItem(storage_key, JSON.stringify({ epoch, all: [...this.by_shell] }));
        } catch {
            // Full, or forbidden: the plots begin anew.
        }
    }

    // Only what belongs to this run of the server.
    load(storage: Storage, epoch: string): void {
        try {
            const kept = JSON.parse(storage.getItem(storage_key) ?? "null") as
                { epoch: string; all: [string, Sample[]][] } | null;
            if (kept?.epoch !== epoch) return;
            for (const [shell, samples] of kept.all) for (const sample of samples) this.add(shell, sample);
        } catch {
            // Of another version.
        }
    }
}
