/** JSON of what holds amounts, which are no numbers of JSON. */
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
