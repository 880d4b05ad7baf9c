import type { EndpointStatus } from '@oddlot/custody/chain';
import type { WatchStatus } from './deposit-watcher.ts';
import type { PayoutsStatus } from './payout/payout-worker.ts';
import type { Vitals } from './vitals.ts';

/** All that who works on the settlement chain knows of it. */
export type SettlementStatus = {
  readonly chainId: number;
  readonly bridge: string;
  readonly token: string;
  readonly watch: WatchStatus;
  readonly endpoints: readonly EndpointStatus[];
  readonly payouts: PayoutsStatus;
  readonly vitals: Vitals | undefined;
  /** Transactions of the venue that no block has for good yet, and what is in their way. */
  readonly waiting: readonly {
    readonly key: string;
    readonly nonce: number;
    readonly txHash: string | undefined;
    readonly trouble: string | undefined;
  }[];
};

/** What everybody may know. */
export type SettlementBrief = {
  readonly chainId: number;
  readonly watch: Pick<SettlementStatus['watch'], 'state' | 'head' | 'block' | 'isCurrent'>;
  readonly isPaused: boolean | undefined;
};

export function briefOf({ chainId, vitals, watch }: SettlementStatus): SettlementBrief {
  const { block, head, isCurrent, state } = watch;
  return { chainId, watch: { state, head, block, isCurrent }, isPaused: vitals?.isPaused };
}
