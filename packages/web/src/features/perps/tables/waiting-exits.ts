import {
  positionTpsl,
  triggerOrder,
  type ActionReply,
  type AssetPosition,
  type CancelEntry,
  type Client,
  type OpenOrder,
  type TriggerOrder,
} from '@oddlot/sdk';
import { compare, isDecimal } from '../../../lib/decimal.ts';
import { openOrders } from '../../../market/account.ts';
import { failureOf } from '../../../session/sent-once.ts';
import { useSession } from '../../../session/session.ts';
import { isLong } from '../use-account.ts';

/**
 * Returns the trigger orders that would close a position, take-profits first. The venue does not
 * cancel them when the position closes.
 */
export function exitsAmong(
  row: AssetPosition,
  triggers: readonly TriggerOrder[],
): readonly TriggerOrder[] {
  const side = isLong(row) ? 'A' : 'B';
  return triggers
    .filter(
      (trigger) =>
        trigger.asset === row.position.asset && trigger.reduceOnly && trigger.side === side,
    )
    .sort((a, b) =>
      side === 'A' ? compare(b.triggerPx, a.triggerPx) : compare(a.triggerPx, b.triggerPx),
    );
}

export function useWaitingExits(row: AssetPosition): readonly TriggerOrder[] {
  const user = useSession()?.address;
  const triggers = openOrders.use(user, (state) => state.triggers);
  return exitsAmong(row, triggers);
}

/** Runs an action. If it closes the whole position, the remaining TP/SL orders are cancelled. */
export async function withoutLeftovers(
  trader: Client,
  run: () => Promise<ActionReply>,
  leftovers: readonly TriggerOrder[],
): Promise<ActionReply> {
  const reply = await run();
  const hasEnded =
    reply.status === 'executed' &&
    failureOf(reply) === undefined &&
    reply.orders.every(({ state }) => state === 'filled');
  if (!hasEnded || leftovers.length === 0) return reply;
  const cancels = leftovers.map(({ asset, oid }) => ({ a: Number(asset), o: oid }));
  return trader.exchange.cancel({ cancels }, { confirm: 'executed' });
}

type ExitPrices = Readonly<{ takeProfit: string | undefined; stopLoss: string | undefined }>;

type Entry = AssetPosition['tpsl'][number];

/**
 * Replaces the TP/SL orders of a position. The new orders are placed first, so that the position
 * remains protected if they are rejected.
 */
export async function replaceExits(
  trader: Client,
  row: AssetPosition,
  { stopLoss, takeProfit }: ExitPrices,
  replaced: readonly Entry[],
): Promise<ActionReply> {
  const asset = Number(row.position.asset);
  let reply: ActionReply | undefined;
  if (takeProfit !== undefined || stopLoss !== undefined) {
    const quantity = replaced.length === 1 ? replaced[0]!.quantity : '0';
    const order = positionTpsl({
      asset,
      position: isLong(row) ? 'long' : 'short',
      size: quantity,
      ...(takeProfit === undefined ? {} : { takeProfit: { triggerPrice: takeProfit } }),
      ...(stopLoss === undefined ? {} : { stopLoss: { triggerPrice: stopLoss } }),
    });
    reply = await trader.exchange.order(order, { confirm: 'executed' });
    if (failureOf(reply) !== undefined) return reply;
  }
  const cancels = replaced.flatMap(({ slOid, tpOid }) =>
    [tpOid, slOid]
      .filter((oid) => oid !== '' && oid !== '0')
      .map((o) => ({ a: asset, o, grouping: 'tpsl' as const })),
  );
  if (cancels.length === 0) return reply ?? Promise.reject(new Error('Nothing to change'));
  return trader.exchange.cancel({ cancels }, { confirm: 'executed' });
}

export function kindOfWaiting(
  { side, triggerPx }: Pick<TriggerOrder, 'side' | 'triggerPx'>,
  markPx: string,
): 'tp' | 'sl' {
  return (side === 'B') === compare(triggerPx, markPx) > 0 ? 'sl' : 'tp';
}

export function isPastMark(
  trigger: Pick<TriggerOrder, 'side' | 'triggerPx'>,
  price: string,
  markPx: string,
): boolean {
  if (!isDecimal(price)) return false;
  const moved = { side: trigger.side, triggerPx: price };
  return kindOfWaiting(moved, markPx) !== kindOfWaiting(trigger, markPx);
}

export function isExitPastMark(
  row: AssetPosition,
  exit: 'takeProfit' | 'stopLoss',
  price: string | undefined,
  markPx: string,
): boolean {
  if (!isDecimal(price) || !isDecimal(markPx)) return false;
  const kind = kindOfWaiting({ side: isLong(row) ? 'A' : 'B', triggerPx: price }, markPx);
  return kind !== (exit === 'takeProfit' ? 'tp' : 'sl');
}

export function isReplaceable({ tpslChildren, triggerState }: TriggerOrder): boolean {
  return triggerState === 'Pending' && (tpslChildren?.length ?? 0) === 0;
}

type TriggerPrices = { readonly triggerPrice: string; readonly limitPrice: string | undefined };

/**
 * Replaces a trigger order. Trigger orders cannot be amended, so the old one is cancelled after the
 * new one has been accepted.
 */
export async function replaceTrigger(
  trader: Client,
  trigger: TriggerOrder,
  { limitPrice, triggerPrice }: TriggerPrices,
  markPx: string,
): Promise<ActionReply> {
  const { asset, marginMode, oid, reduceOnly, side, sz } = trigger;
  const order = triggerOrder({
    asset: Number(asset),
    side: side === 'B' ? 'buy' : 'sell',
    size: sz,
    kind: kindOfWaiting(trigger, markPx),
    triggerPrice,
    reduceOnly,
    marginMode: marginMode === 'Cross' ? 'cross' : 'isolated',
    ...(limitPrice === undefined ? {} : { limitPrice }),
  });
  const reply = await trader.exchange.order({ orders: [order] }, { confirm: 'executed' });
  if (failureOf(reply) !== undefined) return reply;
  const cancels = [{ a: Number(asset), o: oid }];
  return trader.exchange.cancel({ cancels }, { confirm: 'executed' });
}

export type Exit = {
  readonly market: string;
  readonly asset: string;
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: string;
  readonly cancel: CancelEntry;
};

type WhatWaits = { readonly orders: readonly CancelEntry[]; readonly exits: readonly Exit[] };

export function whatWaits({
  orders,
  positions,
  triggers,
}: {
  readonly orders: readonly OpenOrder[];
  readonly triggers: readonly TriggerOrder[];
  readonly positions: readonly AssetPosition[];
}): WhatWaits {
  const ofPositions = positions.flatMap((row) => [
    ...row.tpsl.flatMap((pair) => exitsOf(row, pair)),
    ...exitsAmong(row, triggers).map((trigger) => exitOf(row, trigger)),
  ]);
  const protecting = new Set(ofPositions.map(({ cancel }) => String(cancel.o)));
  const others = triggers.filter(({ oid }) => !protecting.has(String(oid)));
  return {
    orders: [
      ...orders.map(({ instrumentId, oid }) => ({ a: instrumentId, o: oid })),
      ...others.map(({ asset, oid }) => ({ a: Number(asset), o: oid })),
    ],
    exits: ofPositions,
  };
}

function exitsOf(
  { position: { asset, coin } }: AssetPosition,
  { slOid, slTriggerPrice, tpOid, tpTriggerPrice }: AssetPosition['tpsl'][number],
): readonly Exit[] {
  const ends = [
    ['takeProfit', tpOid, tpTriggerPrice],
    ['stopLoss', slOid, slTriggerPrice],
  ] as const;
  return ends.flatMap(([kind, oid, price]) =>
    isDecimal(price)
      ? [
          {
            market: coin,
            asset,
            kind,
            price,
            cancel: { a: Number(asset), o: oid, grouping: 'tpsl' as const },
          },
        ]
      : [],
  );
}

function exitOf({ position }: AssetPosition, trigger: TriggerOrder): Exit {
  const { asset, coin, oid, triggerPx } = trigger;
  return {
    market: coin,
    asset,
    kind: kindOfWaiting(trigger, position.markPx) === 'tp' ? 'takeProfit' : 'stopLoss',
    price: triggerPx,
    cancel: { a: Number(asset), o: oid },
  };
}

const CANCELS_MAX = 200;

/**
 * Cancels only the given orders, unlike `cancelAll`, which would also cancel orders placed later.
 * An order that has already ended is not a failure.
 */
export async function cancelNamed(
  trader: Client,
  cancels: readonly CancelEntry[],
): Promise<ActionReply> {
  const [now, later] = [cancels.slice(0, CANCELS_MAX), cancels.slice(CANCELS_MAX)];
  const reply = await trader.exchange.cancel({ cancels: now }, { confirm: 'executed' });
  if (later.length > 0) return cancelNamed(trader, later);
  if (reply.status !== 'executed') return reply;
  const isGone = reply.failure?.error.includes('Order was never placed') === true;
  return isGone ? { ...reply, failure: undefined } : reply;
}
