import { RecordFile } from '@oddlot/host/durable';
import type { Hex } from 'viem';

type Line =
  | { readonly address: GivenAddress }
  | { readonly transfer: Transfer }
  | { readonly arrived: Arrived }
  | { readonly cursor: Cursor };

/**
 * A further arrival for a transfer that is already recorded. It is stored as a separate record, so
 * that a small arrival does not rewrite the whole transfer.
 */
type Arrived = Pick<Transfer, 'id' | 'state' | 'updateMs'> & { readonly arrival: Arrival };

export type Coming = Arrival & {
  readonly user: Hex;
  readonly cameTo: SubAccount;
  readonly cameFrom: SubAccount;
};

/** The minimum number of blocks between two stored cursors. Reading blocks twice does no harm. */
const CURSOR_BLOCKS = 100;

/**
 * The maximum number of arrivals per transfer. Beyond that, another transfer is started, so that
 * many small amounts do not delay the first one.
 */
const ARRIVALS_MAX = 200;

/** Thrown if the file was altered. The message is for the operator. */
class RelayBookDamagedError extends Error {
  override readonly name = 'RelayBookDamagedError';
}

/**
 * The journal of the relay: the addresses it has assigned, the arrivals at those addresses, and
 * their progress. Entries are on disk before any response or transaction is sent, so that a restart
 * resumes where the last run ended.
 */
export class RelayBook {
  readonly #file: RecordFile;
  readonly #addresses = new Map<string, GivenAddress>();
  readonly #given = new Set<Hex>();
  readonly #transfers = new Map<string, Transfer>();
  readonly #open = new Map<string, Transfer>();
  readonly #cursors = new Map<string, Cursor>();
  readonly #written = new Map<string, Cursor>();
  /** The ids of addresses and transfers, by user. */
  readonly #byUser = new Map<string, Set<string>>();
  readonly #byAddress = new Map<string, string[]>();
  readonly #arrived = new Set<string>();
  readonly #count = { deposit: 0, peg: 0 };

  constructor(file: string) {
    this.#file = new RecordFile(file);
    const { damaged, records } = this.#file.read();
    if (damaged.length > 0) {
      throw new RelayBookDamagedError(
        `${file}: line ${damaged[0]} is damaged. Without this line, the relay cannot know which payments were made, so it makes none. See docs/operate/relay.md`,
      );
    }
    for (const line of records as readonly Line[]) {
      if ('address' in line) this.#keepAddress(line.address);
      else if ('transfer' in line) this.#keepTransfer(line.transfer);
      else if ('arrived' in line) this.#keepArrival(line.arrived);
      else this.#cursors.set(line.cursor.chain, line.cursor);
    }
    this.#file.shortenLong(() => this.#lines());
  }

  /**
   * Returns the index of the next key. The address with this index must be added before the next
   * call.
   */
  nextIndex(kind: GivenAddress['kind']): number {
    return this.#count[kind];
  }

  addAddress(address: GivenAddress): void {
    this.#append({ address });
    this.#keepAddress(address);
  }

  address(id: string): GivenAddress | undefined {
    return this.#addresses.get(id);
  }

  /** Returns true for an assigned address, whether for deposits or as a peg. */
  hasGiven(address: Hex): boolean {
    return this.#given.has(address);
  }

  addresses(kind: GivenAddress['kind']): readonly GivenAddress[] {
    return [...this.#addresses.values()].filter((each) => each.kind === kind);
  }

  /** Returns the transfers of an address, oldest first. */
  transfersOf(addressId: string): readonly Transfer[] {
    return (this.#byAddress.get(addressId) ?? []).flatMap((id) => this.#transfers.get(id) ?? []);
  }

  transfer(id: string): Transfer | undefined {
    return this.#transfers.get(id);
  }

  /** Returns the transfers that need work or are waiting for more money. */
  open(): readonly Transfer[] {
    return [...this.#open.values()];
  }

  /** Returns the transfers of a user, and the user's addresses that have received nothing. */
  ofUser(user: Hex): readonly (Transfer | GivenAddress)[] {
    const ids = [...(this.#byUser.get(user) ?? [])];
    return ids.flatMap((id): readonly (Transfer | GivenAddress)[] => {
      const transfer = this.#transfers.get(id);
      if (transfer !== undefined) return [transfer];
      const address = this.#addresses.get(id);
      return address?.kind === 'deposit' && !this.#byAddress.has(id) ? [address] : [];
    });
  }

  put(transfer: Transfer): void {
    this.#append({ transfer });
    this.#keepTransfer(transfer);
  }

  /**
   * Records incoming money once. Amounts are added up until they reach the minimum, separately for
   * each sender and sub-account, because they may have to be returned there. Later amounts start
   * another transfer.
   */
  arrive(address: GivenAddress, coming: Coming, nowMs: number): void {
    const { cameFrom, cameTo, user, ...arrival } = coming;
    if (this.#arrived.has(arrivalKey(address.id, arrival))) return;
    const before = this.transfersOf(address.id);
    const collecting = before.find(
      (each) =>
        each.state === 'collecting' &&
        each.user === user &&
        each.cameTo === cameTo &&
        each.cameFrom === cameFrom &&
        each.arrivals.length < ARRIVALS_MAX,
    );
    const base: Transfer = collecting ?? {
      id: before.length === 0 ? address.id : `${address.id}-${before.length + 1}`,
      addressId: address.id,
      user,
      cameTo,
      cameFrom,
      arrivals: [],
      state: 'collecting',
      attempt: 0,
      isSwept: false,
      createMs: before.length === 0 && address.kind === 'deposit' ? address.createMs : nowMs,
      updateMs: nowMs,
    };
    const arrivals = [...base.arrivals, arrival];
    const isEnough = sumOf({ arrivals }) >= BigInt(address.minMicro);
    const state = isEnough ? 'paying' : 'collecting';
    if (collecting === undefined) {
      this.put({ ...base, arrivals, state });
      return;
    }
    const arrived = { id: base.id, state, updateMs: nowMs, arrival } as const;
    this.#append({ arrived });
    this.#keepArrival(arrived);
  }

  cursor(chain: string): Cursor | undefined {
    return this.#cursors.get(chain);
  }

  /**
   * Stores the position up to which a chain has been read. Call it only once all arrivals before
   * the cursor are in the journal.
   */
  setCursor(cursor: Cursor): void {
    this.#cursors.set(cursor.chain, cursor);
    const written = this.#written.get(cursor.chain);
    const moved = cursor.live - (written?.live ?? 0) + (cursor.late - (written?.late ?? 0));
    if (written !== undefined && moved < CURSOR_BLOCKS) return;
    this.#append({ cursor });
    this.#written.set(cursor.chain, cursor);
  }

  close(): void {
    this.#file.close();
  }

  #append(line: Line): void {
    // The file is shortened before the line is appended, because a rewrite includes only stored
    // records.
    this.#file.shortenLong(() => this.#lines());
    this.#file.append([line]);
  }

  #keepAddress(address: GivenAddress): void {
    this.#addresses.set(address.id, address);
    this.#given.add(address.address);
    this.#count[address.kind] = Math.max(this.#count[address.kind], address.index + 1);
    if (address.kind === 'deposit') this.#index(address.dstAddr, address.id);
  }

  #keepTransfer(transfer: Transfer): void {
    const { addressId, id, user } = transfer;
    if (!this.#transfers.has(id)) {
      this.#byAddress.set(addressId, [...(this.#byAddress.get(addressId) ?? []), id]);
      this.#index(user, id);
      // The venue does not record the sender of a deposit to a peg through the bridge. The transfer
      // is therefore indexed by the peg, whose address the sender knows.
      const { address, kind } = this.#addresses.get(addressId) ?? {};
      if (kind === 'peg' && address !== undefined) this.#index(address, id);
    }
    this.#transfers.set(id, transfer);
    if (isOver(transfer)) this.#open.delete(id);
    else this.#open.set(id, transfer);
    for (const arrival of transfer.arrivals) this.#arrived.add(arrivalKey(addressId, arrival));
  }

  #keepArrival({ arrival, id, state, updateMs }: Arrived): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) throw new RelayBookDamagedError(`${id} is not in the journal`);
    const arrivals = [...transfer.arrivals, arrival];
    this.#keepTransfer({ ...transfer, arrivals, state, updateMs });
  }

  #index(user: Hex, id: string): void {
    const ids = this.#byUser.get(user) ?? new Set();
    this.#byUser.set(user, ids.add(id));
  }

  *#lines(): Iterable<Line> {
    for (const address of this.#addresses.values()) yield { address };
    for (const transfer of this.#transfers.values()) yield { transfer };
    for (const cursor of this.#cursors.values()) yield { cursor };
  }
}

function arrivalKey(addressId: string, { key }: Arrival): string {
  return `${addressId} ${key}`;
}

/** The permanent records of the relay, one per line. Amounts are micro-USDC, as strings. */

/** An assigned address: one for deposits on another chain, or a peg in the venue. */
export type GivenAddress = {
  readonly kind: 'deposit' | 'peg';
  readonly id: string;
  /** The index of the key. Indexes are assigned in order, and none is used twice. */
  readonly index: number;
  readonly address: Hex;
  /** The source chain of a deposit, or the destination chain of a peg. */
  readonly chain: string;
  readonly dstAddr: Hex;
  readonly accountType: SubAccount;
  readonly minMicro: string;
  readonly feeMicro: string;
  readonly createMs: number;
  readonly expireMs: number;
};

export type SubAccount = 'perp' | 'outcome';

/** Confirmed money that arrived at an assigned address. */
export type Arrival = {
  /**
   * The key is unique per address: the transaction and, on a chain, the position of the log. For a
   * deposit to a peg, it also includes the time and number of its row, because one transaction on
   * the chain can make several deposits.
   */
  readonly key: string;
  readonly txHash: Hex;
  readonly amountMicro: string;
};

/** The obstacle to a transfer. Users see its kind; the operator also sees the details. */
export type Trouble = {
  readonly what: 'float' | 'chain' | 'bridge' | 'token' | 'venue' | 'receiver' | 'peg';
  readonly detail: string;
};

/**
 * A signed request to the venue. Identical bytes are executed only once, no matter how often they
 * are sent.
 */
export type VenueSend = { readonly body: string; readonly txHash: Hex; readonly nonce: number };

/**
 * The money that arrived at an address until the minimum was reached, and its current state. The
 * state is `collecting` below the minimum, `paying` during the payout, and `refunding` while the
 * money is returned to the sender.
 */
export type Transfer = {
  readonly id: string;
  readonly addressId: string;
  /** The owner: the account credited by a deposit, or the sender of money to a peg. */
  readonly user: Hex;
  /** The sub-account of the peg that received the money. */
  readonly cameTo: SubAccount;
  /** The sub-account of the sender, which receives a refund. */
  readonly cameFrom: SubAccount;
  readonly arrivals: readonly Arrival[];
  readonly state: 'collecting' | 'paying' | 'refunding' | 'completed' | 'refunded';
  /** The number of transactions that the chain executed and reverted. */
  readonly attempt: number;
  /**
   * True once the settlement chain has confirmed the deposit. Only a transfer inside the venue then
   * remains.
   */
  readonly isBridged?: boolean;
  readonly send?: VenueSend | undefined;
  readonly dstTxHash?: Hex | undefined;
  /** True once the money has been collected into the relay's own account. */
  readonly isSwept: boolean;
  readonly sweep?: VenueSend | undefined;
  /** The number of times that gas was sent for the sweep. */
  readonly gasSent?: number;
  readonly trouble?: Trouble | undefined;
  readonly createMs: number;
  readonly updateMs: number;
};

/**
 * The positions up to which a chain has been read: one for addresses expected to be used, and one
 * for all others.
 */
type Cursor = { readonly chain: string; readonly live: number; readonly late: number };

export function sumOf({ arrivals }: Pick<Transfer, 'arrivals'>): bigint {
  return arrivals.reduce((sum, { amountMicro }) => sum + BigInt(amountMicro), 0n);
}

/**
 * Returns true if no work is left: the money was returned to the sender, or was paid out and
 * collected.
 */
export function isOver({ isSwept, state }: Transfer): boolean {
  return state === 'refunded' || (state === 'completed' && isSwept);
}
