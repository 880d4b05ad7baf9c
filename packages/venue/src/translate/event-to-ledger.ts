import type { Deleveraged, EngineEvent, LiquidationStep, State } from '@oddlot/engine';
import type { LedgerDelta, LedgerUpdate } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../replica/replica.ts';
import { causeHash } from './event-to-stream.ts';
import { formatMoney, formatPrice, formatSize } from './format.ts';
import { findPerp } from './info/handler.ts';

/** A row and the sub-account that it belongs to. */
export type LedgerEntry = {
  readonly accountType: 'perp' | 'outcome';
  readonly row: LedgerUpdate;
};

/** The row that an event leaves in somebody's ledger; undefined when it leaves none. */
export function ledgerEntry(
  state: State,
  block: AppliedBlock,
  event: EngineEvent,
): { readonly user: Address; readonly entry: LedgerEntry } | undefined {
  const found = deltaOf(state, event);
  if (found === undefined) return undefined;
  const { account, accountType, delta } = found;
  const hash = causeHash(block, event.commandIndex);
  return { user: account, entry: { accountType, row: { time: block.timeMs, hash, delta } } };
}

function deltaOf(
  state: State,
  event: EngineEvent,
): { account: Address; accountType: LedgerEntry['accountType']; delta: LedgerDelta } | undefined {
  switch (event.type) {
    case 'liquidationStep':
      return { account: event.account, accountType: 'perp', delta: liquidation(state, event) };
    case 'deleveraged':
      return { account: event.account, accountType: 'perp', delta: deleverage(state, event) };
    case 'faucetCredited': {
      const delta = { type: 'faucet', amount: formatMoney(event.amount), token: 'USDC' } as const;
      return { account: event.account, accountType: event.subAccount, delta };
    }
    default:
      return undefined;
  }
}

/** The positions are as they were before the step; the mark is that of the first one. */
function liquidation(state: State, event: LiquidationStep): LedgerDelta {
  const first = event.positions[0]?.instrumentId;
  const perp = first === undefined ? undefined : findPerp(state, first);
  return {
    type: 'liquidation',
    liquidatedNtlPos: formatMoney(event.notional),
    accountValue: formatMoney(event.equity),
    leverageType: event.marginMode === 'isolated' ? 'Isolated' : 'Cross',
    liquidatedPositions: event.positions.map(({ instrumentId, size }) => {
      const { coin, scale } = shown(state, instrumentId);
      return { coin, szi: formatSize(scale, size) };
    }),
    step: event.step,
    markPx: perp === undefined ? '' : formatPrice(perp, event.mark),
    maintenanceMargin: formatMoney(event.maintenance),
  };
}

function deleverage(state: State, event: Deleveraged): LedgerDelta {
  const { coin, scale } = shown(state, event.instrumentId);
  return {
    type: 'adl',
    instrumentId: event.instrumentId,
    coin,
    sz: formatSize(scale, event.size),
    px: formatPrice(scale, event.price),
    closedPnl: formatMoney(event.realised),
  };
}

function shown(state: State, instrumentId: number) {
  const perp = findPerp(state, instrumentId);
  return { coin: perp?.name ?? String(instrumentId), scale: perp ?? { szDecimals: 0 } };
}
