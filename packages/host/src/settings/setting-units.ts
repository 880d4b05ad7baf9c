/** What whole numbers of settings count, and how much of it is what people write instead. */
export const UNITS = {
  count: { many: undefined, placeholder: 'N', others: {} },
  ms: {
    many: 'milliseconds',
    placeholder: 'MS',
    others: { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 },
  },
  bytes: {
    many: 'bytes',
    placeholder: 'BYTES',
    others: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
  },
  days: { many: 'days', placeholder: 'DAYS', others: { d: 1, w: 7 } },
  usdc: { many: 'USDC', placeholder: 'USDC', others: { usd: 1, usdc: 1 } },
  gwei: { many: 'gwei', placeholder: 'GWEI', others: { gwei: 1 } },
  bps: { many: 'basis points', placeholder: 'BPS', others: { bps: 1, '%': 100 } },
} satisfies Record<
  string,
  {
    readonly many: string | undefined;
    readonly placeholder: string;
    readonly others: Readonly<Record<string, number>>;
  }
>;

/** `1h` in milliseconds is 3600000; undefined where it is no quantity of that. */
export function wholeIn(unit: keyof typeof UNITS, told: string): string | undefined {
  const others: Readonly<Record<string, number>> = UNITS[unit].others;
  const [, digits = '', other = ''] = /^([0-9][0-9_,]{0,15}) ?([a-zA-Z%]*)$/.exec(told) ?? [];
  const factor = other === '' ? 1 : others[other.toLowerCase()];
  if (digits === '' || factor === undefined) return undefined;
  return String(Number(digits.replaceAll(/[_,]/g, '')) * factor);
}
