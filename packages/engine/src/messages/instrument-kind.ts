import { LIMITS } from './limits.ts';

/** Perps and outcome markets share one range of instrument ids; outcome markets have its upper part. */

export function isOutcomeId(id: number): boolean {
  return id >= LIMITS.perpIdEnd;
}

export type MarketKind = 'perp' | 'outcome';

export function marketKind(instrumentId: number): MarketKind {
  return isOutcomeId(instrumentId) ? 'outcome' : 'perp';
}
