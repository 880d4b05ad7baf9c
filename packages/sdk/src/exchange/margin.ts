import {
  type ActionInputOf,
  updateIsolatedMarginShape,
  updateLeverageShape,
  updateMarginModeShape,
  updatePositionModeShape,
} from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { type ActionOptions, type ExchangeContext, sendAction } from './send-action.ts';

/** The parameters of `updateLeverage`. */
export type UpdateLeverageParameters = {
  /** The instrument id. */
  readonly asset: number;
  /**
   * The leverage as an integer. With isolated margin in hedge mode, a negative value sets the
   * leverage of the short side.
   */
  readonly leverage: number;
  /**
   * The margin mode whose leverage is set, without switching the mode; by default the current mode.
   */
  readonly marginMode?: 'cross' | 'isolated' | undefined;
};

/**
 * Sets the leverage of one instrument. It is rejected while the instrument has open orders or
 * triggers.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updateLeverage<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, leverage, marginMode }: UpdateLeverageParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'updateLeverage';
  const action: ActionInputOf<typeof type> = { type, asset, leverage, marginMode };
  return sendAction(context, updateLeverageShape, () => action, options);
}

/** The parameters of `updateMarginMode`. */
export type UpdateMarginModeParameters = { readonly asset: number; readonly isCross: boolean };

/**
 * Switches one instrument between cross and isolated margin. It is rejected while there is a
 * position or an order on the instrument.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updateMarginMode<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, isCross }: UpdateMarginModeParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'updateMarginMode'> = { type: 'updateMarginMode', asset, isCross };
  return sendAction(context, updateMarginModeShape, () => action, options);
}

/** The parameters of `updateIsolatedMargin`. */
export type UpdateIsolatedMarginParameters = {
  readonly asset: number;
  /** The side of the position in hedge mode, true for long; ignored in one-way mode. */
  readonly isBuy: boolean;
  /** The amount in integer micro-USDC. A positive amount is added, a negative one removed. */
  readonly ntli: number;
};

/**
 * Moves margin between the balance and an isolated position.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updateIsolatedMargin<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, isBuy, ntli }: UpdateIsolatedMarginParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'updateIsolatedMargin';
  const action: ActionInputOf<typeof type> = { type, asset, isBuy, ntli };
  return sendAction(context, updateIsolatedMarginShape, () => action, options);
}

/** The parameters of `updatePositionMode`. */
export type UpdatePositionModeParameters = { readonly positionMode: 'oneWay' | 'hedge' };

/**
 * Switches the whole account between one net position per instrument and separate long and short
 * positions. It is rejected while the account has any perp position or order.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updatePositionMode<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { positionMode }: UpdatePositionModeParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'updatePositionMode';
  const action: ActionInputOf<typeof type> = { type, positionMode };
  return sendAction(context, updatePositionModeShape, () => action, options);
}
