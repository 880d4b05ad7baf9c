import { readFileSync } from 'node:fs';
import type { ChainClient } from '@oddlot/custody/chain';
import { writeWholeFile } from '@oddlot/host/durable';
import { encodeEventTopics, type Hex } from 'viem';
import { BRIDGE_ABI } from '@oddlot/contracts';

type PaidWatchOptions = {
  readonly client: ChainClient;
  readonly bridge: Hex;
  /** The block in which the bridge was created, or any earlier one. */
  readonly fromBlock: number;
  /**
   * A cache that avoids rereading all blocks. If the file is missing, it is recomputed from the
   * chain.
   */
  readonly file: string;
  /** Returns true while the venue holds the funds of a withdrawal. */
  readonly isOpen: (withdrawalId: bigint) => boolean;
  readonly rangeMax?: number;
};

const RANGE_MAX = 2_000;
/** The maximum number of blocks without payments to reread after a crash. */
const UNWRITTEN_BLOCKS_MAX = 100;

type Stored = {
  readonly chainId: number;
  readonly bridge: Hex;
  readonly block: number;
  readonly paid: readonly {
    readonly withdrawalId: string;
    readonly usd: string;
    readonly blockNumber: number;
  }[];
};

/** Tracks payments that are on the chain but may not yet be in the venue's books. */
export class PaidWatch {
  readonly #options: PaidWatchOptions;
  readonly #rangeMax: number;
  #range: number;
  #block: number;
  #storedBlock: number;
  #paid: readonly Paid[];

  constructor(options: PaidWatchOptions) {
    this.#options = options;
    this.#rangeMax = options.rangeMax ?? RANGE_MAX;
    this.#range = this.#rangeMax;
    const { block, paid } = readStored(options);
    this.#block = block;
    this.#storedBlock = block;
    this.#paid = paid;
  }

  /** The payments of open withdrawals, and all payments after `behindBlock`. */
  get paid(): readonly Paid[] {
    return this.#paid;
  }

  /**
   * Continues reading. Returns true if every confirmed block has been read. Settled payments are
   * removed, except those after `behindBlock`, which had not been paid on the chain as of that
   * block.
   */
  async step(behindBlock: number): Promise<boolean> {
    const { bridge, client, isOpen } = this.#options;
    const { confirmed } = await client.head();
    const fromBlock = this.#block + 1;
    if (fromBlock > confirmed) {
      this.#paid = this.#paid.filter((each) => isNeeded(each));
      return true;
    }
    const toBlock = Math.min(confirmed, fromBlock + this.#range - 1);
    let read: readonly Paid[];
    try {
      read = await readPaid(client, bridge, { fromBlock, toBlock });
    } catch (error) {
      // An endpoint that finds a range too large may say so with any error text.
      this.#range = Math.max(1, Math.floor(this.#range / 2));
      throw error;
    }
    this.#range = Math.min(this.#rangeMax, 2 * this.#range);
    const before = this.#paid;
    this.#paid = [...before, ...read].filter((each) => isNeeded(each));
    this.#block = toBlock;
    const isNews = read.length > 0 || this.#paid.length !== before.length;
    if (isNews || toBlock - this.#storedBlock >= UNWRITTEN_BLOCKS_MAX) this.#keep();
    return toBlock === confirmed;

    function isNeeded({ blockNumber, withdrawalId }: Paid): boolean {
      return blockNumber > behindBlock || isOpen(withdrawalId);
    }
  }

  #keep(): void {
    const { bridge, client, file } = this.#options;
    const paid = this.#paid.map(({ blockNumber, usd, withdrawalId }) => {
      return { withdrawalId: String(withdrawalId), usd: String(usd), blockNumber };
    });
    const stored: Stored = { chainId: client.chainId, bridge, block: this.#block, paid };
    writeWholeFile(file, JSON.stringify(stored));
    this.#storedBlock = this.#block;
  }
}

function readStored(options: PaidWatchOptions): Pick<Stored, 'block'> & {
  readonly paid: readonly Paid[];
} {
  const { bridge, client, file, fromBlock } = options;
  const start = { block: fromBlock - 1, paid: [] };
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored;
    if (stored.chainId !== client.chainId || stored.bridge !== bridge) return start;
    const paid = stored.paid.map(({ blockNumber, usd, withdrawalId }) => {
      return { withdrawalId: BigInt(withdrawalId), usd: BigInt(usd), blockNumber };
    });
    return { block: stored.block, paid };
  } catch (error) {
    // The file has not been written yet or is damaged. All of its data is on the chain.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code === 'ENOENT') return start;
    throw error;
  }
}

export type Paid = {
  readonly withdrawalId: bigint;
  readonly usd: bigint;
  readonly blockNumber: number;
};

const PAID_TOPIC = encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'Paid' })[0] as Hex;
/** The event data is the destination followed by the amount. */
const USD_AT = 2 + 64;

/** Returns the bridge's payments in a range of blocks, both ends inclusive. */
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
