import { type OutcomeResolution, receiptHash } from '@oddlot/protocol';
import { divHalfUp, formatDecimal, parseExact } from '@oddlot/units';

/** A figure in a resolution record, with its recomputed value. */
export type ResolutionFinding = {
  readonly what: string;
  readonly claimed: string;
  readonly computed: string;
  readonly agrees: boolean;
};

/** The number of decimals of reference prices, which are in units of 10^-8. */
const PRICE_DECIMALS = 8;
/** The minimum percentage of a window's seconds that must have a sample. */
const COVERAGE_PERCENT = 90;
const SECOND_MS = 1_000;

/**
 * Recomputes a resolution from its record: the averages, the result, the winner and the hash. The
 * return value lists every figure compared; the record is correct if all figures agree. A
 * resolution by an operator has no inputs, so only its winner and hash are checked.
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

/**
 * Adds up samples. Returns undefined if they cannot be a window's samples: too few, out of order,
 * or not at whole seconds.
 */
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

/**
 * Returns 1 if the average at the end is at or above the start price, both unrounded, and otherwise
 * 0 (R-series).
 */
function resultOf(strike: Sum | undefined, settle: Sum | undefined): string | null {
  if (strike === undefined || settle === undefined) return null;
  return settle.sumE8 * strike.count >= strike.sumE8 * settle.count ? '1' : '0';
}

/** Formats an average rounded half up, as shown in the record. */
function average(sum: Sum | undefined): string | null {
  return sum === undefined ? null : formatDecimal(divHalfUp(sum.sumE8, sum.count), PRICE_DECIMALS);
}

/** Returns YES for a fraction above one half, NO below it, and null for exactly one half. */
function winnerOf(fraction: string | null): string | null {
  const units = fraction === null ? undefined : parseExact(fraction, PRICE_DECIMALS);
  if (units === undefined) return null;
  const half = 5n * 10n ** BigInt(PRICE_DECIMALS - 1);
  if (units === half) return null;
  return units > half ? 'Yes' : 'No';
}
