import type { EngineEvent, LiquidationStep, PerpDefinition, State } from '@oddlot/engine';
import type { Liquidation } from '@oddlot/protocol';
import { formatMoney, notional, present } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { causeHash } from '../../translate/event-to-stream.ts';
import { formatAveragePrice, formatPrice, formatSize } from '../../translate/format.ts';
import { findPerp } from '../../translate/info/handler.ts';
import type { LiquidationRecord } from './block-rows.ts';

/** A step and what it has closed so far. */
type Running = { readonly event: LiquidationStep; lots: number; notional: bigint };

/**
 * What the venue closed of positions in danger, a record a step that closed something (R-liquidation). The trades of a
 * step follow it; a step that only cancelled orders, or found nobody, leaves none.
 */
export function liquidationRecords(state: State, block: AppliedBlock): LiquidationRecord[] {
  const records: LiquidationRecord[] = [];
  let running: Running | undefined;
  const end = (): void => {
    if (running !== undefined && running.lots > 0) records.push(recordOf(state, block, running));
    running = undefined;
  };
  for (const event of block.result.events) {
    if (event.type === 'liquidationStep') {
      end();
      if (event.step !== 'cancel') running = { event, lots: 0, notional: 0n };
    } else if (running !== undefined) {
      add(running, event);
    }
  }
  end();
  return records;
}

/** The other side of a take-over, and the other leg of a netted pair, are not what was in danger. */
function add(running: Running, event: EngineEvent): void {
  const { account, positions } = running.event;
  const [position] = positions;
  if (position === undefined) return;
  if (event.type === 'tradeExecuted' && event.isLiquidation) {
    if (event.taker.account !== account || event.instrumentId !== position.instrumentId) return;
    running.lots += event.size;
    running.notional += notional(event.price, event.size);
  } else if (event.type === 'positionTraded') {
    const isHis = event.account === account && event.instrumentId === position.instrumentId;
    if (!isHis || Math.sign(event.size) === Math.sign(position.size)) return;
    running.lots += Math.abs(event.size);
    running.notional += notional(event.price, Math.abs(event.size));
  }
}

function recordOf(state: State, block: AppliedBlock, running: Running): LiquidationRecord {
  const { account: user, commandIndex, positions } = running.event;
  const { instrumentId, size } = present(positions[0], 'the position of a step');
  const perp: PerpDefinition = present(findPerp(state, instrumentId), 'the perp of a position');
  const { event, lots, notional: value } = running;
  const row: Liquidation = {
    time: block.timeMs,
    hash: causeHash(block, commandIndex),
    user,
    coin: perp.name,
    instrumentId,
    side: size > 0 ? 'A' : 'B',
    sz: formatSize(perp, lots),
    px: formatAveragePrice(perp, value, lots),
    ntl: formatMoney(value),
    step: event.step as Liquidation['step'],
    leverageType: event.marginMode === 'isolated' ? 'Isolated' : 'Cross',
    markPx: formatPrice(perp, event.mark),
    accountValue: formatMoney(event.equity),
    maintenanceMargin: formatMoney(event.maintenance),
  };
  return { instrumentId, row };
}
