import type { ActionReply, AssetPosition, Client, TriggerOrder } from '@oddlot/sdk';
import { compare } from '../../../lib/decimal.ts';
import { openOrders } from '../../../market/account.ts';
import { useSession } from '../../../session/use-session.ts';
import { isLong } from '../use-account.ts';
import { failureOf } from '../../../session/sent-once.ts';

/**
 * Triggers of their own that would close a position, such as those that came with its order: the profit first.
 * The venue does not end them with the position.
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

/** Does what ends a position, and takes back the exits that would be left over. What did not fill keeps them. */
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
