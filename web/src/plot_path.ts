// Values into the path of a small plot.

export interface Box {
    width: number;
    height: number;
}

// The newest stands at the right edge; `most` values fill the width. `top` is at the upper edge.
export function plot_points(values: readonly number[], most: number, top: number, box: Box): [number, number][] {
    const shown = values.slice(-most);
    const step = box.width / Math.max(1, most - 1);
    const limit = top > 0 ? top : 1;
    return shown.map((value, index) => {
        const x = box.width - (shown.length - 1 - index) * step;
        const y = box.height - Math.min(1, Math.max(0, value / limit)) * box.height;
        return [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
    });
}

export function line_path(points: readonly [number, number][]): string {
    return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
}

export function area_path(points: readonly [number, number][], box: Box): string {
    const [first, last] = [points[0], points[points.length - 1]];
    if (!first || !last) return "";
    return `${line_path(points)}L${last[0]} ${box.height}L${first[0]} ${box.height}Z`;
}

// A round number that is not below any value: 1, 2, 5, 10, 20, ...
export function ceiling(values: readonly number[], least: number): number {
    const most = values.reduce((one, other) => Math.max(one, other), least);
    const power = 10 ** Math.floor(Math.log10(most));
    const found = [1, 2, 5, 10].find((factor) => factor * power >= most * 0.999) ?? 10;
    return found * power;
}
