// Where the page is, in the part of the address after #, so that a reload comes back to it.

export type Route = { page: "list" } | { page: "inbox" } | { page: "audit" } | { page: "entry"; key: string };

export function parse_route(hash: string): Route {
    const path = hash.replace(/^#\/?/, "");
    if (path === "approvals") return { page: "inbox" };
    if (path === "audit") return { page: "audit" };
    const entry = /^(shell|call)\/(.+)$/.exec(path);
    if (!entry) return { page: "list" };
    try {
        return { page: "entry", key: `${entry[1]}/${decodeURIComponent(entry[2] as string)}` };
    } catch {
        return { page: "list" };
    }
}

export function address_of(key: string): string {
    const slash = key.indexOf("/");
    return `#/${key.slice(0, slash)}/${encodeURIComponent(key.slice(slash + 1))}`;
}
