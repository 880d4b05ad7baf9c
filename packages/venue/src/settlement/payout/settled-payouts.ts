import { type BridgeContracts, ON_CHAIN, readState } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import { inGroups } from './in-groups.ts';
import type { PayoutBook } from './payout-book.ts';
import type { PayoutRecord } from './payout-record.ts';

const CHECK_EVERY_MS = 5_000;

type SettledPayoutsOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly now: () => number;
  readonly book: PayoutBook;
};

/**
 * Looks now and then whether the chain still has what ended payouts that are settled. One hash tells it for all: a chain
 * that is another one below the newest of them is another one there. What is lost is followed as if it were open, and paid
 * or cancelled again; the engine is not told a second time.
 */
export class SettledPayouts {
  readonly #options: SettledPayoutsOptions;
  #checkedMs = 0;

  constructor(options: SettledPayoutsOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return Math.abs(this.#options.now() - this.#checkedMs) >= CHECK_EVERY_MS;
  }

  async check(confirmed: number): Promise<void> {
    const { book, client, contracts, now } = this.#options;
    const ended = book.ended().filter((record) => record.bridge === contracts.bridge);
    const ends = ended.flatMap(({ end }) => (end === undefined ? [] : [end]));
    const newest = ends.toSorted((a, b) => b.block - a.block)[0];
    const isSame =
      newest === undefined ||
      // Endpoints that lag behind say nothing about it.
      confirmed < newest.block ||
      (await client.blockHash(newest.block)) === newest.blockHash;
    if (!isSame) await this.#findLost(ended, confirmed);
    this.#checkedMs = now();
  }

  /** All of them are asked about before anything is written: a part would pass for the whole. */
  async #findLost(ended: readonly PayoutRecord[], block: number): Promise<void> {
    const { book, client, contracts } = this.#options;
    const blockHash = (await client.blockHash(block)) ?? '0x';
    const states = new Map<number, number>();
    await inGroups(ended, async ({ withdrawalId }) => {
      const at = { withdrawalId, block };
      states.set(withdrawalId, await readState(client, contracts.bridge, at));
    });
    const isLostNow = ({ end, withdrawalId }: PayoutRecord): boolean =>
      states.get(withdrawalId) !== (end?.paid === true ? ON_CHAIN.paid : ON_CHAIN.cancelled);
    const lostFirst = ended.toSorted((a, b) => Number(isLostNow(b)) - Number(isLostNow(a)));
    for (const record of lostFirst) {
      const { end } = record;
      if (end === undefined) continue;
      const lost = isLostNow(record) ? { isLost: true, sent: undefined } : { isLost: undefined };
      book.lookSoon(book.update(record, { end: { ...end, block, blockHash }, ...lost }));
    }
  }
}
