import { formatMoney, parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import {
  type Arrival,
  type Coming,
  type GivenAddress,
  isOver,
  type RelayBook,
  type SubAccount,
  sumOf,
  type Transfer,
  type Trouble,
} from '../book/relay-book.ts';
import type { LedgerPage, VenueApi } from '../venue-api.ts';
import { chainFault, ChainRevertError } from '@oddlot/custody/chain';
import { type RelayChain, tokenBalance, transferData } from '../chains/relay-chain.ts';
import { chainTrouble, floatTrouble, noteTrouble } from './trouble.ts';
import { type CanReceive, NO_RECEIVER } from './receivers.ts';
import type { VenueAccount } from './venue-account.ts';

type PegScanOptions = {
  readonly book: RelayBook;
  readonly api: VenueApi;
  readonly now: () => number;
  /** The least time between two looks at one peg. */
  readonly everyMs: number;
};

const MONEY_DECIMALS = 6;
/** Rows of one question. */
const ROWS = 200;
/** A peg is looked at again after this part of its age: most are used soon or never. */
const AGE_SHARE = 20;
/** And at the latest after so long, for each peg that there is: the venue serves others too. */
const LATEST_MS = 2_000;
const LATEST_MS_PER_PEG = 50;
/** Looks of all pegs together: the venue counts them against a client's budget. */
const PER_SECOND = 10;

/** Looks for what was sent to pegs, by the rows that the venue shows of their accounts. */
export class PegScan {
  readonly #options: PegScanOptions;
  readonly #lookedMs = new Map<string, number>();
  readonly #hurried = new Set<string>();

  constructor(options: PegScanOptions) {
    this.#options = options;
  }

  /** Somebody asks about them: they are looked at soon. Anybody may ask, so others wait no longer for it. */
  hurry(address: Hex): void {
    for (const peg of this.#options.book.addresses('peg')) {
      if (peg.dstAddr === address || peg.address === address) this.#hurried.add(peg.id);
    }
  }

  async step(): Promise<void> {
    const nowMs = this.#options.now();
    for (const peg of this.#next(nowMs)) {
      try {
        await this.#look(peg);
        this.#hurried.delete(peg.id);
      } finally {
        // One that cannot be read is not the first again.
        this.#lookedMs.set(peg.id, nowMs);
      }
    }
  }

  /** Half of the looks, and all that are left over, are for those that somebody asks about. */
  #next(nowMs: number): readonly GivenAddress[] {
    const pegs = this.#options.book.addresses('peg');
    const atOnce = Math.max(1, Math.floor((PER_SECOND * this.#options.everyMs) / 1_000));
    const due = this.#due(pegs, nowMs);
    const hurried = this.#asked(pegs, nowMs);
    const ahead = hurried.slice(0, Math.floor(atOnce / 2));
    const all = new Set([...due.slice(0, atOnce - ahead.length), ...ahead, ...due, ...hurried]);
    return [...all].slice(0, atOnce);
  }

  /** By how much later it is than it should be; one that is new is looked at before all others. */
  #due(pegs: readonly GivenAddress[], nowMs: number): readonly GivenAddress[] {
    const latestMs = LATEST_MS + LATEST_MS_PER_PEG * pegs.length;
    const latenessOf = (peg: GivenAddress): number => {
      const byAge = Math.floor((nowMs - peg.createMs) / AGE_SHARE);
      const everyMs = Math.max(this.#options.everyMs, Math.min(byAge, latestMs));
      return this.#sinceLook(peg, nowMs) / everyMs;
    };
    return pegs
      .map((peg) => ({ peg, lateness: latenessOf(peg) }))
      .filter(({ lateness }) => lateness >= 1)
      .sort((a, b) => (a.lateness === b.lateness ? newer(a.peg, b.peg) : b.lateness - a.lateness))
      .map(({ peg }) => peg);
  }

  /** In turn: who asks more often, or about more of them, is not answered before others who ask. */
  #asked(pegs: readonly GivenAddress[], nowMs: number): readonly GivenAddress[] {
    return pegs
      .filter(({ id }) => this.#hurried.has(id))
      .map((peg) => ({ peg, since: this.#sinceLook(peg, nowMs) }))
      .filter(({ since }) => since >= this.#options.everyMs)
      .sort((a, b) => (a.since === b.since ? newer(a.peg, b.peg) : b.since - a.since))
      .map(({ peg }) => peg);
  }

  #sinceLook(peg: GivenAddress, nowMs: number): number {
    return nowMs - (this.#lookedMs.get(peg.id) ?? -Infinity);
  }

  async #look(peg: GivenAddress): Promise<void> {
    const { book, now } = this.#options;
    const arrivals = book.transfersOf(peg.id).flatMap((each) => each.arrivals);
    const known = new KnownRows(arrivals);
    const rows = await this.#unread(peg, known);
    for (const { coming, key } of known.named(rows.toReversed())) {
      book.arrive(peg, { ...coming, key }, now());
    }
  }

  /**
   * What came, newest first, back to a page without anything new: what came is not known by its time alone. Pages hang
   * together by cursors, so that a row which comes in between is neither seen twice nor hides another one.
   */
  async #unread(peg: GivenAddress, known: KnownRows): Promise<readonly PegRow[]> {
    const found: PegRow[] = [];
    for (let cursor: string | undefined; ;) {
      const { next, rows } = await this.#options.api.ledger(peg.address, { cursor, limit: ROWS });
      const page = rows.flatMap((row) => comingOf(row, peg) ?? []);
      found.push(...page);
      if (next === undefined) return found;
      const isKnown = page.length > 0 && page.every((row) => known.has(row));
      if (isKnown && !known.isCut(found, rows.at(-1)?.time)) return found;
      cursor = next;
    }
  }
}

function newer(a: GivenAddress, b: GivenAddress): number {
  return b.createMs - a.createMs;
}

type Row = LedgerPage['rows'][number];

/** A transfer by somebody, or a deposit for the peg: that one is whose the other end is. */
function comingOf({ delta, hash, time }: Row, peg: GivenAddress): PegRow | undefined {
  if (delta.type !== 'receive' && delta.type !== 'deposit') return undefined;
  const amount = parseExact(delta.amount, MONEY_DECIMALS);
  if (amount === undefined || amount <= 0n) return undefined;
  const money = { txHash: hash as Hex, amountMicro: String(amount) };
  if (delta.type === 'deposit') {
    const whose = { user: peg.dstAddr, cameTo: 'perp', cameFrom: 'perp' } as const;
    return { isDeposit: true, time, coming: { ...money, ...whose } };
  }
  const kinds = {
    cameTo: delta.toAccountType as SubAccount,
    cameFrom: delta.fromAccountType as SubAccount,
  };
  return { isDeposit: false, time, coming: { ...money, user: delta.user as Hex, ...kinds } };
}

/** A row of a peg's ledger that brought money. */
type PegRow = {
  /** Of the settlement chain; else a transfer inside of the venue. */
  readonly isDeposit: boolean;
  /** Of its block. */
  readonly time: number;
  readonly coming: Omit<Coming, 'key'>;
};

/**
 * Which rows of a peg are in the book. A row is known by what it is, never by where it stands in an answer: a transaction
 * of the venue brings an account money once, so its hash names the row; one of the chain may deposit several times, which
 * the time of the row and its number among those of the same time and transaction tell apart. Rows are only ever added
 * behind, so that number stays.
 */
class KnownRows {
  readonly #keys: ReadonlySet<string>;
  /** Deposits that a former release has named by their transaction alone, by that. */
  readonly #timeless = new Map<Hex, number>();

  constructor(arrivals: readonly Arrival[]) {
    this.#keys = new Set(arrivals.map(({ key }) => key));
    for (const { key, txHash } of arrivals) {
      if (!key.includes(AT)) this.#timeless.set(txHash, (this.#timeless.get(txHash) ?? 0) + 1);
    }
  }

  /** Whether it, or one of the same time and transaction, is known. */
  has(row: PegRow): boolean {
    const { txHash } = row.coming;
    return this.#timeless.has(txHash) || this.#keys.has(depositKey(row, 0));
  }

  /** Whether deposits may lie behind the end of a page that are told apart from those before it by their number. */
  isCut(rows: readonly PegRow[], endTime: number | undefined): boolean {
    return rows.some(
      ({ coming, isDeposit, time }) =>
        isDeposit && (time === endTime || this.#timeless.has(coming.txHash)),
    );
  }

  /** Rows with their keys, oldest first, without deposits that a former release has taken in. */
  *named(
    rows: readonly PegRow[],
  ): Iterable<{ readonly key: string; readonly coming: PegRow['coming'] }> {
    const timeless = new Map(this.#timeless);
    const counts = new Map<string, number>();
    for (const row of rows) {
      const { coming, isDeposit } = row;
      if (!isDeposit) {
        yield { key: coming.txHash, coming };
        continue;
      }
      const left = timeless.get(coming.txHash) ?? 0;
      if (left > 0) {
        timeless.set(coming.txHash, left - 1);
        continue;
      }
      const first = depositKey(row, 0);
      const count = counts.get(first) ?? 0;
      counts.set(first, count + 1);
      yield { key: depositKey(row, count), coming };
    }
  }
}

const AT = '@';

function depositKey({ coming, time }: PegRow, count: number): string {
  return `${coming.txHash}${AT}${time}:${count}`;
}

type PegWorkOptions = {
  readonly book: RelayBook;
  readonly api: Pick<VenueApi, 'freeMoney'>;
  readonly now: () => number;
  /** The account of a peg. */
  readonly accountOf: (peg: GivenAddress) => VenueAccount;
  /** Where the relay collects what came to pegs. */
  readonly ownAddress: Hex;
  readonly canReceive: CanReceive;
};

/**
 * Hands on what was sent to pegs: the same amount without the fee leaves the relay's own money on the
 * other chain, then the peg's money becomes the relay's. What cannot be handed on goes back whole to who
 * sent it, to the sub-account that it came from.
 */
export class PegWork {
  readonly #options: PegWorkOptions;

  constructor(options: PegWorkOptions) {
    this.#options = options;
  }

  /** What is still below the minimum when the peg expires goes back. */
  expire(transfer: Transfer, peg: GivenAddress): void {
    const { book, now } = this.#options;
    if (now() < peg.expireMs) return;
    book.put({ ...transfer, state: 'refunding', updateMs: now() });
  }

  async pay(transfer: Transfer, peg: GivenAddress, chain: RelayChain): Promise<void> {
    const { book, canReceive, now } = this.#options;
    const { relayer, token } = chain;
    const key = payoutKey(transfer);
    const record = relayer.find(key);
    const { mined } = record ?? {};
    if (mined?.isConfirmed === true) {
      const next = { ...transfer, trouble: undefined, updateMs: now() };
      const { succeeded, txHash: dstTxHash } = mined;
      if (succeeded) return book.put({ ...next, state: 'completed', dstTxHash });
      return book.put({ ...next, attempt: transfer.attempt + 1 });
    }
    if (record !== undefined) return this.#trouble(transfer, chainTrouble(record));
    if (!canReceive(peg.dstAddr)) return this.#refuse(transfer);
    if (!(await this.#isHeld(transfer, peg))) return undefined;
    const amount = sumOf(transfer) - BigInt(peg.feeMicro);
    const balance = await tokenBalance(chain, relayer.address);
    if (balance < amount) {
      return this.#trouble(transfer, floatTrouble(chain.terms.name, amount, balance));
    }
    try {
      await relayer.submit({ key, to: token, data: transferData(peg.dstAddr, amount) });
    } catch (error) {
      if (!(error instanceof ChainRevertError)) throw error;
      // Nothing was signed, and the token takes it for nobody there: an address on its black list.
      const trouble = { what: 'token', detail: chainFault(error) } as const;
      return book.put({ ...transfer, state: 'refunding', trouble, updateMs: now() });
    }
    return this.#trouble(transfer, undefined);
  }

  /** Never more than the peg holds; where it holds less, that is told. */
  async #isHeld(transfer: Transfer, peg: GivenAddress): Promise<boolean> {
    const holding = await pegHolding(transfer, peg, this.#options);
    if (holding.is === 'short') this.#trouble(transfer, holding.trouble);
    return holding.is === 'whole';
  }

  /** Back to who sent it; what came by the bridge has nobody to go to but the receiver. */
  #refuse(transfer: Transfer): void {
    const { book, canReceive, now } = this.#options;
    if (!canReceive(transfer.user)) return this.#trouble(transfer, NO_RECEIVER);
    return book.put({ ...transfer, state: 'refunding', trouble: NO_RECEIVER, updateMs: now() });
  }

  async refund(transfer: Transfer, peg: GivenAddress): Promise<void> {
    const { accountOf, book, now } = this.#options;
    const account = accountOf(peg);
    if (transfer.send === undefined) {
      if (!(await this.#isHeld(transfer, peg))) return undefined;
      const kinds = { from: transfer.cameTo, to: transfer.cameFrom };
      const amountMicro = sumOf(transfer);
      const send = await account.sign({ destination: transfer.user, amountMicro, ...kinds });
      return book.put({ ...transfer, send });
    }
    const result = await account.deliver(transfer.send);
    if (result.is === 'executed') {
      const dstTxHash = transfer.send.txHash;
      const end = { state: 'refunded', dstTxHash, trouble: undefined, updateMs: now() } as const;
      return book.put({ ...transfer, ...end });
    }
    const trouble: Trouble = { what: 'venue', detail: result.why };
    if (result.is === 'void') {
      return book.put({ ...transfer, send: undefined, trouble, updateMs: now() });
    }
    return this.#trouble(transfer, trouble);
  }

  /** Of what was paid out, the peg's money to the relay's own account. */
  async sweep(transfer: Transfer, peg: GivenAddress): Promise<void> {
    const { accountOf, book, ownAddress } = this.#options;
    const account = accountOf(peg);
    if (transfer.sweep === undefined) {
      const sweep = await account.sign({
        destination: ownAddress,
        amountMicro: sumOf(transfer),
        from: transfer.cameTo,
        to: 'perp',
      });
      return book.put({ ...transfer, sweep });
    }
    const result = await account.deliver(transfer.sweep);
    if (result.is === 'executed') return book.put({ ...transfer, isSwept: true });
    if (result.is === 'void') return book.put({ ...transfer, sweep: undefined });
    return this.#trouble(transfer, { what: 'venue', detail: result.why });
  }

  #trouble(transfer: Transfer, trouble: Trouble | undefined): void {
    noteTrouble(this.#options, transfer, trouble);
  }
}

/** Names the payment of a transfer among all that the relay sends. */
export function payoutKey({ attempt, id }: Transfer): string {
  return `payout:${id}:${attempt}`;
}

/** Whether a peg holds what the book says that it does. */
type Holding =
  | { readonly is: 'whole' }
  /** Something was signed that may have left already; once that is known, it is whole again. */
  | { readonly is: 'moving' }
  | { readonly is: 'short'; readonly trouble: Trouble };

/**
 * Asked before anything is paid or given back for a peg: it has to hold all that came to it and did not leave, in the
 * sub-account that it came to. Where it holds less, the book counts money that is not there, and whoever is paid first
 * takes what belongs to others or to the relay. So nothing leaves for that peg until somebody has looked.
 */
async function pegHolding(
  transfer: Transfer,
  peg: GivenAddress,
  { api, book }: { readonly api: Pick<VenueApi, 'freeMoney'>; readonly book: RelayBook },
): Promise<Holding> {
  const { cameTo } = transfer;
  const held = await api.freeMoney(peg.address, cameTo);
  const there = book.transfersOf(peg.id).filter((each) => each.cameTo === cameTo && !isOver(each));
  const claimed = total(there);
  if (held >= claimed) return { is: 'whole' };
  const underWay = there.filter(({ send, sweep }) => send !== undefined || sweep !== undefined);
  if (held >= claimed - total(underWay)) return { is: 'moving' };
  const [has, needs] = [formatMoney(held), formatMoney(claimed)];
  const detail =
    `${peg.id} (${peg.address}) holds only ${has} of the ${needs} USDC that it received; ` +
    'nothing is paid out until the operator has checked it';
  return { is: 'short', trouble: { what: 'peg', detail } };
}

function total(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, each) => sum + sumOf(each), 0n);
}
