import { readFileSync } from 'node:fs';

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
