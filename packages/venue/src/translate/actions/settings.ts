import type {
  Authority,
  ReversePositionCommand,
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  UpdateMarginModeCommand,
  UpdatePositionModeCommand,
} from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import type { InstrumentId } from '@oddlot/units';

/** How an account trades: its modes, leverage and margin. */

export function updatePositionMode(
  { positionMode: mode }: ActionOf<'updatePositionMode'>,
  authority: Authority,
): UpdatePositionModeCommand {
  return { type: 'updatePositionMode', authority, mode };
}

export function updateLeverage(
  { asset, leverage, marginMode }: ActionOf<'updateLeverage'>,
  authority: Authority,
): UpdateLeverageCommand {
  return {
    type: 'updateLeverage',
    authority,
    instrumentId: asset as InstrumentId,
    leverage,
    ...(marginMode === undefined ? {} : { marginMode }),
  };
}

export function updateMarginMode(
  { asset, isCross }: ActionOf<'updateMarginMode'>,
  authority: Authority,
): UpdateMarginModeCommand {
  return {
    type: 'updateMarginMode',
    authority,
    instrumentId: asset as InstrumentId,
    marginMode: isCross ? 'cross' : 'isolated',
  };
}

export function updateIsolatedMargin(
  { asset, isBuy, ntli }: ActionOf<'updateIsolatedMargin'>,
  authority: Authority,
): UpdateIsolatedMarginCommand {
  return {
    type: 'updateIsolatedMargin',
    authority,
    instrumentId: asset as InstrumentId,
    isBuy,
    amountMicroUsdc: ntli,
  };
}

export function reversePosition(
  { asset, isBuy }: ActionOf<'reversePosition'>,
  authority: Authority,
): ReversePositionCommand {
  return {
    type: 'reversePosition',
    authority,
    instrumentId: asset as InstrumentId,
    ...(isBuy === undefined ? {} : { isBuy }),
  };
}
