import { setTimeout as sleep } from 'node:timers/promises';
import { MONEY_DECIMALS, parseExact } from '@oddlot/units';
import { z } from 'zod';
import { SigningRefusal } from './signing-refusal.ts';

/** A withdrawal as the venues tell it; `usd` is what is to be paid, the fee off, in millionths. */
export type OwedWithdrawal = {
  readonly destination: string;
  readonly usd: bigint;
  /** It is back in the account. */
  readonly isReturned: boolean;
};

export type VenueLedgerOptions = {
  /** Of the API. Whoever runs the validator chooses them; all must tell the same. */
  readonly venues: readonly string[];
  readonly timeoutMs?: number;
  /** What happens between two questions about a withdrawal that is not there yet. */
  readonly pause?: () => Promise<unknown>;
};

const TIMEOUT_MS = 5_000;
/** A venue's history is a moment behind its ledger, and a budget of requests fills up again. */
const TRIES = 4;
const TOO_MANY = 429;
const PAUSE_MS = 250;

const Row = z.object({
  id: z.int(),
  destination: z.string(),
  amount: z.string(),
  fee: z.string(),
  status: z.enum(['held', 'signed', 'sent', 'confirmed', 'returned']),
});
const Answer = z.object({ success: z.literal(true), data: z.array(Row) });
type Row = z.infer<typeof Row>;

/** What venues say about withdrawals, asked through the API that everybody has. */
export class VenueLedger {
  readonly #venues: readonly string[];
  readonly #timeoutMs: number;
  readonly #pause: () => Promise<unknown>;

  constructor({ pause, timeoutMs, venues }: VenueLedgerOptions) {
    this.#venues = venues;
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS;
    this.#pause = pause ?? (() => sleep(PAUSE_MS));
  }

  /** A withdrawal that no venue shows as paid, and all in the same words; else a SigningRefusal. */
  async unpaidWithdrawal(user: string, withdrawalId: number): Promise<OwedWithdrawal> {
    const told = await Promise.all(
      this.#venues.map(async (venue) => {
        const row = await this.#find(venue, user, withdrawalId);
        if (row === undefined) {
          throw new SigningRefusal(404, `${venue} knows no withdrawal ${withdrawalId} of ${user}`);
        }
        if (row.status === 'confirmed') {
          throw new SigningRefusal(409, `withdrawal ${withdrawalId} is confirmed at ${venue}`);
        }
        return { venue, ...owedOf(row, venue) };
      }),
    );
    const first = told[0];
    if (first === undefined) throw new SigningRefusal(503, 'there is no venue to ask');
    const other = told.find(
      ({ destination, isReturned, usd }) =>
        destination !== first.destination || usd !== first.usd || isReturned !== first.isReturned,
    );
    if (other === undefined) return first;
    const names = `${first.venue} and ${other.venue}`;
    throw new SigningRefusal(503, `${names} disagree about withdrawal ${withdrawalId}`);
  }

  async #find(venue: string, user: string, withdrawalId: number): Promise<Row | undefined> {
    for (let tries = 1; ; tries++) {
      const isLast = tries === TRIES;
      const row = await this.#ask(venue, { user, withdrawalId, isLast });
      if (row !== undefined || isLast) return row;
      await this.#pause();
    }
  }

  async #ask(
    venue: string,
    asked: { readonly user: string; readonly withdrawalId: number; readonly isLast: boolean },
  ): Promise<Row | undefined> {
    const { isLast, user, withdrawalId } = asked;
    const query = { type: 'withdrawals', user, before: withdrawalId + 1, limit: 1 };
    let rows: readonly Row[];
    try {
      const response = await fetch(new URL('/info', venue), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(query),
        redirect: 'error',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      if (response.status === TOO_MANY && !isLast) return undefined;
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      rows = Answer.parse(await response.json()).data;
    } catch (error) {
      throw new SigningRefusal(503, `${venue} cannot be asked: ${faultOf(error)}`);
    }
    return rows.find(({ id }) => id === withdrawalId);
  }
}

function owedOf({ amount, destination, fee, status }: Row, venue: string): OwedWithdrawal {
  const [all, kept] = [amount, fee].map((text) => parseExact(text, MONEY_DECIMALS));
  if (all === undefined || kept === undefined) {
    throw new SigningRefusal(503, `${venue} tells amounts that cannot be read`);
  }
  const isReturned = status === 'returned';
  return { destination: destination.toLowerCase(), usd: all - kept, isReturned };
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof z.ZodError) return 'its answer cannot be read';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
