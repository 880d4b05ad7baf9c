import { readFileSync } from 'node:fs';
import type { ChainClient } from '@oddlot/custody/chain';
import { writeWholeFile } from '@oddlot/host/durable';
import { encodeEventTopics, type Hex } from 'viem';
import { BRIDGE_ABI } from '@oddlot/contracts';

type PaidWatchOptions = {
  readonly client: ChainClient;
  readonly bridge: Hex;
  /** The block that the bridge was made in, or any before. */
  readonly fromBlock: number;
  /** Saves reading all of it again; computed from the chain where it is missing. */
  readonly file: string;
  /** True while the venue holds the money of a withdrawal. */
  readonly isOpen: (withdrawalId: bigint) => boolean;
  readonly rangeMax?: number;
};

const RANGE_MAX = 2_000;
/** Blocks without anything in them that may be read again after a crash. */
const UNWRITTEN_BLOCKS_MAX = 100;

type Kept = {
  readonly chainId: number;
  readonly bridge: Hex;
  /** The last block that was read. */
  readonly block: number;
  readonly paid: readonly {
    readonly withdrawalId: string;
    readonly usd: string;
    readonly blockNumber: number;
  }[];
};

/** Knows which payments are on the chain and perhaps not yet in the venue's books. */
export class PaidWatch {
  readonly #options: PaidWatchOptions;
  readonly #rangeMax: number;
  #range: number;
  #block: number;
  #keptBlock: number;
  #paid: readonly Paid[];

  constructor(options: PaidWatchOptions) {
    this.#options = options;
    this.#rangeMax = options.rangeMax ?? RANGE_MAX;
    this.#range = this.#rangeMax;
    const { block, paid } = readKept(options);
    this.#block = block;
    this.#keptBlock = block;
    this.#paid = paid;
  }

  /** Payments of withdrawals that are open, and all of blocks behind one that was named. */
  get paid(): readonly Paid[] {
    return this.#paid;
  }

  /**
   * Reads on; true when every confirmed block has been read. What is settled leaves, unless its block
   * is behind the named one: then the chain as of that block has not paid it.
   */
  async step(behindBlock: number): Promise<boolean> {
    const { bridge, client, isOpen } = this.#options;
    const { confirmed } = await client.head();
    const fromBlock = this.#block + 1;
    if (fromBlock > confirmed) {
      this.#paid = this.#paid.filter((each) => isKept(each));
      return true;
    }
    const toBlock = Math.min(confirmed, fromBlock + this.#range - 1);
    let read: readonly Paid[];
    try {
      read = await readPaid(client, bridge, { fromBlock, toBlock });
    } catch (error) {
      // An endpoint may refuse a range for its size, and say so in its own words.
      this.#range = Math.max(1, Math.floor(this.#range / 2));
      throw error;
    }
    this.#range = Math.min(this.#rangeMax, 2 * this.#range);
    const before = this.#paid;
    this.#paid = [...before, ...read].filter((each) => isKept(each));
    this.#block = toBlock;
    const isNews = read.length > 0 || this.#paid.length !== before.length;
    if (isNews || toBlock - this.#keptBlock >= UNWRITTEN_BLOCKS_MAX) this.#keep();
    return toBlock === confirmed;

    function isKept({ blockNumber, withdrawalId }: Paid): boolean {
      return blockNumber > behindBlock || isOpen(withdrawalId);
    }
  }

  #keep(): void {
    const { bridge, client, file } = this.#options;
    const paid = this.#paid.map(({ blockNumber, usd, withdrawalId }) => {
      return { withdrawalId: String(withdrawalId), usd: String(usd), blockNumber };
    });
    const kept: Kept = { chainId: client.chainId, bridge, block: this.#block, paid };
    writeWholeFile(file, JSON.stringify(kept));
    this.#keptBlock = this.#block;
  }
}

function readKept(options: PaidWatchOptions): Pick<Kept, 'block'> & {
  readonly paid: readonly Paid[];
} {
  const { bridge, client, file, fromBlock } = options;
  const start = { block: fromBlock - 1, paid: [] };
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    if (kept.chainId !== client.chainId || kept.bridge !== bridge) return start;
    const paid = kept.paid.map(({ blockNumber, usd, withdrawalId }) => {
      return { withdrawalId: BigInt(withdrawalId), usd: BigInt(usd), blockNumber };
    });
    return { block: kept.block, paid };
  } catch (error) {
    // Not written yet, or damaged: the chain has it all.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code === 'ENOENT') return start;
    throw error;
  }
}

/** A payment of the bridge, as its contract tells it. */
export type Paid = {
  readonly withdrawalId: bigint;
  /** Micro-USDC. */
  readonly usd: bigint;
  readonly blockNumber: number;
};

const PAID_TOPIC = encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'Paid' })[0] as Hex;
/** The destination comes first in the data, the amount behind it. */
const USD_AT = 2 + 64;

/** What the bridge has paid in a range of blocks, both ends included. */
async function readPaid(
  client: ChainClient,
  bridge: Hex,
  range: { readonly fromBlock: number; readonly toBlock: number },
): Promise<readonly Paid[]> {
  const logs = await client.logs({ ...range, address: bridge, topics: [PAID_TOPIC] });
  return logs.map(({ blockNumber, data, topics }) => ({
    withdrawalId: BigInt(topics[1] ?? '0x0'),
    usd: BigInt(`0x${data.slice(USD_AT)}`),
    blockNumber,
  }));
}
