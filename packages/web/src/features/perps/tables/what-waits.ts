import type {
  ActionReply,
  AssetPosition,
  CancelEntry,
  Client,
  OpenOrder,
  TriggerOrder,
} from '@oddlot/sdk';
import { isDecimal } from '../../../lib/decimal.ts';
import { exitsAmong, kindOfWaiting } from './waiting-exits.ts';

export type Exit = {
  readonly market: string;
  readonly asset: string;
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: string;
  readonly cancel: CancelEntry;
};

type WhatWaits = { readonly orders: readonly CancelEntry[]; readonly exits: readonly Exit[] };

/** What an account has waiting, with the exits of its positions apart: they protect what is open already. */
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

/** As many as one action takes. */
const CANCELS_MAX = 200;

/**
 * Takes back what is named and nothing else: what the venue's own `cancelAll` finds may have come after the question
 * was asked. What ended by itself meanwhile is no failure.
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
