/**
 * Encodes a value as JSON, in which bigint amounts become objects because JSON has no type for
 * them.
 */
export function encodeAmounts(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? { $amount: String(each) } : each,
  );
}

export function decodeAmounts(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) => {
    const isAmount = typeof each === 'object' && each !== null && '$amount' in each;
    return isAmount ? BigInt(String(each.$amount)) : each;
  });
}
