import { parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import { KnownRows, type PegRow } from './known-rows.ts';
import type { RelayBook } from '../book/relay-book.ts';
import type { GivenAddress, SubAccount } from '../book/records.ts';
import type { LedgerPage, VenueApi } from '../venue-api.ts';

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
