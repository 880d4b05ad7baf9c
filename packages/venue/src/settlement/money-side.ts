import type { BridgeContracts } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import type { Lease } from '../lease/lease.ts';
import type { FaucetBacking } from './faucet-backing.ts';
import type { PayoutProgress } from './payout/payout-worker.ts';
import type { PermitDeposits } from './permit-deposits.ts';
import type { SettlementBrief, SettlementStatus } from './settlement-status.ts';
import type { SettlementWorker } from './worker-lane.ts';

/** What the rest of a venue sees of its settlement chain, whichever of its processes works on it. */
export type MoneySide = {
  /** To read by. */
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  /** All that is known here; undefined where another replica works on the chain. */
  readonly status: SettlementStatus | undefined;
  /** The same in a few words, wherever they come from; undefined when nobody has told. */
  readonly brief: SettlementBrief | undefined;
  readonly permits: Pick<PermitDeposits, 'deposit'> | undefined;
  readonly payouts: {
    progressOf(
      withdrawalId: number,
    ): PayoutProgress | undefined | Promise<PayoutProgress | undefined>;
  };
  /** Test money on the chain itself, where the chain is the venue's own. */
  readonly backing: Pick<FaucetBacking, 'fund' | 'funded' | 'contracts'> | undefined;
  /** Others that work on the chain. */
  add(worker: SettlementWorker): void;
  start: Parameters<Lease['hold']>[1];
  stop(): Promise<void>;
  close(): Promise<void>;
};
