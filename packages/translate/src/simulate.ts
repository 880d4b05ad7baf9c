import {
  accountView,
  agentOwner,
  type CommandResult,
  type EngineEvent,
  type EntryResult,
  feeTierView,
  fillRate,
  findOrder,
  isSigned,
  marketView,
  outcomeAccountView,
  type PositionView,
  type SharesView,
  type SignedCommand,
  simulateCommand,
  type State,
  type TradeSide,
} from '@oddlot/engine';
import {
  ACTIONS,
  checkBinding,
  checkVaultAllowed,
  type InfoQueryOf,
  type Network,
  type OrderResult,
  parseAction,
  refusal,
  type SimulatedAction,
  type SimulatedOrder,
  type SimulatedPosition,
  type Warning,
  type WireError,
} from '@oddlot/protocol';
import { type Address, assert, formatMoney, hash, present } from '@oddlot/units';
import {
  actionToCommand,
  type PlainAction,
  refuseUnsupported,
  refuseWithoutChain,
} from './action-to-command.ts';
import { type InstrumentLookup, instrumentLookup } from './instruments.ts';

import { agentWarning } from './info/access.ts';
import {
  answer,
  findPerp,
  type InfoContext,
  type InfoHandler,
  type StateQueries,
} from './info/info-context.ts';
import { endedBy } from './outcome/ended-order.ts';
import { errorBody, outcomeToWire } from './outcome-to-wire.ts';
import { actionTexts } from './reject-to-wire.ts';
import { formatAveragePrice, formatPrice, formatRate, formatSize } from './format.ts';
import { marginRatio } from './info/clearinghouse.ts';
import { entriesOf } from './outcome/entries.ts';

type Query = InfoQueryOf<'simulate'>;

/** The direct actions that can be simulated in addition to all agent actions. */
const DIRECT_KINDS: readonly string[] = ['tokenSend', 'withdraw3'];

const NO_HASH = hash(`0x${'0'.repeat(64)}`);
const HTTP_BAD_REQUEST = 400;

const simulate: InfoHandler<'simulate', SimulatedAction> = (context, query) => {
  const understood = understand(context.network, query);
  if ('action' in understood) return answer(simulated(context, query, understood.action));
  return isQueryFault(understood)
    ? { ok: false, error: understood }
    : answer(refused(context, query, understood));
};

/**
 * Parses the action like /exchange, or returns the error that /exchange would return without
 * looking at the state.
 */
function understand(
  network: Network,
  { action: sent, vaultAddress }: Query,
): { readonly action: PlainAction } | WireError {
  const { type } = sent;
  if (typeof type === 'string' && !isKind(type)) return notAllowed(type);
  const parsed = parseAction(isDirect(type) ? bound(sent, network) : sent);
  if (!parsed.ok) return parsed.error;
  const { action } = parsed;
  if (action.type === 'multiSig') return notAllowed(action.type);
  const envelope = { nonce: nonceOf(action), vaultAddress };
  const fault =
    checkBinding(action, envelope, network) ??
    checkVaultAllowed(action, envelope) ??
    refuseUnsupported(action);
  return fault ?? { action };
}

function isKind(type: string): boolean {
  if (isDirect(type)) return true;
  return Object.hasOwn(ACTIONS, type) && ACTIONS[type as keyof typeof ACTIONS].signedBy === 'agent';
}

function isDirect(type: unknown): boolean {
  return typeof type === 'string' && DIRECT_KINDS.includes(type);
}

function notAllowed(type: string): WireError {
  return refusal('notAllowed', [], { field: 'action.type', got: type });
}

/**
 * Adds default network and nonce fields, which a direct action may omit here because it is not
 * signed.
 */
function bound(action: object, network: Network): object {
  const { apiVersion, chainId, serviceNetwork } = network;
  return { serviceNetwork, chainId, apiVersion, nonce: 0, ...action };
}

function nonceOf(action: PlainAction): number {
  return 'nonce' in action ? action.nonce : 0;
}

/**
 * Returns true if the query is invalid or its action cannot be simulated. All other errors are part
 * of the response.
 */
function isQueryFault({ httpStatus, name }: WireError): boolean {
  return httpStatus === HTTP_BAD_REQUEST || name === 'NOT_ALLOWED';
}

function simulated(context: InfoContext, query: Query, action: PlainAction): SimulatedAction {
  const { state } = context;
  const user = actorOf(context, query);
  const instruments = instrumentLookup(() => state);
  const command = commandOf(action, user, query, instruments);
  const { after, events, isAdmitted, isCut, outcome } = simulateCommand(state, user, command);
  const texts = actionTexts(action);
  const ended = endedBy(events, context.ended);
  const unpayable = isAdmitted ? refuseWithoutChain(command, context.settings.hasChain) : undefined;
  if (unpayable !== undefined) return refused(context, query, unpayable);
  const wire = outcomeToWire(command, outcome, { instruments, texts, events, ended });
  const address = outcome.account ?? user;
  const done = { command, outcome, events, address, before: state, after };
  return {
    height: state.height,
    time: state.timeMs,
    // As on /exchange, an action that is rejected at execution has already been accepted.
    accepted: isAdmitted,
    error: wire.error,
    orders: isAdmitted ? simulatedOrders(wire.result.orders ?? [], done) : [],
    ...accountAfter(after, address),
    positions: isAdmitted ? positionsAfter(done) : [],
    warnings: [...warningsFor(context, query), ...wire.warnings, ...cutWarnings(isCut)],
  };
}

/** Returns the response for an action that is rejected before it reaches the engine. */
function refused(context: InfoContext, query: Query, error: WireError): SimulatedAction {
  const { state } = context;
  return {
    height: state.height,
    time: state.timeMs,
    accepted: false,
    error: errorBody(error),
    orders: [],
    ...accountAfter(state, actorOf(context, query)),
    positions: [],
    warnings: warningsFor(context, query),
  };
}

/** Replaces an agent's address with its owner's. */
function actorOf({ state }: InfoContext, { user }: Query): Address {
  return agentOwner(state, user)?.owner ?? user;
}

function commandOf(
  action: PlainAction,
  signer: Address,
  { vaultAddress }: Query,
  instruments: InstrumentLookup,
): SignedCommand {
  const authority = { signer, nonce: nonceOf(action), txHash: NO_HASH };
  const vault = typeof vaultAddress === 'string' ? { vault: vaultAddress } : {};
  const command = actionToCommand(action, { ...authority, ...vault }, instruments);
  assert(isSigned(command), 'what agents and accounts sign is their command');
  return command;
}

function cutWarnings(isCut: true | undefined): Warning[] {
  if (isCut === undefined) return [];
  const message = 'It would match more resting orders than a simulation checks';
  return [{ code: 'SIMULATION_CUT', message }];
}

function warningsFor(context: InfoContext, query: Query): Warning[] {
  const warning = agentWarning(context, query);
  return warning === undefined ? [] : [warning];
}

/** The result of a command executed on a fork of the state. */
type Done = {
  readonly command: SignedCommand;
  readonly outcome: CommandResult;
  readonly events: readonly EngineEvent[];
  readonly address: Address;
  readonly before: State;
  readonly after: State;
};

/** Returns the entries of an action, each with the size that would rest and its fees. */
function simulatedOrders(results: readonly OrderResult[], done: Done): SimulatedOrder[] {
  const instruments = instrumentLookup(() => done.after);
  const { delays, sides: sidesBy } = gathered(done);
  return results.map((result, index) => {
    const order = orderAt(done.command, index);
    const entry = done.outcome.entries?.[index];
    const scale = order === undefined ? undefined : instruments(order.instrumentId);
    if (order === undefined || entry === undefined || scale === undefined) {
      return { ...result, restingSz: '0', ...NO_FEES };
    }
    const resting =
      done.outcome.reject === undefined ? restingSize(order, entry) : untouchedSize(done, entry);
    const sides = entry.orderId === undefined ? [] : (sidesBy.get(entry.orderId) ?? []);
    // The filled size pays the taker fee now; the resting size will pay the maker fee.
    const role = sides.length > 0 ? 'taker' : resting > 0 ? 'maker' : undefined;
    const restingSz = formatSize(scale, resting);
    const feeRate = role === undefined ? '0' : formatRate(rateOf(done, order.instrumentId, role));
    return { ...result, restingSz, ...feesOf(sides), feeRate, delayMs: delays.get(index) ?? 0 };
  });
}

/**
 * Returns the fee rate of an order's fills. On outcome markets, makers pay no fee (R-outcome-fee).
 */
function rateOf({ address, after }: Done, instrumentId: number, role: 'taker' | 'maker'): number {
  const perp = findPerp(after, instrumentId);
  if (perp !== undefined) return fillRate(feeTierView(after, address).tier, perp, role);
  return role === 'maker' ? 0 : (marketView(after, instrumentId)?.definition.takerFeeE8 ?? 0);
}

const NO_FEES = { fee: '0', feeRate: '0', builderFee: '0', delayMs: 0 };

/** An entry's order. A cancel has none, because it cannot trade. */
type AskedOrder = {
  readonly instrumentId: number;
  readonly size: number;
  readonly waits: boolean;
};

function orderAt(command: SignedCommand, index: number): AskedOrder | undefined {
  if (command.type === 'modifyOrder') {
    const { instrumentId, size } = command;
    return { instrumentId, size, waits: false };
  }
  const order = command.type === 'placeOrders' ? command.orders[index] : undefined;
  if (order === undefined) return undefined;
  const { instrumentId, size, trigger } = order;
  return { instrumentId, size, waits: trigger !== undefined };
}

/** Returns the resting lots of an order for which an amend was rejected. */
function untouchedSize({ after }: Done, { orderId, state }: EntryResult): number {
  const order = orderId === undefined || state !== 'open' ? undefined : findOrder(after, orderId);
  return order === undefined || order.trigger !== undefined ? 0 : order.remaining;
}

/** Returns the lots that rest immediately after the order's execution; a trigger order has none. */
function restingSize({ size, waits }: AskedOrder, { clipped, filled, state }: EntryResult): number {
  if (state !== 'open' || waits) return 0;
  const cut = clipped === undefined ? 0 : clipped.from - clipped.to;
  return size - cut - filled;
}

type Gathered = {
  /**
   * The order's own side of each fill. It is always the taker side, because the counterparties were
   * already resting.
   */
  readonly sides: ReadonlyMap<number, readonly PaidSide[]>;
  /**
   * The delay of an outcome order in the delay queue, in milliseconds, by its index in the action.
   */
  readonly delays: ReadonlyMap<number, number>;
};

/**
 * Collects the relevant events of all entries in one pass, because there can be thousands of both.
 */
function gathered({ after, events }: Done): Gathered {
  const sides = new Map<number, PaidSide[]>();
  const delays = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'tradeExecuted' || event.type === 'outcomeTraded') {
      const { taker } = event;
      const known = sides.get(taker.orderId);
      if (known === undefined) sides.set(taker.orderId, [taker]);
      else known.push(taker);
    } else if (event.type === 'outcomeOrderQueued' && !delays.has(event.index)) {
      delays.set(event.index, event.dueMs - after.timeMs);
    }
  }
  return { sides, delays };
}

type PaidSide = Pick<TradeSide, 'fee' | 'builderFee'>;

function feesOf(sides: readonly PaidSide[]): Pick<typeof NO_FEES, 'fee' | 'builderFee'> {
  let fee = 0n;
  let builderFee = 0n;
  for (const side of sides) {
    fee += side.fee;
    builderFee += side.builderFee?.amount ?? 0n;
  }
  return { fee: formatMoney(fee), builderFee: formatMoney(builderFee) };
}

/**
 * The response does not show the ADL rank, and computing it would require a scan of all accounts.
 */
const UNRANKED = (): number => 0;

/**
 * Returns the balances of an account in a state that may be a fork. Each is null if the account
 * does not exist.
 */
function accountAfter(state: State, address: Address): Pick<SimulatedAction, 'margin' | 'outcome'> {
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
 * Returns the account's resulting positions in all instruments that the action names or affects. A
 * position that would be closed has size 0.
 */
function positionsAfter(done: Done): SimulatedPosition[] {
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

/**
 * Returns the shares in the markets that the action affects. A position that would be sold has size
 * 0.
 */
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

/** Converts shares to a position whose sign indicates the outcome: NO is negative. */
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

export const SIMULATION_QUERIES = {
  simulate: { answer: simulate },
} as const satisfies StateQueries;
