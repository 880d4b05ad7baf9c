/** JSON of a value that contains amounts, which are bigint and have no JSON number. */
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
