import { accountView, type EngineEvent, type PositionView, type State } from '@oddlot/engine';
import type { SimulatedAction, SimulatedPosition } from '@oddlot/protocol';
import { present, type Address } from '@oddlot/units';
import type { PerpLookup } from './actions/perp-lookup.ts';
import { formatAveragePrice, formatMoney, formatPrice, formatSize } from './format.ts';
import { marginRatio } from './info/position-record.ts';
import { entriesOf } from './outcome/entries.ts';
import type { Done } from './simulate-orders.ts';

/** Nobody is told the ADL rank of a position that is not there, and to rank it costs a look at all. */
const UNRANKED = (): number => 0;

/** The money of an account in a state that may be a fork; null for one that does not exist. */
export function accountAfter(
  state: State,
  address: Address,
): Pick<SimulatedAction, 'margin' | 'outcome'> {
  const account = accountView(state, address, UNRANKED);
  if (account === undefined) return { margin: null, outcome: null };
  const { cross, initialMargin, liquidationFee, maintenanceMargin, withdrawable } = account;
  const risk = maintenanceMargin + liquidationFee;
  return {
    margin: {
      accountValue: formatMoney(cross.accountValue),
      initialMargin: formatMoney(initialMargin),
      maintenanceMargin: formatMoney(maintenanceMargin),
      crossMarginRatio: marginRatio({ equity: cross.accountValue, risk }),
      withdrawable: formatMoney(withdrawable),
    },
    // Nothing reserves outcome money yet.
    outcome: { available: formatMoney(account.outcomeBalance), reserved: '0' },
  };
}

/**
 * The account's positions in the instruments that the action names or that something happened in,
 * as they would be. One that would close is shown with a size of 0.
 */
export function positionsAfter(done: Done, perps: PerpLookup): SimulatedPosition[] {
  const touched = touchedInstruments(done);
  const account = accountView(done.after, done.address, UNRANKED);
  const isTouched = ({ instrumentId }: PositionView): boolean => touched.has(instrumentId);
  const after = account?.positions.filter(isTouched) ?? [];
  const before = accountView(done.before, done.address, UNRANKED)?.positions.filter(isTouched);
  const isHedged = account?.isHedged === true;
  const isSame = (a: PositionView, b: PositionView): boolean =>
    a.instrumentId === b.instrumentId && (!isHedged || a.size > 0 === b.size > 0);
  const closed = (before ?? []).filter((was) => !after.some((is) => isSame(was, is)));
  return [...after.map((each) => positionRow(each, perps)), ...closed.map(closedRow)].sort(
    (a, b) => a.instrumentId - b.instrumentId,
  );
}

function touchedInstruments({ address, command, events }: Done): ReadonlySet<number> {
  const touched = new Set(events.flatMap((event) => instrumentOf(event, address)));
  for (const { instrumentId } of entriesOf(command)?.entries ?? []) touched.add(instrumentId);
  if ('instrumentId' in command && command.instrumentId !== undefined) {
    touched.add(command.instrumentId);
  }
  return touched;
}

/** The instrument of an event that is about the account. */
function instrumentOf(event: EngineEvent, address: Address): number[] {
  if (event.type === 'orderUpdated') {
    return event.order.account === address ? [event.order.instrumentId] : [];
  }
  return event.type === 'tradeExecuted' && event.taker.account === address
    ? [event.instrumentId]
    : [];
}

function positionRow(position: PositionView, perps: PerpLookup): SimulatedPosition {
  const { cost, instrumentId, leverage, liquidationPrice, marginUsed, size } = position;
  const perp = present(perps(instrumentId), 'the perp of a position');
  return {
    instrumentId,
    szi: formatSize(perp, size),
    entryPx: formatAveragePrice(perp, cost, size),
    leverage,
    marginUsed: formatMoney(marginUsed),
    liquidationPx: liquidationPrice === undefined ? '' : formatPrice(perp, liquidationPrice),
  };
}

function closedRow({ instrumentId, leverage }: PositionView): SimulatedPosition {
  return { instrumentId, szi: '0', entryPx: '0', leverage, marginUsed: '0', liquidationPx: '' };
}
