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
    [2n * threshold <= count, 'warning: half of the validators or fewer can authorize payouts'],
    [threshold === 1n, 'warning: a single validator can authorize payouts'],
    [
      threshold === count && count > 1n,
      'warning: the loss of one key stops all payouts permanently',
    ],
    [validators.includes(guardian), 'warning: the guardian is also a validator'],
  ] as const;
  return warnings.flatMap(([isSo, text]) => (isSo ? [text] : []));
}
