// Text that comes from commands can hold characters that show nothing, or that make others appear in another
// order. They are shown by name, so that what is read is what is there.

const unseen = new RegExp(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb" +
    "\\u{e0000}-\\u{e0fff}]", "u");
const unseen_all = new RegExp(unseen.source, "gu");

export interface Part {
    text: string;
    is_mark: boolean;
}

function name_of(character: string): string {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

export function has_unseen(text: string): boolean {
    return unseen.test(text);
}

// Lines and tabs stay as they are.
export function inert_parts(text: string): Part[] {
    const parts: Part[] = [];
    let end = 0;
    for (const found of text.matchAll(unseen_all)) {
        if (found.index > end) parts.push({ text: text.slice(end, found.index), is_mark: false });
        parts.push({ text: name_of(found[0]), is_mark: true });
        end = found.index + found[0].length;
    }
    if (end < text.length) parts.push({ text: text.slice(end), is_mark: false });
    return parts;
}

// For places that take plain text only, such as a tooltip.
export function inert(text: string): string {
    return has_unseen(text) ? inert_parts(text).map((part) => part.text).join("") : text;
}
