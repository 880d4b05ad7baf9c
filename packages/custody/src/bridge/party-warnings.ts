import type { Hex } from 'viem';

/** What is possible and unwise about those who decide over a bridge. */
export function partyWarnings(parties: {
  readonly validators: readonly Hex[];
  readonly threshold: bigint;
  readonly guardian: Hex;
}): readonly string[] {
  const { guardian, threshold, validators } = parties;
  const count = BigInt(validators.length);
  const warnings = [
    [2n * threshold <= count, 'warning: no more than half of the validators can pay'],
    [threshold === 1n, 'warning: a single validator can pay'],
    [threshold === count && count > 1n, 'warning: one lost key stops all payouts for ever'],
    [validators.includes(guardian), 'warning: the guardian is one of the validators'],
  ] as const;
  return warnings.flatMap(([isSo, text]) => (isSo ? [text] : []));
}
