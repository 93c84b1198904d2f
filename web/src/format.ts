// Numbers as people read them. What is not known is a dash.

export function duration(ms: number | null): string {
    if (ms === null || !Number.isFinite(ms)) return "–";
    if (ms < 0) ms = 0;
    if (ms < 1000) return `${Math.round(ms)} ms`;
    if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
    const seconds = Math.floor(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    const two = (value: number) => String(value).padStart(2, "0");
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
    return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function bytes(count: number | null): string {
    if (count === null) return "–";
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (count >= 1024 && unit < units.length - 1) {
        count /= 1024;
        unit += 1;
    }
    const digits = unit > 0 && count < 10 ? 1 : 0;
    return `${count.toFixed(digits)} ${units[unit]}`;
}

// 1.0 is one core.
export function cores(value: number | null): string {
    return value === null ? "–" : `${Math.round(value * 100)} %`;
}

export function count(value: number | null, one: string, many: string): string {
    return value === null ? "–" : `${value.toLocaleString("en")} ${value === 1 ? one : many}`;
}

// The way that a call came in.
export function way(via: string): string {
    return via === "mcp" ? "MCP" : via === "v1" ? "the HTTP API" : via;
}

export function clock(time: number): string {
    return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}

export function moment(time: number): string {
    return new Date(time).toLocaleString(undefined, { hour12: false });
}

export function ago(time: number, now: number): string {
    const seconds = Math.max(0, Math.floor((now - time) / 1000));
    if (seconds < 5) return "now";
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
    return `${Math.floor(seconds / 86400)} d ago`;
}
