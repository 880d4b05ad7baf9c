import type { ChainLog } from '@oddlot/custody/chain';
import { type Hex, hexToBigInt, keccak256, pad, toHex } from 'viem';
import type { RelayBook } from '../book/relay-book.ts';
import type { RelayChain } from '../chains/relay-chain.ts';
import type { GivenAddress } from '../book/records.ts';

/** Money that a block has but not deep enough, by the id of its address. */
type Unconfirmed = ReadonlyMap<string, { readonly amountMicro: bigint; readonly txHash: Hex }>;

const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'));
/** Blocks and addresses of one question; public endpoints bound both. */
const RANGE_BLOCKS = 2_000;
const ADDRESSES = 200;

type DepositScanOptions = {
  readonly chain: RelayChain;
  readonly book: RelayBook;
  readonly now: () => number;
  /** How often addresses are looked at that nobody is expected to use any more. */
  readonly lateEveryMs: number;
};

/**
 * Reads what came to the addresses that were given out for a chain: those that have not expired at each
 * step, all others now and then and for ever, so that money that comes late is not lost. Only blocks
 * that are deep enough count; what is above them is told and forgotten.
 */
export class DepositScan {
  readonly #options: DepositScanOptions;
  #lateMs = -Infinity;
  #isRightChain = false;
  #unconfirmed: Unconfirmed = new Map();

  constructor(options: DepositScanOptions) {
    this.#options = options;
  }

  get unconfirmed(): Unconfirmed {
    return this.#unconfirmed;
  }

  async step(): Promise<void> {
    const { book, chain, lateEveryMs, now } = this.#options;
    const { name } = chain.terms;
    if (!this.#isRightChain) await chain.client.assertChain();
    this.#isRightChain = true;
    // Before the head is asked for: what is given out later can only be paid to in later blocks.
    const given = book.addresses('deposit').filter((each) => each.chain === name);
    const nowMs = now();
    const live = given.filter(({ expireMs }) => expireMs > nowMs);
    const late = given.filter(({ expireMs }) => expireMs <= nowMs);
    const { confirmed, head } = await chain.client.head();
    const start = Math.min(chain.fromBlock ?? confirmed, confirmed);
    const known = book.cursor(name) ?? { chain: name, live: start, late: start };
    const isLate = nowMs - this.#lateMs >= lateEveryMs;
    await this.#take(live, { fromBlock: known.live + 1, toBlock: confirmed });
    if (isLate) await this.#take(late, { fromBlock: known.late + 1, toBlock: confirmed });
    const lateTo = isLate ? confirmed : known.late;
    book.setCursor({
      chain: name,
      live: Math.max(known.live, confirmed),
      late: Math.max(known.late, lateTo),
    });
    if (isLate) this.#lateMs = nowMs;
    await this.#look(live, { fromBlock: confirmed + 1, toBlock: head });
  }

  async #take(addresses: readonly GivenAddress[], range: Range): Promise<void> {
    const { book, now } = this.#options;
    for (const { address, log } of await this.#logs(addresses, range)) {
      const amount = hexToBigInt(log.data);
      if (amount === 0n) continue;
      const arrival = {
        key: `${log.txHash}:${log.logIndex}`,
        txHash: log.txHash,
        amountMicro: String(amount),
      };
      const whose = { user: address.dstAddr, cameTo: 'perp', cameFrom: 'perp' } as const;
      book.arrive(address, { ...arrival, ...whose }, now());
    }
  }

  async #look(addresses: readonly GivenAddress[], range: Range): Promise<void> {
    const seen = new Map<string, { amountMicro: bigint; txHash: Hex }>();
    for (const { address, log } of await this.#logs(addresses, range)) {
      const before = seen.get(address.id)?.amountMicro ?? 0n;
      const amountMicro = before + hexToBigInt(log.data);
      seen.set(address.id, { amountMicro, txHash: log.txHash });
    }
    this.#unconfirmed = seen;
  }

  async #logs(addresses: readonly GivenAddress[], { fromBlock, toBlock }: Range) {
    const { client, token } = this.#options.chain;
    const byTopic = new Map(addresses.map((each) => [pad(each.address), each]));
    const topics = [...byTopic.keys()];
    const found: { readonly address: GivenAddress; readonly log: ChainLog }[] = [];
    for (let from = fromBlock; from <= toBlock; from += RANGE_BLOCKS) {
      const to = Math.min(toBlock, from + RANGE_BLOCKS - 1);
      for (let at = 0; at < topics.length; at += ADDRESSES) {
        const places = [TRANSFER, null, topics.slice(at, at + ADDRESSES)];
        const range = { address: token, topics: places, fromBlock: from, toBlock: to };
        for (const log of await client.logs(range)) {
          const address = byTopic.get(log.topics[2] ?? '0x');
          if (address !== undefined) found.push({ address, log });
        }
      }
    }
    return found;
  }
}

type Range = { readonly fromBlock: number; readonly toBlock: number };
