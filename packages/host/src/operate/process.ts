import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

const LOOK_MS = 500;

/**
 * Calls back when the process that started this one has ended. `npm start` forwards signals, but
 * not if it is killed, and the venue would then continue unsupervised. The system assigns an orphan
 * a new parent, so a changed parent id shows that the parent has ended.
 */
export function watchParent(
  onEnd: () => void,
  options: { readonly parent?: () => number; readonly everyMs?: number } = {},
): NodeJS.Timeout {
  const parent = options.parent ?? ((): number => process.ppid);
  const first = parent();
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    onEnd();
  }, options.everyMs ?? LOOK_MS);
  return timer.unref();
}

/**
 * The priority for work that untrusted clients can cause and for work that can wait. If all cores
 * are busy, such work gets about a tenth of the trading thread's share.
 */
const NICENESS = 10;

/** Lowers the priority of a process that was just started, including its future threads. */
export function lowerPriority(pid: number | undefined): void {
  if (pid !== undefined) tryLower(() => setPriority(pid, NICENESS));
}

/** Lowers the priority of the calling thread. Only Linux supports this. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  tryLower(() => setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS));
}

/**
 * Errors are ignored: the process may have ended, or the system may forbid the change, and both
 * cases are harmless.
 */
function tryLower(lower: () => void): void {
  try {
    lower();
  } catch {
    return;
  }
}

/** Functions that divide this process's file descriptors among its connections. */

/**
 * The number of descriptors reserved for the log, snapshots, receipts, threads, price sources and
 * the operations port.
 */
const RESERVED = 160;
/** The usual minimum, assumed on systems that do not report a limit. */
const USUAL_LIMIT = 1024;

/** Returns how many connections the descriptors allow: at least half their number. */
export function connectionsFor(descriptors: number): number {
  return Math.max(1, descriptors - Math.min(RESERVED, Math.ceil(descriptors / 2)));
}

/** A local chain has few clients, so its share of the connections is small. */
const CHAIN_CONNECTIONS_MAX = 256;
const CHAIN_SHARE = 8;

/** Returns how many of the connections a local chain in the same process may use. */
export function chainConnectionsFor(descriptors: number): number {
  return Math.min(CHAIN_CONNECTIONS_MAX, Math.ceil(connectionsFor(descriptors) / CHAIN_SHARE));
}

/** Returns how many of the connections the public port may use. */
export function publicConnectionsFor(descriptors: number): number {
  return connectionsFor(descriptors) - chainConnectionsFor(descriptors);
}

/**
 * Returns the soft limit on open files. If the runtime can raise the limit, it has already done so
 * on startup.
 */
export function descriptorLimit(): number {
  return fromProc() ?? fromReport() ?? USUAL_LIMIT;
}

function fromProc(): number | undefined {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return numberOf(soft);
  } catch {
    // This file exists only on Linux.
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
 * Returns a logger for the library that stops a program. It reports a stop that fails, times out or
 * is interrupted.
 */
export function stopLogger(report: (why: string) => void): { error(why: unknown): void } {
  return {
    error: (why) => report(why instanceof Error ? (why.stack ?? why.message) : String(why)),
  };
}
