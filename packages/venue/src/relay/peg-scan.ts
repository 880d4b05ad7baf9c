import { parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import type { RelayBook } from './relay-book.ts';
import type { GivenAddress, SubAccount } from './records.ts';
import type { VenueApi } from './venue-api.ts';

export type PegScanOptions = {
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

  constructor(options: PegScanOptions) {
    this.#options = options;
  }

  /** Somebody asks about them: they are looked at next. */
  hurry(address: Hex): void {
    for (const peg of this.#options.book.addresses('peg')) {
      if (peg.dstAddr === address || peg.address === address) this.#lookedMs.delete(peg.id);
    }
  }

  async step(): Promise<void> {
    const { book, now } = this.#options;
    const pegs = book.addresses('peg');
    const nowMs = now();
    const latestMs = LATEST_MS + LATEST_MS_PER_PEG * pegs.length;
    // How much later than it should be; one that is new is looked at before all others.
    const latenessOf = (peg: GivenAddress): number => {
      const byAge = Math.floor((nowMs - peg.createMs) / AGE_SHARE);
      const everyMs = Math.max(this.#options.everyMs, Math.min(byAge, latestMs));
      return (nowMs - (this.#lookedMs.get(peg.id) ?? -Infinity)) / everyMs;
    };
    const due = pegs
      .map((peg) => ({ peg, lateness: latenessOf(peg) }))
      .filter(({ lateness }) => lateness >= 1)
      .sort((a, b) => (a.lateness === b.lateness ? newer(a.peg, b.peg) : b.lateness - a.lateness));
    const atOnce = Math.max(1, Math.floor((PER_SECOND * this.#options.everyMs) / 1_000));
    for (const { peg } of due.slice(0, atOnce)) {
      await this.#look(peg);
      this.#lookedMs.set(peg.id, nowMs);
    }
  }

  /** Reads back until there is a page without anything new: what came is not known by its time alone. */
  async #look(peg: GivenAddress): Promise<void> {
    const { api, book, now } = this.#options;
    const known = new Set(
      book.transfersOf(peg.id).flatMap(({ arrivals }) => arrivals.map(({ txHash }) => txHash)),
    );
    const comings: NonNullable<ReturnType<typeof comingOf>>[] = [];
    for (let offset = 0; ; offset += ROWS) {
      const rows = await api.ledger(peg.address, { offset, limit: ROWS });
      const page = rows.flatMap((row) => comingOf(row, peg) ?? []);
      comings.push(...page);
      const isKnown = page.length > 0 && page.every(({ txHash }) => known.has(txHash));
      if (rows.length < ROWS || isKnown) break;
    }
    // A transaction of the chain may deposit more than once: they are told apart by their order.
    const counts = new Map<Hex, number>();
    for (const coming of comings.toReversed()) {
      const count = counts.get(coming.txHash) ?? 0;
      counts.set(coming.txHash, count + 1);
      const key = count === 0 ? coming.txHash : `${coming.txHash}:${count}`;
      book.arrive(peg, { ...coming, key }, now());
    }
  }
}

function newer(a: GivenAddress, b: GivenAddress): number {
  return b.createMs - a.createMs;
}

type Row = Awaited<ReturnType<VenueApi['ledger']>>[number];

/** A transfer by somebody, or a deposit for the peg: that one is whose the other end is. */
function comingOf({ delta, hash }: Row, peg: GivenAddress) {
  if (delta.type !== 'receive' && delta.type !== 'deposit') return undefined;
  const amount = parseExact(delta.amount, MONEY_DECIMALS);
  if (amount === undefined || amount <= 0n) return undefined;
  const money = { txHash: hash as Hex, amountMicro: String(amount) };
  if (delta.type === 'deposit') {
    return { ...money, user: peg.dstAddr, cameTo: 'perp', cameFrom: 'perp' } as const;
  }
  const whose = { user: delta.user as Hex, cameFrom: delta.fromAccountType as SubAccount };
  return { ...money, ...whose, cameTo: delta.toAccountType as SubAccount };
}
