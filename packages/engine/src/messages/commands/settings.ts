import type { InstrumentId } from '@oddlot/units';
import type { Authority } from './authority.ts';
import type { MarginMode } from './orders.ts';

/** How an account trades. */

export type UpdateLeverageCommand = {
  readonly type: 'updateLeverage';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Signed only in hedge mode with isolated margin, where the sign picks the side. */
  readonly leverage: number;
  readonly marginMode?: MarginMode;
};

export type UpdateMarginModeCommand = {
  readonly type: 'updateMarginMode';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly marginMode: MarginMode;
};

export type UpdateIsolatedMarginCommand = {
  readonly type: 'updateIsolatedMargin';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Picks the long or the short leg in hedge mode. */
  readonly isBuy: boolean;
  /** Positive adds, negative removes. */
  readonly amountMicroUsdc: number;
};

export type UpdatePositionModeCommand = {
  readonly type: 'updatePositionMode';
  readonly authority: Authority;
  readonly mode: 'oneWay' | 'hedge';
};
