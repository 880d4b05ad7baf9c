import type { LedgerUpdate } from '@oddlot/sdk';
import { negate } from '../../../lib/decimal.ts';

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
  readonly amount: string;
  /** Within the account: neither more nor less of it. */
  readonly isNeutral: boolean;
  readonly other: string | undefined;
  /** How far a withdrawal is, as the ledger has it; anything else is done when it is there. */
  readonly status: 'pending' | 'completed' | 'failed';
  /** Of the transaction; of a deposit the one on the settlement chain. */
  readonly hash: string;
};

/** Undefined for what trading, liquidation and settlement did. */
export function movementOf({ delta, hash, time }: LedgerUpdate): Movement | undefined {
  const base = {
    key: `${time} ${hash} ${delta.type}`,
    time,
    isNeutral: false,
    other: undefined,
    status: 'completed' as const,
    hash,
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
        status: delta.status,
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
