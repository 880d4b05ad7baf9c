/**
 * Properties that a judge can report as violated. A shrunk history must violate the same property.
 */
export type Property =
  | 'conservation'
  | 'newcomer deleveraged'
  | 'deleveraged at a worse price'
  | 'deleveraged out of turn'
  | 'taken from a bystander'
  | 'fund too large'
  | 'fund pays too much'
  | 'fund pays a deficit'
  | 'fund takes what others hold'
  | 'fund sells too low'
  | 'out of a blind scope'
  | 'traded while blind'
  | 'out ahead of a gap'
  | 'gained by a bankruptcy'
  | "owner's sum"
  | 'funding beyond its bound'
  | 'fund pays funding'
  | 'cancelled with margin'
  | 'refused by a phantom'
  | 'mark of a phantom';

export class Finding extends Error {
  readonly property: Property;

  constructor(property: Property, message: string) {
    super(`${property}: ${message}`);
    this.property = property;
  }
}

export function demand(isRight: boolean, property: Property, message: () => string): void {
  if (!isRight) throw new Finding(property, message());
}

/** Formats micro-USDC as USDC. */
export function usdc(amount: bigint): string {
  const sign = amount < 0n ? '-' : '';
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0');
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
