// Reads what a shell writes, from an offset on, one request at a time: a page that is slow reads larger pieces, and
// never more than it can show.

import { ApiError, api } from "./api";
import type { OutputPiece, Stream } from "./api_types";

const retry_ms = 2000;

export interface FeedHandler {
    on_piece(piece: OutputPiece): void;
    on_end(): void;
    on_error(error: unknown): void;
}

export class OutputFeed {
    private is_reading = false;
    private has_news = false;
    private is_over = false;

    constructor(private readonly shell: string, readonly stream: Stream, private cursor: number,
                private readonly handler: FeedHandler) {
        this.poke();
    }

    // There is something new, or there may be.
    poke(): void {
        this.has_news = true;
        if (!this.is_reading && !this.is_over) void this.read();
    }

    stop(): void {
        this.is_over = true;
    }

    private async read(): Promise<void> {
        this.is_reading = true;
        try {
            while (this.has_news && !this.is_over) {
                this.has_news = false;
                await this.read_piece();
            }
        } catch (error) {
            if (!this.is_over) this.handler.on_error(error);
            const is_gone = error instanceof ApiError && error.status === 404;
            if (!is_gone) window.setTimeout(() => this.poke(), retry_ms);
        }
        this.is_reading = false;
    }

    private async read_piece(): Promise<void> {
        const piece = await api.output(this.shell, this.stream, this.cursor);
        if (this.is_over) return;
        this.cursor = piece.cursor;
        this.handler.on_piece(piece);
        if (piece.text !== "" && piece.cursor < piece.total) {
            this.has_news = true;
        } else if (!piece.live) {
            this.is_over = true;
            this.handler.on_end();
        }
    }
}
