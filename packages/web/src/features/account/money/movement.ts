import type { LedgerUpdate } from '@oddlot/sdk';
import { negate } from '../../../lib/decimal.ts';

/** A row of the ledger that moved money in, out or across. */
export type Movement = {
  readonly key: string;
  readonly time: number;
  readonly kind:
    | 'deposit'
    | 'withdraw'
    | 'send'
    | 'receive'
    | 'toOutcome'
    | 'toPerp'
    | 'faucet'
    | 'builderRewardsClaim';
  /** Signed as the account sees it. */
  readonly amount: string;
  /** Within the account: neither more nor less of it. */
  readonly isNeutral: boolean;
  /** Whom with. */
  readonly other: string | undefined;
  readonly isFailed: boolean;
};

/** Undefined for what trading, liquidation and settlement did. */
export function movementOf({ delta, hash, time }: LedgerUpdate): Movement | undefined {
  const base = {
    key: `${time} ${hash} ${delta.type}`,
    time,
    isNeutral: false,
    other: undefined,
    isFailed: false,
  };
  switch (delta.type) {
    case 'deposit':
    case 'faucet':
    case 'builderRewardsClaim':
      return { ...base, kind: delta.type, amount: delta.amount };
    case 'withdraw':
      return {
        ...base,
        kind: 'withdraw',
        amount: negate(delta.amount),
        other: delta.destination,
        isFailed: delta.status === 'failed',
      };
    case 'send':
      return { ...base, kind: 'send', amount: negate(delta.amount), other: delta.destination };
    case 'receive':
      return { ...base, kind: 'receive', amount: delta.amount, other: delta.user };
    case 'accountTransfer': {
      const kind = delta.toAccountType === 'outcome' ? 'toOutcome' : 'toPerp';
      return { ...base, kind, amount: delta.amount, isNeutral: true };
    }
    default:
      return undefined;
  }
}
