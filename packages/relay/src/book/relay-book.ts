import { RecordFile } from '@oddlot/host/durable';
import type { Hex } from 'viem';

type Line =
  | { readonly address: GivenAddress }
  | { readonly transfer: Transfer }
  | { readonly arrived: Arrived }
  | { readonly cursor: Cursor };

/** One more arrival of a transfer that is in the book, which is not written again with every grain of dust. */
type Arrived = Pick<Transfer, 'id' | 'state' | 'updateMs'> & { readonly arrival: Arrival };

/** Money that came in, and whose it is. */
export type Coming = Arrival & {
  readonly user: Hex;
  readonly cameTo: SubAccount;
  readonly cameFrom: SubAccount;
};

/** A cursor is written down at least this many blocks after the last time; reading twice does no harm. */
const CURSOR_BLOCKS = 100;

/** Of one transfer: who sends dust begins another one, and holds nobody up. */
const ARRIVALS_MAX = 200;

/** The file is not as it was written; its message is meant for the operator. */
class RelayBookDamagedError extends Error {
  override readonly name = 'RelayBookDamagedError';
}

/**
 * All that the relay knows: addresses that it gave out, what arrived at them, and how far that is. On
 * disk before anybody is answered or anything is sent, so that a start goes on where the last one ended.
 */
export class RelayBook {
  readonly #file: RecordFile;
  readonly #addresses = new Map<string, GivenAddress>();
  readonly #given = new Set<Hex>();
  readonly #transfers = new Map<string, Transfer>();
  readonly #open = new Map<string, Transfer>();
  readonly #cursors = new Map<string, Cursor>();
  readonly #written = new Map<string, Cursor>();
  /** Ids of addresses and transfers, by whose they are. */
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

  /** The index of the next key; the address that takes it must be added before another one is asked for. */
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

  /** True of an address that was given out, for deposits or as a peg. */
  hasGiven(address: Hex): boolean {
    return this.#given.has(address);
  }

  addresses(kind: GivenAddress['kind']): readonly GivenAddress[] {
    return [...this.#addresses.values()].filter((each) => each.kind === kind);
  }

  /** Transfers of an address, oldest first. */
  transfersOf(addressId: string): readonly Transfer[] {
    return (this.#byAddress.get(addressId) ?? []).flatMap((id) => this.#transfers.get(id) ?? []);
  }

  transfer(id: string): Transfer | undefined {
    return this.#transfers.get(id);
  }

  /** What still has something to be done, or waits for more money. */
  open(): readonly Transfer[] {
    return [...this.#open.values()];
  }

  /** Of a user: what came, and addresses that nothing came to. */
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
   * Takes in money once. It adds up with what came before from the same sender, of the same sub-account
   * since it may have to go back there, until that is enough to be handed on; what comes later is the beginning of another transfer.
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

  /** After what it says was read is in the book. */
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
    // Before the line, which is not kept yet: what is written anew is what was kept.
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
      // Who paid a peg by the bridge is not known in the venue; the peg is what they know.
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

/** What the relay keeps for ever, a line each. Amounts are micro-USDC as text. */

/** An address that was given out: of a deposit on another chain, or a peg in the venue. */
export type GivenAddress = {
  readonly kind: 'deposit' | 'peg';
  readonly id: string;
  /** Of the key, in the order in which they were given out; none is used twice. */
  readonly index: number;
  readonly address: Hex;
  /** Where money comes from, of a deposit; where it goes, of a peg. */
  readonly chain: string;
  readonly dstAddr: Hex;
  /** The sub-account that a deposit is for. */
  readonly accountType: SubAccount;
  readonly minMicro: string;
  readonly feeMicro: string;
  readonly createMs: number;
  readonly expireMs: number;
};

export type SubAccount = 'perp' | 'outcome';

/** Money that came to such an address, for good. */
export type Arrival = {
  /**
   * Names it among all of its address: the transaction, and on a chain the place of the log; of a deposit for a peg the
   * time and the number of its row too, since a transaction of the chain may deposit more than once.
   */
  readonly key: string;
  readonly txHash: Hex;
  readonly amountMicro: string;
};

/** What keeps a transfer from getting on: users are told what it is, the operator the rest too. */
export type Trouble = {
  readonly what: 'float' | 'chain' | 'bridge' | 'token' | 'venue' | 'receiver' | 'peg';
  readonly detail: string;
};

/** A signed request to the venue. The same bytes are executed once, however often they are sent. */
export type VenueSend = { readonly body: string; readonly txHash: Hex; readonly nonce: number };

/**
 * What arrived at an address until it was enough, and what became of it. `collecting` is below the
 * minimum, `paying` is being handed on, `refunding` goes back to who sent it.
 */
export type Transfer = {
  readonly id: string;
  readonly addressId: string;
  /** Whose it is: the account of a deposit, the sender of what came to a peg. */
  readonly user: Hex;
  /** The sub-account of the peg that it came to. */
  readonly cameTo: SubAccount;
  /** The sub-account of the sender, where a refund goes. */
  readonly cameFrom: SubAccount;
  readonly arrivals: readonly Arrival[];
  readonly state: 'collecting' | 'paying' | 'refunding' | 'completed' | 'refunded';
  /** Counts transactions that the chain has executed and refused. */
  readonly attempt: number;
  /** The settlement chain has it; what is left is a transfer inside of the venue. */
  readonly isBridged?: boolean;
  readonly send?: VenueSend | undefined;
  readonly dstTxHash?: Hex | undefined;
  /** The money is in the relay's own hands. */
  readonly isSwept: boolean;
  readonly sweep?: VenueSend | undefined;
  /** How often gas was sent for the sweep. */
  readonly gasSent?: number;
  /** What keeps it from getting on. */
  readonly trouble?: Trouble | undefined;
  readonly createMs: number;
  readonly updateMs: number;
};

/** How far a chain was read: for addresses that are expected to be used, and for all others. */
type Cursor = { readonly chain: string; readonly live: number; readonly late: number };

export function sumOf({ arrivals }: Pick<Transfer, 'arrivals'>): bigint {
  return arrivals.reduce((sum, { amountMicro }) => sum + BigInt(amountMicro), 0n);
}

/** Nothing is left to be done: what came went back to who sent it, or was handed on and is the relay's. */
export function isOver({ isSwept, state }: Transfer): boolean {
  return state === 'refunded' || (state === 'completed' && isSwept);
}
