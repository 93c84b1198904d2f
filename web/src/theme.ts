// Light, dark, or as the system has it.

const key = "husk.theme";
const order = ["auto", "light", "dark"] as const;
type Theme = (typeof order)[number];

function stored(): Theme {
    const value = localStorage.getItem(key);
    return order.find((one) => one === value) ?? "auto";
}

function apply(theme: Theme): void {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
}

export function start_theme(): void {
    apply(stored());
}

export function next_theme(): Theme {
    const next = order[(order.indexOf(stored()) + 1) % order.length] as Theme;
    localStorage.setItem(key, next);
    apply(next);
    return next;
}
