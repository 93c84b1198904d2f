// The state of an entry: a shape, a colour and a word.

import { h } from "./dom";
import type { Look } from "./entries";
import { icon } from "./icons";

export function badge(look: Look, status: string): HTMLElement {
    return h("span", { class: `badge ${look}` }, icon(look), h("span", {}, status));
}
