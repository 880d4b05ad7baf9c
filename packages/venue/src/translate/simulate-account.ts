import {
  accountView,
  outcomeAccountView,
  type EngineEvent,
  type PositionView,
  type SharesView,
  type State,
} from '@oddlot/engine';
import type { SimulatedAction, SimulatedPosition } from '@oddlot/protocol';
import { type Address, formatMoney, present } from '@oddlot/units';
import { instrumentLookup, type InstrumentLookup } from './actions/instrument-lookup.ts';
import { formatAveragePrice, formatPrice, formatSize } from './format.ts';
import { marginRatio } from './info/position-record.ts';
import { entriesOf } from './outcome/entries.ts';
import type { Done } from './simulated-orders.ts';

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
      crossMarginRatio: marginRatio({ equity: account.crossEquity, risk }),
      withdrawable: formatMoney(withdrawable),
    },
    outcome: outcomeMoney(state, address),
  };
}

/**
 * The account's positions in the instruments that the action names or that something happened in,
 * as they would be. One that would close is shown with a size of 0.
 */
export function positionsAfter(done: Done): SimulatedPosition[] {
  const instruments = instrumentLookup(() => done.after);
  const touched = touchedInstruments(done);
  const account = accountView(done.after, done.address, UNRANKED);
  const isTouched = ({ instrumentId }: PositionView): boolean => touched.has(instrumentId);
  const after = account?.positions.filter(isTouched) ?? [];
  const before = accountView(done.before, done.address, UNRANKED)?.positions.filter(isTouched);
  const isHedged = account?.isHedged === true;
  const isSame = (a: PositionView, b: PositionView): boolean =>
    a.instrumentId === b.instrumentId && (!isHedged || a.size > 0 === b.size > 0);
  const closed = (before ?? []).filter((was) => !after.some((is) => isSame(was, is)));
  return [
    ...after.map((each) => positionRow(each, instruments)),
    ...closed.map(closedRow),
    ...sharesAfter(done, touched, instruments),
  ].sort((a, b) => a.instrumentId - b.instrumentId);
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
  const isTrade = event.type === 'tradeExecuted' || event.type === 'outcomeTraded';
  if (isTrade) return event.taker.account === address ? [event.instrumentId] : [];
  return event.type === 'sharesOperated' ? [event.instrumentId] : [];
}

function positionRow(position: PositionView, instruments: InstrumentLookup): SimulatedPosition {
  const { cost, instrumentId, leverage, liquidationPrice, marginUsed, size } = position;
  const perp = present(instruments(instrumentId), 'the perp of a position');
  return {
    instrumentId,
    szi: formatSize(perp, size),
    entryPx: formatAveragePrice(perp, cost, size),
    leverage,
    marginUsed: formatMoney(marginUsed),
    liquidationPx: liquidationPrice === undefined ? '' : formatPrice(perp, liquidationPrice),
  };
}

function closedRow({
  instrumentId,
  leverage,
}: Pick<PositionView, 'instrumentId' | 'leverage'>): SimulatedPosition {
  return { instrumentId, szi: '0', entryPx: '0', leverage, marginUsed: '0', liquidationPx: '' };
}

function outcomeMoney(state: State, address: Address): SimulatedAction['outcome'] {
  const { free, reserved } = present(outcomeAccountView(state, address), 'an account');
  return { available: formatMoney(free), reserved: formatMoney(reserved) };
}

/** Shares in the markets that the action touches; of a leg that would be sold out, size 0. */
function sharesAfter(
  { address, after, before }: Done,
  touched: ReadonlySet<number>,
  instruments: InstrumentLookup,
): SimulatedPosition[] {
  const sharesIn = (state: State): readonly SharesView[] =>
    (outcomeAccountView(state, address)?.positions ?? []).filter(({ instrumentId }) =>
      touched.has(instrumentId),
    );
  const now = sharesIn(after);
  const sold = sharesIn(before).filter(
    (was) => !now.some((is) => is.instrumentId === was.instrumentId && is.leg === was.leg),
  );
  const rows = now.map((each) => sharesRow(each, instruments));
  return [...rows, ...sold.map(({ instrumentId }) => closedRow({ instrumentId, leverage: 1 }))];
}

/** The sign tells the leg: NO counts negative. */
function sharesRow(shares: SharesView, instruments: InstrumentLookup): SimulatedPosition {
  const { cost, instrumentId, leg, size } = shares;
  const scale = present(instruments(instrumentId), 'the market of shares');
  return {
    instrumentId,
    szi: formatSize(scale, leg === 'yes' ? size : -size),
    entryPx: formatAveragePrice(scale, cost, size),
    leverage: 1,
    marginUsed: formatMoney(cost),
    liquidationPx: '',
  };
}
