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
  /** The minimum interval between two scans of one peg. */
  readonly everyMs: number;
};

const MONEY_DECIMALS = 6;
const ROWS = 200;
/** A peg is scanned again after 1/n of its age, because most pegs are used soon or never. */
const AGE_SHARE = 20;
/** The maximum interval. It grows with the number of pegs to limit the load on the venue. */
const LATEST_MS = 2_000;
const LATEST_MS_PER_PEG = 50;
/**
 * The number of scans per second for all pegs together. It is limited because the venue counts
 * scans against a client's rate limit.
 */
const PER_SECOND = 10;

/** Finds money sent to pegs in the ledger rows that the venue returns for their accounts. */
export class PegScan {
  readonly #options: PegScanOptions;
  readonly #lookedMs = new Map<string, number>();
  readonly #hurried = new Set<string>();

  constructor(options: PegScanOptions) {
    this.#options = options;
  }

  /**
   * Schedules an early scan of this address's pegs, because a user has queried it. Anyone can
   * query, so queries must not delay other pegs.
   */
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
        // The time is recorded even after an error, so that an unreadable peg is not the first to
        // be scanned again.
        this.#lookedMs.set(peg.id, nowMs);
      }
    }
  }

  /**
   * Returns the pegs to scan in this step. Half of the scans are reserved for pegs that users
   * query; any unused scans also go to those.
   */
  #next(nowMs: number): readonly GivenAddress[] {
    const pegs = this.#options.book.addresses('peg');
    const atOnce = Math.max(1, Math.floor((PER_SECOND * this.#options.everyMs) / 1_000));
    const due = this.#due(pegs, nowMs);
    const hurried = this.#asked(pegs, nowMs);
    const ahead = hurried.slice(0, Math.floor(atOnce / 2));
    const all = new Set([...due.slice(0, atOnce - ahead.length), ...ahead, ...due, ...hurried]);
    return [...all].slice(0, atOnce);
  }

  /** Returns the overdue pegs, longest overdue first; new pegs come before all others. */
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

  /**
   * Returns the queried pegs, least recently scanned first. A user gains no priority over others by
   * querying more often or querying more pegs.
   */
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
   * Returns new rows, newest first. It reads back until a page has no new rows, because time alone
   * does not identify new rows. Pages are linked by cursors, so a row that arrives in between
   * neither appears twice nor hides another.
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

/** Returns the row of a transfer or a deposit to the peg; a deposit is owned by the receiver. */
function comingOf({ delta, hash, time }: Row, peg: GivenAddress): PegRow | undefined {
  if (delta.type !== 'receive' && delta.type !== 'deposit') return undefined;
  const amount = parseExact(delta.amount, MONEY_DECIMALS);
  if (amount === undefined || amount <= 0n) return undefined;
  const money = { txHash: hash as Hex, amountMicro: String(amount) };
  if (delta.type === 'deposit') {
    const owner = { user: peg.dstAddr, cameTo: 'perp', cameFrom: 'perp' } as const;
    return { isDeposit: true, time, coming: { ...money, ...owner } };
  }
  const kinds = {
    cameTo: delta.toAccountType as SubAccount,
    cameFrom: delta.fromAccountType as SubAccount,
  };
  return { isDeposit: false, time, coming: { ...money, user: delta.user as Hex, ...kinds } };
}

/** A row in a peg's ledger that brought in money. */
type PegRow = {
  /** True for a deposit from the settlement chain, false for a transfer inside the venue. */
  readonly isDeposit: boolean;
  readonly time: number;
  readonly coming: Omit<Coming, 'key'>;
};

/**
 * The recorded rows of a peg. A row is identified by its content, and never by its position in a
 * response. A venue transaction credits an account once, so its hash identifies the row. A chain
 * transaction can make several deposits, so its rows are identified by their time and by their
 * number among rows with the same time and transaction. Rows are only ever appended, so that number
 * is stable.
 */
class KnownRows {
  readonly #keys: ReadonlySet<string>;
  /**
   * The number of deposits that a former release recorded, identified only by their transaction.
   */
  readonly #timeless = new Map<Hex, number>();

  constructor(arrivals: readonly Arrival[]) {
    this.#keys = new Set(arrivals.map(({ key }) => key));
    for (const { key, txHash } of arrivals) {
      if (!key.includes(AT)) this.#timeless.set(txHash, (this.#timeless.get(txHash) ?? 0) + 1);
    }
  }

  /**
   * Returns true if the row, or another row with the same time and transaction, has been recorded.
   */
  has(row: PegRow): boolean {
    const { txHash } = row.coming;
    return this.#timeless.has(txHash) || this.#keys.has(depositKey(row, 0));
  }

  /**
   * Returns true if more deposits with the same time and transaction may be listed after the end of
   * the page.
   */
  isCut(rows: readonly PegRow[], endTime: number | undefined): boolean {
    return rows.some(
      ({ coming, isDeposit, time }) =>
        isDeposit && (time === endTime || this.#timeless.has(coming.txHash)),
    );
  }

  /** Returns rows with their keys, oldest first, without deposits recorded by a former release. */
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
  readonly accountOf: (peg: GivenAddress) => VenueAccount;
  /** The address into which the relay collects money from pegs. */
  readonly ownAddress: Hex;
  readonly canReceive: CanReceive;
};

/**
 * Pays out money sent to pegs. The amount minus the fee is paid from the relay's own money on the
 * other chain, after which the peg's money is collected. If a payment is not possible, the money is
 * returned in full to the sub-account it came from.
 */
export class PegWork {
  readonly #options: PegWorkOptions;

  constructor(options: PegWorkOptions) {
    this.#options = options;
  }

  /** Returns an amount to its sender if it is still below the minimum when the peg expires. */
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
      // Nothing was signed, because the token rejects this receiver, which may be blacklisted.
      const trouble = { what: 'token', detail: chainFault(error) } as const;
      return book.put({ ...transfer, state: 'refunding', trouble, updateMs: now() });
    }
    return this.#trouble(transfer, undefined);
  }

  /** Checks that the peg holds the amount, and records a shortfall. */
  async #isHeld(transfer: Transfer, peg: GivenAddress): Promise<boolean> {
    const holding = await pegHolding(transfer, peg, this.#options);
    if (holding.is === 'short') this.#trouble(transfer, holding.trouble);
    return holding.is === 'whole';
  }

  /**
   * Returns money to the sender. A deposit through the bridge has no known sender, so its money can
   * be sent only to the receiver.
   */
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

  /** After the payout, transfers the peg's money to the relay's own account. */
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

/** Returns the key that identifies a transfer's payment among all of the relay's transactions. */
export function payoutKey({ attempt, id }: Transfer): string {
  return `payout:${id}:${attempt}`;
}

type Holding =
  | { readonly is: 'whole' }
  /**
   * A signed transfer may already have been sent. Once its result is known, the comparison yields
   * `whole` again.
   */
  | { readonly is: 'moving' }
  | { readonly is: 'short'; readonly trouble: Trouble };

/**
 * Compares the balance of a peg with the journal before anything is paid out or returned for it.
 * The peg must hold all money that has arrived and not left, in the sub-account where it arrived.
 * If it holds less, the journal is counting money that does not exist, and the first payment would
 * take money belonging to other users or the relay. Therefore nothing leaves that peg until an
 * operator has investigated.
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
    'nothing is paid out until the operator has checked the address';
  return { is: 'short', trouble: { what: 'peg', detail } };
}

function total(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, each) => sum + sumOf(each), 0n);
}
