import type { HistOrder } from '@oddlot/protocol';

/** How an account trades an instrument, which a row tells as it was at the time. */
export type OrderSettings = Pick<HistOrder, 'positionMode' | 'marginMode' | 'leverage'>;

const HEDGE = 2;
const ISOLATED = 1;

/** Settings as one number, which takes less memory: each live order has its own. */
export function settingsCode({ leverage, marginMode, positionMode }: OrderSettings): number {
  const modes = (positionMode === 'Hedge' ? HEDGE : 0) + (marginMode === 'Isolated' ? ISOLATED : 0);
  return 4 * leverage + modes;
}

export function settingsOfCode(code: number): OrderSettings {
  return {
    positionMode: (code & HEDGE) === 0 ? 'OneWay' : 'Hedge',
    marginMode: (code & ISOLATED) === 0 ? 'Cross' : 'Isolated',
    leverage: Math.floor(code / 4),
  };
}
