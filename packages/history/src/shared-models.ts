import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type { State } from '@oddlot/engine';
import { Grants } from '@oddlot/host/grants';
import { type AppliedBlock, authorityOf, isRequest, type Projection } from '@oddlot/replica/block';
import { EraNotice } from '@oddlot/replica/era-notice';
import { ProposalOrder } from '@oddlot/replica/proposal-order';
import { MarketData } from '@oddlot/translate/read-models/market-data';
import type { Receipts } from './receipts.ts';
import { ExplorerTail, RecentBlocks } from './recent-blocks.ts';
import { TradeTape } from './trade-tape.ts';

type Attachable = Parameters<MarketData['attachTo']>[0] & { readonly state: State };

/**
 * Attaches the models that the main thread and the indexer have in common, in the order their dumps
 * have in a snapshot. The indexer writes the dumps, and the main thread restores them. Replays of
 * earlier rules and verification use the same models.
 */
export function attachSharedModels(
  replica: Attachable,
  options: {
    readonly receipts: Receipts;
    readonly faucetEveryMs?: number | undefined;
    /** The limit of recent items; by default, the limit of the main thread. */
    readonly recentItemsMax?: number;
    /** The order of proposals; a cluster passes its own. */
    readonly order?: ProposalOrder | undefined;
  },
) {
  const state = () => replica.state;
  const { faucetEveryMs, order = new ProposalOrder(), receipts, recentItemsMax } = options;
  const markets = new MarketData(state);
  const grants = faucetEveryMs === undefined ? undefined : new FaucetGrants(faucetEveryMs);
  const tape = new TradeTape(state, () => markets.catalogue.left);
  const explorer = new ExplorerTail(state);
  const recent = new RecentBlocks(recentItemsMax);
  const multiSigChanges = new MultiSigChanges();
  const notice = new EraNotice();
  replica.attach(receipts);
  markets.attachTo(replica);
  if (grants !== undefined) replica.attach(grants);
  for (const model of [tape, explorer, recent, multiSigChanges, order, notice]) {
    replica.attach(model);
  }
  return { markets, grants, tape, explorer, recent, multiSigChanges, notice };
}

/**
 * The addresses that have received test funds within an interval. They are derived from blocks and
 * block times, so they are the same after a restart and in every thread.
 */
export class FaucetGrants implements Projection {
  readonly name = 'faucet';
  readonly version = 1;
  readonly byAddress: Grants;
  #timeMs = 0;

  constructor(intervalMs: number) {
    this.byAddress = new Grants(intervalMs);
  }

  onBlock(block: AppliedBlock): void {
    const { timeMs } = block;
    this.#timeMs = timeMs;
    for (const event of splitEvents(block).others) {
      if (event.type === 'faucetCredited') this.byAddress.add(event.account, timeMs);
    }
  }

  /**
   * Returns the grants of the last interval, because their blocks may not be replayed on a restart.
   */
  dump(): readonly (readonly [address: string, timeMs: number])[] {
    return this.byAddress.entries(this.#timeMs);
  }

  reset(): void {
    this.#timeMs = 0;
    this.byAddress.clear();
  }

  restore(data: unknown): void {
    for (const [address, timeMs] of data as ReturnType<FaucetGrants['dump']>) {
      this.#timeMs = timeMs;
      this.byAddress.add(address, timeMs);
    }
  }
}

const CHANGES_MAX = 100;

/**
 * The requests that changed the signers of an account (R-multisig), oldest first. Each is signed by
 * the previous signers, so a bridge validator can verify the current signers.
 */
export class MultiSigChanges implements Projection {
  readonly name = 'multiSigChanges';
  readonly version = 1;
  readonly #changes = new Map<string, readonly string[]>();

  of(account: string): readonly string[] {
    return this.#changes.get(account) ?? [];
  }

  onBlock(block: AppliedBlock): void {
    const { commands } = block;
    for (const event of splitEvents(block).others) {
      if (event.type !== 'multiSigChanged') continue;
      const command = commands[event.commandIndex]?.command;
      if (command === undefined || !isRequest(command)) continue;
      const changes = [...this.of(event.account), authorityOf(command).txHash];
      this.#changes.set(event.account, changes.slice(-CHANGES_MAX));
    }
  }

  dump(): readonly (readonly [account: string, changes: readonly string[]])[] {
    return [...this.#changes];
  }

  restore(data: unknown): void {
    for (const [account, changes] of data as ReturnType<MultiSigChanges['dump']>) {
      this.#changes.set(account, changes);
    }
  }

  reset(): void {
    this.#changes.clear();
  }
}
