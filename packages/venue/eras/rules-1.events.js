// The events of release 0.1.0 in the shapes of 0.2.0, from which rows are made: see README.md.
import { accountAt } from './rules-1.engine.js';

/**
 * What the first release did not say is found in the same block: who meant to reduce in its orders, what a
 * split started from in the state behind it. Positions that the insurance fund took over, or that were
 * deleveraged, told no cost; they are in the ledger, and have no fill.
 */
export function laterEvents(state, events) {
  const reduceOnly = new Map();
  for (const { order, type } of events) {
    if (type === 'orderUpdated') reduceOnly.set(order.orderId, order.reduceOnly);
  }
  const starts = startSizes(state, events);
  return events.flatMap((event, at) => {
    switch (event.type) {
      case 'tradeExecuted': {
        const side = (of) => ({ ...of, reduceOnly: reduceOnly.get(of.orderId) ?? of.orderId === 0 });
        const { maker, taker } = event;
        const sides = { taker: side(taker), maker: side(maker) };
        return [{ ...event, ...sides, isLiquidation: false }];
      }
      case 'sharesOperated':
        return [{ ...event, startSizes: starts.get(at) }];
      case 'positionSettled':
        return [event, settled(event)];
      // What is said of markets that were paid comes with the start of the next era.
      case 'marketSettled':
        return [];
      default:
        return [event];
    }
  });
}

function settled({ cost, size, ...event }) {
  const closed = { closedSize: Math.abs(size), closedCost: cost };
  return { ...event, ...closed, type: 'positionTraded', size: -size, startPosition: size };
}

/** From the last event to the first: what comes behind one says how it ended. */
function startSizes(state, events) {
  const known = new Map();
  const starts = new Map();
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at];
    const keyOf = (account, leg) => `${account} ${event.instrumentId} ${leg}`;
    if (event.type === 'outcomeTraded') {
      for (const { account, leg, startSize } of [event.maker, event.taker]) {
        known.set(keyOf(account, leg), startSize);
      }
    } else if (event.type === 'sharesSettled') {
      known.set(keyOf(event.account, event.leg), event.size);
    } else if (event.type === 'sharesOperated') {
      const { account, instrumentId, kind, size } = event;
      const held = accountAt(state, account)?.outcomes.get(instrumentId);
      const sizes = ['yes', 'no'].map((leg) => {
        const after = known.get(keyOf(account, leg)) ?? held?.[leg].size ?? 0;
        const start = after + (kind === 'split' ? -size : size);
        known.set(keyOf(account, leg), start);
        return start;
      });
      starts.set(at, sizes);
    }
  }
  return starts;
}
