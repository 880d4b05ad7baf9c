import { boundedJson } from '@oddlot/host/bounded-json';
import { z } from 'zod';
import { SigningRefusal } from './signing-refusal.ts';

/** Questions to a venue, through the API that everybody has. */

const TIMEOUT_MS = 5_000;
const TOO_MANY = 429;
/** Pages of what an account did are the longest. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

export type VenueQuery = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The answer, by the schema of the whole envelope; undefined while a budget is used up. Else a SigningRefusal. */
export async function askVenue<Answer>(
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
  if (error instanceof z.ZodError) return 'its response is not readable';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
