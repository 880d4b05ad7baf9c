/** `0x`, the first four and the last four digits: enough to tell traders apart, not to name them. */
export function masked(address: string): string {
  return `${address.slice(0, 6)}****${address.slice(-4)}`;
}
