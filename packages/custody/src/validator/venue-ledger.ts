import { setTimeout as sleep } from 'node:timers/promises';
import { MONEY_DECIMALS, parseExact } from '@oddlot/units';
import { z } from 'zod';
import { ShownRequest } from './recover-request.ts';
import { SigningRefusal } from './signing-refusal.ts';
import { boundedJson } from '@oddlot/host/bounded-json';

/**
 * A withdrawal as the venues report it. `usd` is the amount to pay after the fee, in micro-USDC.
 */
export type OwedWithdrawal = {
  readonly destination: string;
  readonly usd: bigint;
  /** The requested amount, including the fee. */
  readonly amount: bigint;
  /** The time of the block that contains the request. */
  readonly timeMs: number;
  readonly isReturned: boolean;
};

type VenueLedgerOptions = {
  /** API URLs chosen by the validator's operator. All of them must report the same data. */
  readonly venues: readonly string[];
  readonly timeoutMs?: number;
  /** Waits before the next query for a record that does not exist yet. */
  readonly pause?: () => Promise<unknown>;
};

/**
 * Queries are retried, because a venue's history lags slightly behind its ledger, and an exhausted
 * rate limit recovers.
 */
const TRIES = 4;
const PAUSE_MS = 250;
/**
 * The number of rows per page, and the maximum number of pages to search for one point in time in
 * one account's history.
 */
const ROWS_MAX = 2_000;
const PAGES_MAX = 100;

const Row = z.object({
  id: z.int(),
  time: z.number(),
  destination: z.string(),
  amount: z.string(),
  fee: z.string(),
  status: z.enum(['held', 'signed', 'sent', 'confirmed', 'returned']),
});
type Row = z.infer<typeof Row>;
const Rows = envelope(z.array(Row));
const Ledger = envelope(z.array(z.object({ hash: z.string(), delta: z.looseObject({}) }))).extend({
  nextCursor: z.string().nullish(),
});
const Shown = z.union([envelope(ShownRequest), z.object({ success: z.literal(false) })]);
const Changes = envelope(z.array(z.string()));
/** If a venue does not report `withdrawalsWait`, the insurance fund's account value is used. */
const Status = envelope(
  z.object({ insuranceFund: z.string(), withdrawalsWait: z.boolean().optional() }),
);

function envelope<Data extends z.ZodType>(data: Data) {
  return z.object({ success: z.literal(true), data });
}

/** Reads withdrawals from the public APIs of venues. */
export class VenueLedger {
  readonly #venues: readonly string[];
  readonly #timeoutMs: number | undefined;
  readonly #pause: () => Promise<unknown>;

  constructor({ pause, timeoutMs, venues }: VenueLedgerOptions) {
    this.#venues = venues;
    this.#timeoutMs = timeoutMs;
    this.#pause = pause ?? (() => sleep(PAUSE_MS));
  }

  /**
   * Returns a withdrawal that no venue shows as paid and that all venues report identically.
   * Otherwise throws a SigningRefusal.
   */
  async unpaidWithdrawal(user: string, withdrawalId: number): Promise<OwedWithdrawal> {
    const query = { type: 'withdrawals', user, before: withdrawalId + 1, limit: 1 };
    const withdrawal = await this.#ofAll(`withdrawal ${withdrawalId}`, async (venue) => {
      const row = await this.#until(venue, query, Rows, ({ data }) =>
        data.find(({ id }) => id === withdrawalId),
      );
      if (row === undefined) {
        throw new SigningRefusal(404, `${venue} has no withdrawal ${withdrawalId} of ${user}`);
      }
      if (row.status === 'confirmed') {
        throw new SigningRefusal(409, `withdrawal ${withdrawalId} is confirmed at ${venue}`);
      }
      return owedOf(row, venue);
    });
    return withdrawal;
  }

  /**
   * Returns the hashes of requests that may have caused the withdrawal. Querying the first venue is
   * sufficient, because each request is verified.
   */
  async requestsOf(user: string, owed: OwedWithdrawal): Promise<readonly string[]> {
    const span = { startTime: owed.timeMs, endTime: owed.timeMs, limit: ROWS_MAX };
    const types = { accountTypes: ['perp'] };
    const query = { type: 'userNonFundingLedgerUpdates', user, ...types, ...span };
    const isIts = (delta: Readonly<Record<string, unknown>>): boolean =>
      delta['type'] === 'withdraw' &&
      String(delta['destination']).toLowerCase() === owed.destination &&
      parseExact(String(delta['amount']), MONEY_DECIMALS) === owed.amount;
    const found: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const from: VenueQuery = cursor === null ? query : { ...query, cursor };
      const page = await this.#until(this.#first, from, Ledger, ({ data, nextCursor }) => {
        const hashes = data.filter(({ delta }) => isIts(delta)).map(({ hash }) => hash);
        const next = nextCursor ?? null;
        const isEmpty = next === null && found.length + hashes.length === 0;
        return isEmpty ? undefined : { hashes, next };
      });
      found.push(...(page?.hashes ?? []));
      cursor = page?.next ?? null;
      if (cursor === null) break;
    }
    return found;
  }

  /** Returns a request as it was sent, or undefined if the venue has no request with this hash. */
  async request(txHash: string): Promise<ShownRequest | undefined> {
    return await this.#until(this.#first, { type: 'tx', txHash }, Shown, (answer) =>
      answer.success ? answer.data : undefined,
    );
  }

  /** Returns the hashes of the requests that changed an account's signers, oldest first. */
  signerChanges(user: string): Promise<readonly string[]> {
    const query = { type: 'multiSigChanges', user };
    return this.#ofAll(`who signs for ${user}`, async (venue) => {
      const changes = await this.#until(venue, query, Changes, ({ data }) => data);
      if (changes === undefined) throw new SigningRefusal(503, `${venue} reports no time`);
      return changes;
    });
  }

  /** Throws while the insurance fund is deep below zero at one of the venues (R-deficit). */
  async assertPayable(): Promise<void> {
    const answers = await Promise.all(
      this.#venues.map((venue) =>
        this.#until(venue, { type: 'venueStatus' }, Status, ({ data }) => data),
      ),
    );
    const waits = answers.some(
      (status) =>
        status === undefined || (status.withdrawalsWait ?? status.insuranceFund.startsWith('-')),
    );
    if (!waits) return;
    throw new SigningRefusal(503, 'withdrawals are on hold: the insurance fund is far below zero');
  }

  get #first(): string {
    const [first] = this.#venues;
    if (first === undefined) throw new SigningRefusal(503, 'no venue is configured');
    return first;
  }

  /** Returns the response common to all venues. Throws if their responses differ. */
  async #ofAll<Answer>(what: string, ask: (venue: string) => Promise<Answer>): Promise<Answer> {
    const answers = await Promise.all(this.#venues.map(ask));
    const [first] = answers;
    if (first === undefined) throw new SigningRefusal(503, 'no venue is configured');
    const other = answers.findIndex((each) => wordsOf(each) !== wordsOf(first));
    if (other < 0) return first;
    const names = `${this.#venues[0]} and ${this.#venues[other]}`;
    throw new SigningRefusal(503, `${names} disagree about ${what}`);
  }

  /** Retries a query a few times until the record is found. */
  async #until<Answer, Found>(
    venue: string,
    query: VenueQuery,
    schema: z.ZodType<Answer>,
    find: (answer: Answer) => Found | undefined,
  ): Promise<Found | undefined> {
    const timeoutMs = this.#timeoutMs;
    for (let tries = 1; ; tries++) {
      const answer = await askVenue(venue, query, { schema, timeoutMs });
      const isLast = tries === TRIES;
      if (answer === undefined && isLast) {
        throw new SigningRefusal(503, `querying ${venue} failed: HTTP 429`);
      }
      const found = answer === undefined ? undefined : find(answer);
      if (found !== undefined || isLast) return found;
      await this.#pause();
    }
  }
}

function wordsOf(answers: unknown): string {
  return JSON.stringify(answers, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

function owedOf({ amount, destination, fee, status, time }: Row, venue: string): OwedWithdrawal {
  const [all, charged] = [amount, fee].map((text) => parseExact(text, MONEY_DECIMALS));
  if (all === undefined || charged === undefined) {
    throw new SigningRefusal(503, `${venue} reports an invalid amount`);
  }
  const isReturned = status === 'returned';
  const terms = { destination: destination.toLowerCase(), usd: all - charged, amount: all };
  return { ...terms, timeMs: time, isReturned };
}

const TIMEOUT_MS = 5_000;
const TOO_MANY = 429;
/** The size limit for a response. The longest responses are pages of an account's history. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

type VenueQuery = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * Returns the response, parsed with the schema of the whole envelope, or undefined while the rate
 * limit is exhausted. Other failures cause a SigningRefusal.
 */
async function askVenue<Answer>(
  venue: string,
  query: VenueQuery,
  { schema, timeoutMs = TIMEOUT_MS }: AskOptions<Answer>,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(new URL('/info', venue), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(query),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === TOO_MANY) return undefined;
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return schema.parse(await boundedJson(response, ANSWER_BYTES_MAX));
  } catch (error) {
    throw new SigningRefusal(503, `querying ${venue} failed: ${faultOf(error)}`);
  }
}

type AskOptions<Answer> = {
  readonly schema: z.ZodType<Answer>;
  readonly timeoutMs?: number | undefined;
};

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof z.ZodError) return 'its response cannot be read';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
