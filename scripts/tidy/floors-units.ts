/** Of `packages/units/src`: exact numbers below what carries a unit. */
export const UNITS_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'entry point', paths: ['index.ts'], what: 'entry point' },
  { name: 'money', paths: ['format-money.ts'], what: 'amounts as text' },
  { name: 'quantities', paths: ['quantity.ts'], what: 'integers with a unit' },
  { name: 'division', paths: ['division.ts'], what: 'division with named rounding' },
  {
    name: 'ground',
    paths: ['assert.ts', 'decimal.ts', 'exact.ts'],
    what: 'assertions; decimal text; exact decimals',
  },
];
