import { positionTpsl, type ActionReply, type AssetPosition, type Client } from '@oddlot/sdk';
import { failureOf } from '../../../session/sent-once.ts';
import { isLong } from '../use-account.ts';

type ExitPrices = {
  readonly takeProfit: string | undefined;
  readonly stopLoss: string | undefined;
};

type Entry = AssetPosition['tpsl'][number];

/**
 * Puts new exits in the place of those that a position has. The new ones stand before the old ones go, so that
 * the position is never bare; when the new ones are refused, the old ones stay.
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
