// The client of /v1. The cookie goes along by itself; what fails is an ApiError with the server's own sentence.
import type { Approval, AuditPage, AuditStats, Call, OutputPiece, Server, Shell, Stream, Verdict } from "./api_types";

export class ApiError extends Error {
    constructor(readonly status: number, message: string) {
        super(message);
    }
}

function message_of(body: unknown, status: number): string {
    const error = (body as { error?: { message?: unknown } } | null)?.error;
    return typeof error?.message === "string" ? error.message : `the server answered ${status}`;
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const request: RequestInit = { method, cache: "no-store" };
    if (body !== undefined) {
        request.body = JSON.stringify(body);
        request.headers = { "Content-Type": "application/json" };
    }
    let response: Response;
    try {
        response = await fetch(path, request);
    } catch {
        throw new ApiError(0, "the server cannot be reached");
    }
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new ApiError(response.status, message_of(answer, response.status));
    return answer as T;
}

const id_of = encodeURIComponent;

export const api = {
    server: () => ask<Server>("GET", "/v1"),
    shells: (limit: number) => ask<{ shells: Shell[]; total: number }>("GET", `/v1/shells?limit=${limit}`),
    shell: (id: string) => ask<Shell>("GET", `/v1/shells/${id_of(id)}`),
    calls: () => ask<{ calls: Call[] }>("GET", "/v1/calls"),
    call: (id: string) => ask<Call>("GET", `/v1/calls/${id_of(id)}`),
    approvals: () => ask<{ approvals: Approval[] }>("GET", "/v1/approvals?state=all"),
    output: (id: string, stream: Stream, since: number) =>
        ask<OutputPiece>(
            "GET", `/v1/shells/${id_of(id)}/output?stream=${stream}&since=${since}&max_bytes=1048576`),
    kill: (id: string) => ask<Shell>("POST", `/v1/shells/${id_of(id)}/kill`, {}),
    cancel: (id: string) => ask<Call>("DELETE", `/v1/calls/${id_of(id)}`),
    answer: (id: string, decision: string, reason?: string) =>
        ask<Approval>("POST", `/v1/approvals/${id_of(id)}`, reason ? { decision, reason } : { decision }),
    audit: (query: URLSearchParams) => ask<AuditPage>("GET", `/v1/audit?${query}`),
    stats: (query: URLSearchParams) => ask<AuditStats>("GET", `/v1/stats?${query}`),
    verdict: (command: string) => ask<Verdict>("POST", "/v1/verdicts", { command }),
};
