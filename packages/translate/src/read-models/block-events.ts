import type { EngineEvent, OrderUpdated } from '@oddlot/engine';
import type { AppliedBlock } from '@oddlot/replica/block';

type SplitEvents = {
  readonly orders: readonly OrderUpdated[];
  readonly others: readonly Exclude<EngineEvent, OrderUpdated>[];
};

/** Only the newest block is kept, because all models receive a block before the next one. */
let newest: { readonly result: AppliedBlock['result']; readonly events: SplitEvents } | undefined;

/**
 * Returns the events of a block in order, with updates of orders apart. Most events are such
 * updates, which most models skip, so the block is searched only once.
 */
export function splitEvents({ result }: Pick<AppliedBlock, 'result'>): SplitEvents {
  if (newest?.result === result) return newest.events;
  const orders: OrderUpdated[] = [];
  const others: Exclude<EngineEvent, OrderUpdated>[] = [];
  for (const event of result.events) {
    if (event.type === 'orderUpdated') orders.push(event);
    else others.push(event);
  }
  const events = { orders, others };
  newest = { result, events };
  return events;
}
