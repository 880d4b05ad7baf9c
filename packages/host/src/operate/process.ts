import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

const LOOK_MS = 500;

/**
 * Calls back when the process that started this one is gone. `npm start` forwards signals while it
 * lives, but not if it is killed: the venue would continue unsupervised. The system gives an orphan
 * another parent, so a changed parent id indicates this.
 */
export function watchParent(
  onGone: () => void,
  options: { readonly parent?: () => number; readonly everyMs?: number } = {},
): NodeJS.Timeout {
  const parent = options.parent ?? ((): number => process.ppid);
  const first = parent();
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    onGone();
  }, options.everyMs ?? LOOK_MS);
  return timer.unref();
}

/**
 * Work that untrusted clients can cause, and work that can wait, yields to the trading thread: with
 * all cores busy it gets about a tenth of that thread's share.
 */
const NICENESS = 10;

/** Lowers the priority of a process that was just started, including its future threads. */
export function lowerPriority(pid: number | undefined): void {
  if (pid !== undefined) tryLower(() => setPriority(pid, NICENESS));
}

/** Lowers the priority of the calling thread. Only Linux has priorities of threads. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  tryLower(() => setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS));
}

/** The process may have ended, or the system may forbid it; both are harmless. */
function tryLower(lower: () => void): void {
  try {
    lower();
  } catch {
    return;
  }
}

/** The number of descriptors that this process may open, and the part available for connections. */

/** Reserved for the log, snapshots, receipts, threads, price sources and the operations port. */
const RESERVED = 160;
/** The usual minimum, if the system does not report a limit. */
const USUAL_LIMIT = 1024;

/** The number of connections that the descriptors allow; at least half of them. */
export function connectionsFor(descriptors: number): number {
  return Math.max(1, descriptors - Math.min(RESERVED, Math.ceil(descriptors / 2)));
}

/** A local chain has few clients. */
const CHAIN_CONNECTIONS_MAX = 256;
const CHAIN_SHARE = 8;

/** The part of these connections for a local chain in the same process. */
export function chainConnectionsFor(descriptors: number): number {
  return Math.min(CHAIN_CONNECTIONS_MAX, Math.ceil(connectionsFor(descriptors) / CHAIN_SHARE));
}

/** The part for the public port. */
export function publicConnectionsFor(descriptors: number): number {
  return connectionsFor(descriptors) - chainConnectionsFor(descriptors);
}

/** The soft limit of open files; a runtime that could raise it has done so at its start. */
export function descriptorLimit(): number {
  return fromProc() ?? fromReport() ?? USUAL_LIMIT;
}

function fromProc(): number | undefined {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return numberOf(soft);
  } catch {
    // Not Linux.
    return undefined;
  }
}

function fromReport(): number | undefined {
  const report = process.report?.getReport() as
    | { readonly userLimits?: { readonly open_files?: { readonly soft?: string | number } } }
    | undefined;
  return numberOf(String(report?.userLimits?.open_files?.soft ?? ''));
}

function numberOf(text: string | undefined): number | undefined {
  if (text === 'unlimited') return Number.MAX_SAFE_INTEGER;
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/**
 * A logger for the library that stops a program: it reports a stop that fails, times out or is
 * interrupted.
 */
export function stopLogger(report: (why: string) => void): { error(why: unknown): void } {
  return {
    error: (why) => report(why instanceof Error ? (why.stack ?? why.message) : String(why)),
  };
}
