import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { readTextFile, type RecordStore, recordStoreAt } from '@oddlot/host/durable';
import type { Address } from '@oddlot/units';
import type { Hex } from 'viem';
import { type Aside, type DepositBook, EMPTY_BOOK, type Pot } from './deposit-book.ts';
import { type DepositLog, ON_CHAIN, readState } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import { nextWithdrawalId, type State } from '@oddlot/engine';

/** How far the chain has been read, and what came of it that is not in the engine. */
export type Watched = {
  readonly chainId: number;
  readonly bridge: Hex;
  /** The last block that was read, and what it was: another one under its number is a reorganisation. */
  readonly block: number;
  readonly blockHash: Hex | null;
  readonly book: DepositBook;
  /** Found once, it stays: numbers that come later would hide it. */
  readonly foreign?: ForeignPayout;
};

/** What a watcher starts from where nothing, or another bridge, was watched before. */
export function startOf(bridge: Pick<Watched, 'chainId' | 'bridge'>, fromBlock: number): Watched {
  return { ...bridge, block: fromBlock - 1, blockHash: null, book: EMPTY_BOOK };
}

/** What is short stands in each append; of the rest what has changed. */
type Line =
  | { readonly at: Omit<Watched, 'book'> & Pick<DepositBook, 'minted' | 'dust' | 'vanished'> }
  | { readonly account: Address; readonly pot: Pot | null }
  | { readonly key: string; readonly aside: Aside | null };

/**
 * Notes that only save time: all that they say is computed again from the chain where they are missing, and the engine
 * credits nothing twice. What changes is appended, so that much that is kept aside does not make each block dear.
 */
export class WatchFile {
  readonly #records: RecordStore;
  #written: Watched | undefined;

  /** Notes of another bridge are left out; damaged ones are put aside, and told. */
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

  /** What was read last time, if it is of this bridge. */
  last(start: Watched): Watched {
    const known = this.#written;
    return known?.chainId === start.chainId && known.bridge === start.bridge ? known : start;
  }

  /** Written down when this returns, or when what it returns resolves. */
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

/** Of a release that wrote all of it anew each time: a checksum and one JSON text, without an end of line. */
function earlierNotes(file: string): Watched | undefined {
  const text = readTextFile(file);
  if (text === undefined) return undefined;
  const said = text.slice(CHECKSUM_CHARACTERS + 1);
  const sum = crc32(said).toString(16).padStart(CHECKSUM_CHARACTERS, '0');
  if (text.endsWith('\n') || text.slice(0, CHECKSUM_CHARACTERS) !== sum) return undefined;
  const known = JSON.parse(said) as Watched;
  return { ...known, book: { ...EMPTY_BOOK, ...known.book } };
}

function watchedOf(lines: readonly Line[]): Watched | undefined {
  const pots = new Map<Address, Pot>();
  const aside = new Map<string, Aside>();
  let last: Extract<Line, { readonly at: unknown }>['at'] | undefined = undefined;
  for (const line of lines) {
    if ('at' in line) last = line.at;
    else if ('account' in line) setOrDelete(pots, line.account, line.pot);
    else setOrDelete(aside, line.key, line.aside);
  }
  if (last === undefined) return undefined;
  const { dust, minted, vanished, ...rest } = last;
  const kept = {
    pots: Object.fromEntries(pots) as DepositBook['pots'],
    aside: [...aside.values()],
  };
  return { ...rest, book: { ...kept, dust, minted, vanished } };
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
  const gone = Object.keys(before).filter((key) => after[key] === undefined);
  const changed = Object.entries(after).filter(
    ([key, value]) => before[key] !== value && !isDeepStrictEqual(before[key], value),
  );
  return [...gone.map((key) => [key, null] as const), ...changed];
}

function byKey(aside: readonly Aside[]): Readonly<Record<string, Aside>> {
  const entries = aside.map((each) => [`${each.source.txHash}:${each.source.logIndex}`, each]);
  return Object.fromEntries(entries) as Record<string, Aside>;
}

/** A withdrawal that the bridge knows and this venue has never issued. */
export type ForeignPayout = {
  readonly withdrawalId: string;
  /** Undefined where only the number is known to be taken. */
  readonly txHash?: Hex;
};

/**
 * The bridge has paid for another log (this data folder is empty, or an older copy), or somebody else
 * has the validators' keys. Either way the accounts no longer match what the bridge holds.
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

/** By logs that were read: the first payout of a number that no withdrawal has. */
export function foreignAmong(logs: readonly DepositLog[], state: State): ForeignPayout | undefined {
  const next = BigInt(nextWithdrawalId(state));
  const isForeign = ({ withdrawalId }: DepositLog): boolean =>
    withdrawalId !== undefined && withdrawalId >= next;
  const found = logs.find(isForeign);
  if (found?.withdrawalId === undefined) return undefined;
  return { withdrawalId: String(found.withdrawalId), txHash: found.source.txHash as Hex };
}

/**
 * By the number that the next withdrawal will have: numbers count up, so a bridge that went on under
 * another log has it taken. One question tells before a block is read or anything is credited. A number that
 * the guardian has cancelled has moved no money: its withdrawal is returned when it comes.
 */
export async function foreignAhead(
  client: ChainClient,
  bridge: Hex,
  state: () => State,
): Promise<ForeignPayout | undefined> {
  // The block comes first: what it has paid the venue has issued by the time the number is read.
  const { confirmed } = await client.head();
  const withdrawalId = nextWithdrawalId(state());
  const stands = await readState(client, bridge, { withdrawalId, block: confirmed });
  const isTaken = stands === ON_CHAIN.queued || stands === ON_CHAIN.paid;
  return isTaken ? { withdrawalId: String(withdrawalId) } : undefined;
}
