import type { LedgerUpdate } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../lib/local-texts.ts';

/** Deposits that this browser has sent and the venue has not credited yet; a reload finds them again. */
export type DepositUnderWay = {
  readonly user: string;
  readonly amount: string;
  /** On the settlement chain; the ledger's row has the same. */
  readonly txHash: string;
  readonly sentMs: number;
};

const KEY = 'oddlot.deposits';
/** Beyond this it shows as what it is: a transaction that the venue never saw. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

export const depositsUnderWay = createStore<{ readonly sent: readonly DepositUnderWay[] }>(() => ({
  sent: kept(),
}));

export function noteDeposit(deposit: DepositUnderWay): void {
  write([deposit, ...depositsUnderWay.getState().sent]);
}

/** Somebody has looked, and waits for it no longer. */
export function forgetDeposit(txHash: string): void {
  write(depositsUnderWay.getState().sent.filter((each) => each.txHash !== txHash));
}

/** Lets go of what the ledger has, and of what is too old to come. */
export function settleDeposits(
  sent: readonly DepositUnderWay[],
  rows: readonly LedgerUpdate[],
  nowMs: number,
): void {
  const open = stillOpen(sent, rows, nowMs);
  if (open.length < sent.length) write(open);
}

function stillOpen(
  sent: readonly DepositUnderWay[],
  rows: readonly LedgerUpdate[],
  nowMs: number,
): readonly DepositUnderWay[] {
  const credited = new Set(
    rows.filter(({ delta }) => delta.type === 'deposit').map(({ hash }) => hash.toLowerCase()),
  );
  return sent.filter(
    ({ sentMs, txHash }) => nowMs - sentMs < KEPT_MS && !credited.has(txHash.toLowerCase()),
  );
}

function write(sent: readonly DepositUnderWay[]): void {
  depositsUnderWay.setState({ sent });
  keepText(KEY, JSON.stringify(sent));
}

function kept(): readonly DepositUnderWay[] {
  try {
    const read: unknown = JSON.parse(readText(KEY) ?? '[]');
    return Array.isArray(read) ? (read as DepositUnderWay[]) : [];
  } catch {
    return [];
  }
}
