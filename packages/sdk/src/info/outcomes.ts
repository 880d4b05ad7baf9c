import {
  type OutcomeEventMeta,
  type OutcomeEventPage,
  type OutcomeResolution,
  receiptHash,
} from '@oddlot/protocol';
import {
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
  queryInfo,
} from './query-info.ts';
import { divHalfUp, formatDecimal, parseExact } from '@oddlot/units';

/** What `outcomeMeta` takes; `outcomeEvent` asks for one event by its slug. */
export type OutcomeMetaParameters = Omit<
  InfoParameters<'outcomeMeta'>,
  'eventSlug' | 'after_cursor'
>;

/** A page of events with their markets. The cursor of a page asks for the one after it. */
export function outcomeMeta(
  context: InfoContext,
  parameters: OutcomeMetaParameters = {},
  options?: InfoOptions,
): Promise<OutcomeEventPage> {
  const request = { type: 'outcomeMeta', ...parameters } as const;
  // Without a slug it is a page.
  return queryInfo(context, request, options) as Promise<OutcomeEventPage>;
}

/** What `outcomeEvent` takes. */
export type OutcomeEventParameters = { readonly eventSlug: string };

/**
 * One event with its markets, whatever its status.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export function outcomeEvent(
  context: InfoContext,
  { eventSlug }: OutcomeEventParameters,
  options?: InfoOptions,
): Promise<OutcomeEventMeta> {
  const request = { type: 'outcomeMeta', eventSlug } as const;
  return queryInfo(context, request, options) as Promise<OutcomeEventMeta>;
}

/** What `outcomeEvents` takes; `limit` is the size of a page. */
export type OutcomeEventsParameters = Omit<OutcomeMetaParameters, 'cursor'>;

/**
 * All events that match, one after the other; the next page is asked for when it is needed. Sort by
 * what stands still, such as `newest`: where the key of an event moves between two pages, it may be
 * given twice or left out.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* outcomeEvents(
  context: InfoContext,
  parameters: OutcomeEventsParameters = {},
  options?: InfoOptions,
): AsyncGenerator<OutcomeEventMeta, void> {
  let cursor: string | null | undefined;
  do {
    const page = await outcomeMeta(context, { ...parameters, cursor }, options);
    yield* page.events;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** What a receipt says, and what follows from what it is made of. */
export type ResolutionFinding = {
  readonly what: string;
  readonly claimed: string;
  readonly computed: string;
  readonly agrees: boolean;
};

/** Reference prices count 10^-8. */
const PRICE_DECIMALS = 8;
/** The share of a window's seconds that must have a sample, percent. */
const COVERAGE_PERCENT = 90;
const SECOND_MS = 1_000;

/**
 * Computes a settlement again from its receipt: the averages, the result, the winner and the hash.
 * Everything that was compared is listed; the receipt is right when nothing differs. Of an operator's
 * resolution there are no inputs, so only winner and hash can be checked.
 */
export function checkResolution(receipt: OutcomeResolution): ResolutionFinding[] {
  if (receipt.resolutionStatus !== 'resolved') return [];
  const findings: ResolutionFinding[] = [];
  const compare = (what: string, claimed: string | null, computed: string | null): void => {
    const agrees = claimed === computed;
    findings.push({ what, claimed: claimed ?? 'none', computed: computed ?? 'none', agrees });
  };
  const { inputs } = receipt;
  if (inputs !== null) {
    const strike = sumOf(inputs.strikeSamples, inputs.windowMs);
    const settle = sumOf(inputs.settleSamples, inputs.windowMs);
    compare('strike', inputs.strike, average(strike));
    compare('settle', inputs.settle, average(settle));
    compare('settlementFraction', receipt.settlementFraction, resultOf(strike, settle));
  }
  compare('winningOutcome', receipt.winningOutcome, winnerOf(receipt.settlementFraction));
  compare('receiptHash', receipt.receiptHash, receiptHash(receipt));
  return findings;
}

type Sum = { readonly sumE8: bigint; readonly count: bigint };

/** Undefined for samples that no window can have: too few, out of order, or not of whole seconds. */
function sumOf(
  samples: readonly { readonly t: number; readonly px: string }[],
  windowMs: number,
): Sum | undefined {
  let sumE8 = 0n;
  for (const [index, { px, t }] of samples.entries()) {
    const price = parseExact(px, PRICE_DECIMALS);
    const isInOrder = index === 0 || t > (samples[index - 1]?.t ?? t);
    if (price === undefined || !isInOrder || t % SECOND_MS !== 0) return undefined;
    sumE8 += price;
  }
  const seconds = windowMs / SECOND_MS;
  const span = (samples.at(-1)?.t ?? 0) - (samples[0]?.t ?? 0);
  const isCovered = samples.length * 100 >= seconds * COVERAGE_PERCENT;
  return isCovered && span < windowMs ? { sumE8, count: BigInt(samples.length) } : undefined;
}

/** R-series: Up iff the settle average is at or above the strike, unrounded. */
function resultOf(strike: Sum | undefined, settle: Sum | undefined): string | null {
  if (strike === undefined || settle === undefined) return null;
  return settle.sumE8 * strike.count >= strike.sumE8 * settle.count ? '1' : '0';
}

/** Rounded half up, as it is shown. */
function average(sum: Sum | undefined): string | null {
  return sum === undefined ? null : formatDecimal(divHalfUp(sum.sumE8, sum.count), PRICE_DECIMALS);
}

/** Above a half YES, below it NO, at it nobody. */
function winnerOf(fraction: string | null): string | null {
  const units = fraction === null ? undefined : parseExact(fraction, PRICE_DECIMALS);
  if (units === undefined) return null;
  const half = 5n * 10n ** BigInt(PRICE_DECIMALS - 1);
  if (units === half) return null;
  return units > half ? 'Yes' : 'No';
}
