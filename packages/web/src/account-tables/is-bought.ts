/**
 * Whether an order or a trade buys what its row names. An outcome market has one book, in prices of YES: who buys NO sells
 * there (side A), and who sells NO is a bid.
 */
export function isBought({
  outcome,
  side,
}: {
  readonly side: 'A' | 'B';
  /** The leg; perps have none. */
  readonly outcome?: 'Yes' | 'No' | null | undefined;
}): boolean {
  return (side === 'B') === (outcome !== 'No');
}
