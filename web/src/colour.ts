// Colours that commands choose, kept readable on a light and on a dark page.

import type { Colour } from "./ansi";

export type Rgb = readonly [number, number, number];

const steps = [0, 95, 135, 175, 215, 255];

// Colours 16 to 255 of the palette; those below are classes of the style sheet.
export function palette(index: number): Rgb {
    if (index >= 232) {
        const grey = 8 + (index - 232) * 10;
        return [grey, grey, grey];
    }
    const cube = index - 16;
    const part = (divisor: number) => steps[Math.floor(cube / divisor) % 6] as number;
    return [part(36), part(6), part(1)];
}

export function rgb_of(colour: Colour): Rgb | null {
    if (typeof colour !== "number") return colour;
    return colour >= 16 ? palette(colour) : null;
}

function linear(value: number): number {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

export function luminance([red, green, blue]: Rgb): number {
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(one: Rgb, other: Rgb): number {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
    return (high + 0.05) / (low + 0.05);
}

function mix(one: Rgb, other: Rgb, part: number): Rgb {
    const of = (index: 0 | 1 | 2) => Math.round(one[index] + (other[index] - one[index]) * part);
    return [of(0), of(1), of(2)];
}

// The same colour, as far towards black or white as it takes to be read on this ground.
export function readable(colour: Rgb, ground: Rgb, least: number): Rgb {
    const goal: Rgb = luminance(ground) > 0.18 ? [0, 0, 0] : [255, 255, 255];
    for (let part = 0; part < 1; part += 0.1) {
        const tried = mix(colour, goal, part);
        if (contrast(tried, ground) >= least) return tried;
    }
    return goal;
}

export const css = ([red, green, blue]: Rgb) => `rgb(${red} ${green} ${blue})`;
