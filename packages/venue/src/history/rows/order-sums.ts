import type { HistOrder } from '@oddlot/protocol';
import type { Address, Hash } from '@oddlot/units';
import type { TradedSide } from './traded-sides.ts';

/** What the fills of a live order sum to, beyond what the engine's snapshot of it says. */
export type OrderSums = {
  fee: bigint;
  realised: bigint;
  closedSize: number;
  /** Signed, as positions' costs are. */
  closedCost: bigint;
  earned: EarnedSums | undefined;
  /** The children that came with it, as they were last, by id; `addChild` adds one. */
  children: ReadonlyMap<number, HistOrder>;
};

/** What its builder earned by it: the fills that were charged (R-builder). */
type EarnedSums = {
  readonly builder: Address;
  feeTenthsBp: number;
  fee: bigint;
  notional: bigint;
  lots: number;
  role: TradedSide['role'];
  tradeId: number;
  hash: Hash;
};

export function emptySums(): OrderSums {
  return {
    fee: 0n,
    realised: 0n,
    closedSize: 0,
    closedCost: 0n,
    earned: undefined,
    children: NO_CHILDREN,
  };
}

/** Shared: a map of its own for each order that fills would cost more than the rest of its sums. */
const NO_CHILDREN: ReadonlyMap<number, HistOrder> = new Map();

export function addChild(sums: OrderSums, orderId: number, child: HistOrder): void {
  sums.children = new Map(sums.children).set(orderId, child);
}

export function addFill(sums: OrderSums, side: TradedSide): void {
  sums.fee += side.fee;
  if (side.closed !== undefined) {
    sums.realised += side.closed.realised;
    sums.closedSize += side.closed.size;
    sums.closedCost += side.closed.cost;
  }
  if (side.builderFee !== undefined) sums.earned = addEarning(sums.earned, side, side.builderFee);
}

function addEarning(
  before: EarnedSums | undefined,
  { hash, price, role, size, tradeId }: TradedSide,
  { amount, builder, feeTenthsBp }: NonNullable<TradedSide['builderFee']>,
): EarnedSums {
  return {
    builder,
    feeTenthsBp,
    fee: (before?.fee ?? 0n) + amount,
    notional: (before?.notional ?? 0n) + BigInt(price) * BigInt(size),
    lots: (before?.lots ?? 0) + size,
    role,
    tradeId,
    hash,
  };
}

/** Plain data; amounts are decimal texts, since JSON knows no large integers. */
export type SumsDump = readonly [
  orderId: number,
  fee: string,
  realised: string,
  closedSize: number,
  closedCost: string,
  earned: (Omit<EarnedSums, 'fee' | 'notional'> & Record<'fee' | 'notional', string>) | null,
  children: readonly (readonly [orderId: number, order: HistOrder])[],
];

export function dumpSums(orderId: number, sums: OrderSums): SumsDump {
  const { children, closedCost, closedSize, earned, fee, realised } = sums;
  const amounts = [String(fee), String(realised), closedSize, String(closedCost)] as const;
  const dumped =
    earned === undefined
      ? null
      : { ...earned, fee: String(earned.fee), notional: String(earned.notional) };
  return [orderId, ...amounts, dumped, [...children]];
}

export function restoreSums([, fee, realised, size, cost, earned, children]: SumsDump): OrderSums {
  return {
    fee: BigInt(fee),
    realised: BigInt(realised),
    closedSize: size,
    closedCost: BigInt(cost),
    earned:
      earned === null
        ? undefined
        : { ...earned, fee: BigInt(earned.fee), notional: BigInt(earned.notional) },
    children: new Map(children),
  };
}
