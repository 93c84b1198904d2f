// What /v1 speaks, as docs/http.md has it; only what the console reads.

export type Decision = "allow" | "ask" | "deny";

export type Status =
    | "exited" | "signaled" | "timed_out" | "cancelled" | "limit_exceeded"
    | "denied" | "not_started" | "running" | "lost";

export interface Server {
    name: string;
    version: string;
    contract: string;
    workspace: string;
    mode: string;
    network: string;
    started: number;
    auth: string;
    epoch: string;
}

// A configuration file has changed.
export interface Configuration {
    outcome: "applied" | "refused";
    files: { path: string; sha256: string | null }[];
    changed: string[];
    after_restart: string[];
    why: string | null;
}

export interface Excerpt {
    total_bytes: number;
    total_lines: number;
    log: string | null;
    complete: boolean;
    dropped_bytes: number;
}

export interface Usage {
    user_ms: number | null;
    system_ms: number | null;
    peak_memory_bytes: number | null;
    peak_memory_of: string | null;
    read_bytes: number | null;
    written_bytes: number | null;
    processes: number | null;
}

export interface Confinement {
    mode: string;
    files: string;
    network: string;
    signals: string;
    processes: string;
    limits: string;
    missing: string[];
    unwatched: string[];
    published?: string[];
}

export interface Denial {
    operation: string;
    target: string;
    pid: number | null;
    process: string | null;
    allow_with: string | null;
    count: number;
}

export interface ReportVerdict {
    decision: Decision;
    rule: string | null;
    where: string | null;
    reason: string | null;
    instead: string | null;
    allow_with: string[];
    risk: string;
}

export interface Report {
    status: Status;
    exit_code: number | null;
    signal: string | null;
    shell_id: string | null;
    session: string | null;
    command: string;
    display: string | null;
    excerpt: Excerpt;
    error_excerpt: Excerpt | null;
    duration_ms: number | null;
    pid: number | null;
    background: boolean;
    usage: Usage;
    verdict: ReportVerdict | null;
    limit: { name: string; value: number; peak: number } | null;
    confinement: Confinement | null;
    error: string | null;
    denials: Denial[];
    denials_total: number;
    denials_complete: boolean | null;
    leftovers: { pid: number; name: string; reason?: string }[];
    reverted: string[];
    notes: string[];
}

export interface Sample {
    cpu: number;
    memory_bytes: number;
    processes: number;
    time: number;
}

export interface Shell extends Report {
    shell_id: string;
    created: number;
    ended: number | null;
    live: boolean;
    caller: string;
    split: boolean;
    sample: Sample | null;
}

export interface Call {
    call_id: string;
    via: string;
    tool: string;
    arguments: Record<string, unknown>;
    state: "running" | "asking" | "done" | "cancelled";
    started: number;
    ended: number | null;
    shell_id: string | null;
    approval_id: string | null;
    result?: { content?: { type: string; text?: string }[]; isError?: boolean } | null;
    report?: Report | null;
}

export interface JudgedCommand {
    text: string;
    range: [number, number];
    decision: Decision;
    rule: string | null;
    where: string | null;
    reason: string | null;
    instead: string | null;
    allow_with: string | null;
    change: string | null;
}

export interface Verdict {
    decision: Decision;
    reason: string | null;
    understood: boolean;
    not_understood: string[];
    commands: JudgedCommand[];
    files: { path: string; operation: string }[];
}

export interface Approval {
    approval_id: string;
    call_id: string;
    via: string;
    state: "pending" | "allowed" | "denied" | "timed_out" | "withdrawn";
    asked: number;
    expires: number;
    command: string;
    cwd: string;
    verdict: Verdict;
    always: { file: string; text: string; why_not: string | null };
    answered: number | null;
    decision: "allow" | "allow_always" | "deny" | null;
    reason: string | null;
    note: string | null;
}

// What docs/audit.md has. Of a command that has not ended, what comes with the end is missing.
export interface AuditRecord {
    number: number;
    id: string;
    time: number;
    via: string;
    contract: string | null;
    tool: string | null;
    action: string | null;
    uid: number;
    caller: string | null;
    session: string | null;
    workspace: string | null;
    cwd: string | null;
    command: string | null;
    description: string | null;
    shell_id: string | null;
    mode: string | null;
    background: boolean;
    verdict: { decision: Decision; rule: string | null; where: string | null; reason: string | null; risk: string } | null;
    approval: { answer: string; by: string | null; scope: string | null; reason: string | null } | null;
    status: Status | "unknown" | "applied" | "refused" | null;
    files?: { path: string; sha256: string | null }[]; // this and the next two: of a changed configuration
    changed?: string[];
    after_restart?: string[];
    exit_code?: number | null;
    signal?: string | null;
    error?: string | null;
    limit?: Report["limit"];
    duration_ms?: number | null;
    usage?: Usage | null;
    denials?: Omit<Denial, "pid">[] | null;
    denials_total?: number | null;
    leftovers?: Report["leftovers"] | null;
    output?: { bytes: number; lines: number } | null;
    errors?: { bytes: number; lines: number } | null;
}

export interface AuditPage {
    records: AuditRecord[];
    next: number | null;
}

export interface AuditStats {
    calls: number;
    status: Record<string, number>;
    decisions: Record<string, number>;
    duration_ms: { median: number | null; p95: number | null };
}

export type Stream = "stdout" | "stderr";

export interface OutputPiece {
    stream: Stream;
    offset: number;
    text: string;
    cursor: number;
    total: number;
    dropped_before: number;
    live: boolean;
}
