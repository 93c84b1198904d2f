// A piece of coloured text as an element. Styles go through classes and the CSSOM: the page allows no others.

import { type Colour, Flag, type Span } from "./ansi";
import { type Rgb, css, readable, rgb_of } from "./colour";
import { h } from "./dom";

// --out-ground of the style sheet, by day and by night.
const light_ground: Rgb = [251, 250, 247];
const dark_ground: Rgb = [18, 19, 17];
const least = 4;

const flag_classes: [number, string][] = [
    [Flag.bold, "bold"], [Flag.dim, "dim"], [Flag.italic, "italic"], [Flag.underline, "underline"],
    [Flag.strike, "strike"], [Flag.mark, "mark"],
];

function set_foreground(element: HTMLElement, colour: Colour, ground: Rgb | null): void {
    const rgb = rgb_of(colour);
    if (!rgb) element.classList.add(`f${colour as number}`);
    else if (ground) element.style.color = css(readable(rgb, ground, least));
    else element.style.color =
        `light-dark(${css(readable(rgb, light_ground, least))}, ${css(readable(rgb, dark_ground, least))})`;
}

// The colour of text on this ground that was not given one.
function set_background(element: HTMLElement, colour: Colour): Rgb | null {
    const rgb = rgb_of(colour);
    if (!rgb) {
        element.classList.add(`b${colour as number}`);
        return null;
    }
    element.style.backgroundColor = css(rgb);
    element.style.color = css(readable(rgb, rgb, 7));
    return rgb;
}

const same = (one: Colour | null, other: Colour | null) => String(one) === String(other);

export function span_node(span: Span): Node {
    const { style } = span;
    if (!style) return document.createTextNode(span.text);
    const element = h("span", {}, span.text);
    for (const [flag, name] of flag_classes) if (style.flags & flag) element.classList.add(name);
    const inverse = (style.flags & Flag.inverse) !== 0;
    const [fg, bg] = inverse ? [style.bg, style.fg] : [style.fg, style.bg];
    let ground: Rgb | null = null;
    if (bg !== null) ground = set_background(element, bg);
    else if (inverse) element.classList.add("inverse-ground");
    // Text in the colour of its ground would be hidden.
    if (fg !== null && !same(fg, bg)) set_foreground(element, fg, ground);
    return element;
}
