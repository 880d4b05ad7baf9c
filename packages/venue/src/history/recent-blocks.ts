import type { AppliedBlock } from '../block/applied-block.ts';
import type { Projection } from '../block/projection.ts';
import { decodeAmounts, encodeAmounts } from '../codec/amounts-json.ts';
import { KEPT_MS_MAX, NewestBlocks } from './newest-blocks.ts';

/** Commands and events of all blocks that are kept. */
const KEPT_ITEMS_MAX = 100_000;

/** Those of the newest blocks that snapshots hold: enough for who comes back after a restart. */
export const DUMPED_ITEMS_MAX = 1_000;

/** Whom and what a block concerns, by the channels that tell of it. */
type Concerned = { readonly users: ReadonlySet<string>; readonly instruments: ReadonlySet<number> };

/**
 * The newest blocks with all that they did, for whoever has seen those before in another process: what streams would have
 * told is made of them when it is asked for. A start has those that it replays, and the last ones before its snapshot.
 */
export class RecentBlocks implements Projection {
  readonly name = 'recentBlocks';
  readonly version = 1;
  readonly #blocks: NewestBlocks<AppliedBlock>;
  /** Looked for once a block, by the first who asks. */
  #concerned = new WeakMap<AppliedBlock, Concerned>();

  constructor(itemsMax = KEPT_ITEMS_MAX) {
    this.#blocks = new NewestBlocks(itemsOf, itemsMax);
  }

  onBlock(block: AppliedBlock): void {
    const oldestMs = block.timeMs - KEPT_MS_MAX;
    this.#blocks.push(block, ({ timeMs }) => timeMs < oldestMs);
  }

  /** The blocks after one up to another; undefined when some of them are not here. */
  between(after: number, upTo: number): readonly AppliedBlock[] | undefined {
    return after >= upTo ? [] : this.#blocks.between(after, upTo);
  }

  /** Whether a block changed orders of a user. */
  hasOrdersOf(block: AppliedBlock, user: string): boolean {
    return this.#of(block).users.has(user);
  }

  hasTradesOf(block: AppliedBlock, instrumentId: number): boolean {
    return this.#of(block).instruments.has(instrumentId);
  }

  /** As one text, since amounts are no numbers of JSON. */
  dump(): { readonly blocks: string } {
    return { blocks: encodeAmounts(this.#blocks.lastOf(DUMPED_ITEMS_MAX)) };
  }

  restore(data: unknown): void {
    const { blocks } = data as ReturnType<RecentBlocks['dump']>;
    this.#blocks.restore(decodeAmounts(blocks) as AppliedBlock[]);
  }

  reset(): void {
    this.#blocks.clear();
  }

  #of(block: AppliedBlock): Concerned {
    const known = this.#concerned.get(block);
    if (known !== undefined) return known;
    const concerned = concernedBy(block);
    this.#concerned.set(block, concerned);
    return concerned;
  }
}

/** A block without any is something, too. */
function itemsOf({ commands, result }: AppliedBlock): number {
  return 1 + commands.length + result.events.length;
}

function concernedBy({ commands, result }: AppliedBlock): Concerned {
  const users = new Set<string>();
  const instruments = new Set<number>();
  for (const event of result.events) {
    if (event.type === 'orderUpdated') users.add(event.order.account);
    else if (event.type === 'outcomeOrderReleased') users.add(event.account);
    else if (event.type === 'tradeExecuted' || event.type === 'outcomeTraded') {
      instruments.add(event.instrumentId);
    }
  }
  // An action that was refused as a whole has no events.
  for (const [at, { command }] of commands.entries()) {
    if (command.type !== 'placeOrders') continue;
    const { account, reject } = result.outcomes[at] ?? {};
    if (reject !== undefined) users.add(account ?? command.authority.signer);
  }
  return { users, instruments };
}
