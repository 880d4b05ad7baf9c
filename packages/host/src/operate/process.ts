import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** How often the parent is looked at. */
const LOOK_MS = 500;

/**
 * Tells when the process that started this one is gone. `npm start` hands signals on while it lives,
 * but one that is killed can't: the venue would go on with nobody to supervise it. The system gives
 * an orphan another parent, so a change of the parent's id is the news.
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
 * What strangers can keep busy, and what can wait, yields to the thread that trades: where all cores
 * are taken it has about a tenth of that one's share.
 */
const NICENESS = 10;

/** A process that was just started, with all threads that it will have. */
export function lowerPriority(pid: number | undefined): void {
  if (pid !== undefined) tryLower(() => setPriority(pid, NICENESS));
}

/** The calling thread. Linux has priorities of threads; elsewhere nothing changes. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  tryLower(() => setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS));
}

/** It may have ended already, or the system does not let us; things go their way all the same. */
function tryLower(lower: () => void): void {
  try {
    lower();
  } catch {
    return;
  }
}

/** How many descriptors this process may open, and how many of them may be connections. */

/** Kept for the log, snapshots, receipts, threads, price sources and the operator's port. */
const RESERVED = 160;
/** Where the system does not say, what it usually allows at least. */
const USUAL_LIMIT = 1024;

/** Connections that a number of descriptors leaves room for; at least half of them. */
export function connectionsFor(descriptors: number): number {
  return Math.max(1, descriptors - Math.min(RESERVED, Math.ceil(descriptors / 2)));
}

/** A local chain has few who ask. */
const CHAIN_CONNECTIONS_MAX = 256;
const CHAIN_SHARE = 8;

/** Of those the ones of a local chain that runs in the same process. */
export function chainConnectionsFor(descriptors: number): number {
  return Math.min(CHAIN_CONNECTIONS_MAX, Math.ceil(connectionsFor(descriptors) / CHAIN_SHARE));
}

/** And those of the port beside it. */
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
    // Not a Linux.
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

/** For the library that stops a program: a stop that fails, takes too long or is interrupted is reported. */
export function stopLogger(report: (why: string) => void): { error(why: unknown): void } {
  return {
    error: (why) => report(why instanceof Error ? (why.stack ?? why.message) : String(why)),
  };
}
