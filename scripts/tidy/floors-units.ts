/** Of `packages/units/src`: exact numbers below what carries a unit. */
export const UNITS_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'door', paths: ['index.ts'], what: 'what other packages see' },
  { name: 'money', paths: ['format-money.ts'], what: 'amounts as text' },
  { name: 'quantities', paths: ['quantity.ts'], what: 'integers that carry a unit' },
  { name: 'division', paths: ['division.ts'], what: 'division with the direction in its name' },
  {
    name: 'ground',
    paths: ['assert.ts', 'decimal.ts', 'exact.ts'],
    what: 'what must hold; decimal text; exact decimals',
  },
];
