// Elements without markup: children are nodes, or text that stays text.

import { has_unseen, inert_parts } from "./inert";

export type Child = Node | string | number | null | false;
type Value = string | boolean | ((event: never) => void);
type Attributes = Record<string, Value>;

function dress(element: Element, attributes: Attributes, children: Child[]): void {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
        else if (typeof value === "string") element.setAttribute(name, value);
        else if (value) element.setAttribute(name, "");
    }
    for (const child of children)
        if (child !== null && child !== false) element.append(typeof child === "number" ? String(child) : child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    dress(element, attributes, children);
    return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Record<string, string> = {}, ...children: Child[]): SVGElementTagNameMap[K] {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    dress(element, attributes, children);
    return element;
}

export function fill(parent: Element, ...children: Child[]): void {
    parent.replaceChildren();
    dress(parent, {}, children);
}

export function set_text(element: Element, text: string): void {
    if (element.textContent !== text) element.textContent = text;
}

// Text of a command or of what it touches: characters that would not be seen are shown by name.
export function foreign(text: string): DocumentFragment {
    const fragment = document.createDocumentFragment();
    if (!has_unseen(text)) {
        fragment.append(text);
        return fragment;
    }
    for (const part of inert_parts(text))
        fragment.append(part.is_mark ? h("span", { class: "mark" }, part.text) : part.text);
    return fragment;
}

// Puts `wanted` into `parent`, in this order, touching only what is not in its place: focus and scrolling stay.
export function arrange(parent: Element, wanted: readonly Element[]): void {
    const focused = document.activeElement;
    const keep = new Set<Element>(wanted);
    for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
    wanted.forEach((element, index) => {
        if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
    });
    // An element that is moved loses the focus.
    if (focused instanceof HTMLElement && focused !== document.activeElement && parent.contains(focused))
        focused.focus({ preventScroll: true });
}
