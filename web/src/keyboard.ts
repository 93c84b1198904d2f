// Keys. Nothing happens while somebody types, or while a dialog is open.

export type Keys = Record<string, () => void>;

function is_typing(target: EventTarget | null): boolean {
    return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

// `keys` is asked at each stroke: which keys there are depends on the page. A handler that leaves the key to the
// browser is not in the table.
export function listen(keys: () => Keys): void {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
        if (document.querySelector("dialog[open]")) return;
        if (is_typing(event.target)) {
            if (event.key === "Escape") (event.target as HTMLElement).blur();
            return;
        }
        const action = keys()[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    });
}
