import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { readTextFile, type RecordStore, recordStoreAt } from '@oddlot/host/durable';
import type { Address } from '@oddlot/units';
import type { Hex } from 'viem';
import {
  type Aside,
  type DepositBook,
  EMPTY_BOOK,
  type PendingDepositSum,
} from './deposit-book.ts';
import { type DepositLog, ON_CHAIN, readState } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import { nextWithdrawalId, type State } from '@oddlot/engine';

/** The position in the chain, and the results that are not in the engine. */
export type Watched = {
  readonly chainId: number;
  readonly bridge: Hex;
  /**
   * The last block read, and its hash. A different hash for the same number means a reorganisation.
   */
  readonly block: number;
  readonly blockHash: Hex | null;
  readonly book: DepositBook;
  /**
   * Once found, the foreign payout is stored permanently, because withdrawals with later numbers
   * would hide it.
   */
  readonly foreign?: ForeignPayout;
};

/** Returns the initial state of a watcher without a stored position for this bridge. */
export function startOf(bridge: Pick<Watched, 'chainId' | 'bridge'>, fromBlock: number): Watched {
  return { ...bridge, block: fromBlock - 1, blockHash: null, book: EMPTY_BOOK };
}

/** Each appended line has the short fields in full, but only the changes to the other fields. */
type Line =
  | { readonly at: Omit<Watched, 'book'> & Pick<DepositBook, 'minted' | 'dust' | 'vanished'> }
  | { readonly account: Address; readonly pot: PendingDepositSum | null }
  | { readonly key: string; readonly aside: Aside | null };

/**
 * Stores how far the chain has been read. The file only saves time: if it is missing, all data is
 * recomputed from the chain, and the engine credits nothing twice. Changes are appended, so that a
 * large number of held deposits does not slow down every block.
 */
export class WatchFile {
  readonly #records: RecordStore;
  #written: Watched | undefined;

  /**
   * Opens the file. A file belonging to another bridge is ignored; a damaged one is set aside and
   * reported.
   */
  constructor(place: string | RecordStore, onDamaged: (why: string) => void = () => undefined) {
    const earlier = typeof place === 'string' ? earlierNotes(place) : undefined;
    const records = recordStoreAt(place);
    const { damaged, records: lines } = earlier === undefined ? records.read() : NOTHING;
    if (damaged.length > 0) {
      const aside = records.setAside();
      onDamaged(`${records.name} is damaged and was moved to ${aside}: reading the chain again`);
    }
    this.#records = records;
    this.#written = earlier ?? (damaged.length > 0 ? undefined : watchedOf(lines as Line[]));
    if (earlier !== undefined) records.replace(linesOf(earlier));
    else if (damaged.length > 0) records.replace([]);
  }

  /** Returns the last stored state if it belongs to this bridge; otherwise returns `start`. */
  last(start: Watched): Watched {
    const known = this.#written;
    return known?.chainId === start.chainId && known.bridge === start.bridge ? known : start;
  }

  /** Stores the state. It is stored once this function returns or the returned promise resolves. */
  write(watched: Watched): void | Promise<void> {
    const before = this.#written;
    const lines = before === undefined ? linesOf(watched) : changesOf(before, watched);
    const writing = this.#records.append(lines);
    if (writing === undefined) return this.#shorten(watched);
    return writing.then(() => this.#shorten(watched));
  }

  close(): void {
    this.#records.close();
  }

  #shorten(watched: Watched): void {
    this.#written = watched;
    const { aside, pots } = watched.book;
    const size = 1 + aside.length + Object.keys(pots).length;
    this.#records.shorten({ size, values: () => linesOf(watched) });
  }
}

const NOTHING = { records: [], damaged: [] } as const;
const CHECKSUM_CHARACTERS = 8;

/**
 * Reads the format used by an earlier release, which rewrote the whole file: a checksum and one
 * JSON text, without a newline.
 */
function earlierNotes(file: string): Watched | undefined {
  const text = readTextFile(file);
  if (text === undefined) return undefined;
  const json = text.slice(CHECKSUM_CHARACTERS + 1);
  const sum = crc32(json).toString(16).padStart(CHECKSUM_CHARACTERS, '0');
  if (text.endsWith('\n') || text.slice(0, CHECKSUM_CHARACTERS) !== sum) return undefined;
  const known = JSON.parse(json) as Watched;
  return { ...known, book: { ...EMPTY_BOOK, ...known.book } };
}

function watchedOf(lines: readonly Line[]): Watched | undefined {
  const pots = new Map<Address, PendingDepositSum>();
  const aside = new Map<string, Aside>();
  let last: Extract<Line, { readonly at: unknown }>['at'] | undefined = undefined;
  for (const line of lines) {
    if ('at' in line) last = line.at;
    else if ('account' in line) setOrDelete(pots, line.account, line.pot);
    else setOrDelete(aside, line.key, line.aside);
  }
  if (last === undefined) return undefined;
  const { dust, minted, vanished, ...rest } = last;
  const entries = {
    pots: Object.fromEntries(pots) as DepositBook['pots'],
    aside: [...aside.values()],
  };
  return { ...rest, book: { ...entries, dust, minted, vanished } };
}

function setOrDelete<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

function linesOf(watched: Watched): Line[] {
  const start = { ...watched, book: EMPTY_BOOK };
  return changesOf(start, watched);
}

function changesOf(before: Watched, { book, ...rest }: Watched): Line[] {
  const { dust, minted, vanished } = book;
  const pots = changesIn(before.book.pots, book.pots);
  const aside = changesIn(byKey(before.book.aside), byKey(book.aside));
  return [
    ...pots.map(([account, pot]): Line => ({ account: account as Address, pot })),
    ...aside.map(([key, each]): Line => ({ key, aside: each })),
    { at: { ...rest, dust, minted, vanished } },
  ];
}

function changesIn<Value>(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
): (readonly [string, Value | null])[] {
  if (before === after) return [];
  const removed = Object.keys(before).filter((key) => after[key] === undefined);
  const changed = Object.entries(after).filter(
    ([key, value]) => before[key] !== value && !isDeepStrictEqual(before[key], value),
  );
  return [...removed.map((key) => [key, null] as const), ...changed];
}

function byKey(aside: readonly Aside[]): Readonly<Record<string, Aside>> {
  const entries = aside.map((each) => [`${each.source.txHash}:${each.source.logIndex}`, each]);
  return Object.fromEntries(entries) as Record<string, Aside>;
}

/** A withdrawal recorded on the bridge that this venue never issued. */
export type ForeignPayout = {
  readonly withdrawalId: string;
  readonly txHash?: Hex;
};

/**
 * Thrown if the bridge has paid for another log, because this data folder is empty or an older
 * copy, or because the validators' keys are compromised. Either way, the accounts no longer match
 * the bridge's balance.
 */
export class ForeignPayoutError extends Error {
  override readonly name = 'ForeignPayoutError';

  constructor({ txHash, withdrawalId }: ForeignPayout) {
    const where = txHash === undefined ? '' : ` in ${txHash}`;
    super(
      `the bridge knows withdrawal ${withdrawalId}${where}, which this venue never issued: ` +
        'the data folder belongs to another bridge, or keys were stolen',
    );
  }
}

/** Returns the first payout in the logs whose number is not that of a withdrawal. */
export function foreignAmong(logs: readonly DepositLog[], state: State): ForeignPayout | undefined {
  const next = BigInt(nextWithdrawalId(state));
  const isForeign = ({ withdrawalId }: DepositLog): boolean =>
    withdrawalId !== undefined && withdrawalId >= next;
  const found = logs.find(isForeign);
  if (found?.withdrawalId === undefined) return undefined;
  return { withdrawalId: String(found.withdrawalId), txHash: found.source.txHash as Hex };
}

/**
 * Returns a foreign payout with the number of the next withdrawal. Numbers are consecutive, so a
 * bridge that has since served another log has already used this number. A single query reveals
 * this before any block is read or anything is credited. A number cancelled by the guardian moved
 * no funds; its withdrawal is returned when it is requested.
 */
export async function foreignAhead(
  client: ChainClient,
  bridge: Hex,
  state: () => State,
): Promise<ForeignPayout | undefined> {
  // The block is read first, because every payout in it was issued before the number is read.
  const { confirmed } = await client.head();
  const withdrawalId = nextWithdrawalId(state());
  const stands = await readState(client, bridge, { withdrawalId, block: confirmed });
  const isTaken = stands === ON_CHAIN.queued || stands === ON_CHAIN.paid;
  return isTaken ? { withdrawalId: String(withdrawalId) } : undefined;
}
