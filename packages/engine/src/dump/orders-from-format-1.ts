import { LIMITS } from '../messages/limits.ts';
import type { OutcomesDump } from './dump-outcome.ts';
import type { TriggerDump, WaitingDump } from './dump-waiting.ts';
import type { OrderDump } from './dump-orders.ts';
import type { StateDump } from './dump.ts';

/** A row that lacks its last column. */
type Shorter<Row> = Row extends readonly [...infer First, unknown] ? Readonly<First> : never;

type Held = Pick<StateDump, 'accounts'> & { readonly outcomes: Pick<OutcomesDump, 'queue'> };
type Ordered = Pick<StateDump, 'orders' | 'waiting'> & Held;

/** A dump whose orders and triggers are those of the first release. */
export type OrdersFormat1<Dump extends Ordered> = Omit<Dump, 'orders' | 'waiting'> &
  Held & {
    readonly orders: readonly Shorter<OrderDump>[];
    readonly waiting: Omit<WaitingDump, 'triggers'> & {
      readonly triggers: readonly Shorter<TriggerDump>[];
    };
  };

/**
 * Orders and triggers of the first release under today's rules. A taker fee's rounding was not kept
 * with a resting order and starts at nothing (R-rounding). No trigger had fired and tried on. Children
 * of a parent that has filled a part are live for that part (R-grouping); they slept until its end. What
 * buys of outcome shares left reserved behind them is free again (R-reserve).
 */
export function addOrderFields<Dump extends Ordered>(dump: OrdersFormat1<Dump>): Dump {
  const orders = dump.orders.map((row): OrderDump => [...row, 0]);
  const freed = { ...dump, accounts: freeLeftovers(dump) };
  const waiting = { ...dump.waiting, triggers: wokenTriggers(dump) };
  return { ...freed, orders, waiting } as unknown as Dump;
}

function wokenTriggers<Dump extends Ordered>({
  orders,
  waiting,
}: OrdersFormat1<Dump>): readonly TriggerDump[] {
  const filled = new Map(orders.map((row) => [row[0], row[7] - row[6]]));
  const filledByParent = new Map<number, number>();
  for (const [groupId, , , , , , , , parentId] of waiting.groups) {
    const lots = parentId === null ? 0 : (filled.get(parentId) ?? 0);
    if (lots > 0) filledByParent.set(groupId, lots);
  }
  return waiting.triggers.map((row): TriggerDump => {
    const lots = filledByParent.get(row[11] ?? -1);
    if (lots === undefined || !row[13]) return [...row, null];
    const [id, account, instrument, isBuy, reduceOnly, price, size, condition, mode, client] = row;
    const first = [id, account, instrument, isBuy, reduceOnly, price, size] as const;
    const middle = [condition, mode, client, row[10], row[11], row[12]] as const;
    return [...first, ...middle, false, lots, row[15], row[16], null];
  });
}

/** R-reserve: an account reserves what its resting and queued buys hold, and no more. */
function freeLeftovers<Dump extends Ordered>({
  accounts,
  orders,
  outcomes,
}: OrdersFormat1<Dump>): StateDump['accounts'] {
  const held = accounts.map(() => 0n);
  const hold = (index: number, reserve: string): void => {
    held[index] = (held[index] ?? 0n) + BigInt(reserve);
  };
  for (const row of orders) if (row[2] >= LIMITS.perpIdEnd) hold(row[1], row[15]);
  for (const row of outcomes.queue) hold(row[1], row[7]);
  return accounts.map((account, index) => {
    const left = BigInt(account.outcomeReserved) - (held[index] ?? 0n);
    if (left === 0n) return account;
    return {
      ...account,
      outcomeReserved: String(held[index] ?? 0n),
      outcomeBalance: String(BigInt(account.outcomeBalance) + left),
    };
  });
}
