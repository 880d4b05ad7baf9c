import type {
  Authority,
  CancelAllCommand,
  CancelByClientIdCommand,
  CancelOrdersCommand,
  ScheduleCancelCommand,
} from '@oddlot/engine';
import { isCloid, refusal, type ActionOf, type WireError } from '@oddlot/protocol';
import type { InstrumentId, TimeMs } from '@oddlot/units';

/** Cancels of single orders, of everything, and of everything later. */

export function cancelOrders(
  { cancels }: ActionOf<'cancel'>,
  authority: Authority,
): CancelOrdersCommand {
  const entries = cancels.map(({ a, o }) => ({ instrumentId: a as InstrumentId, orderId: o }));
  return { type: 'cancelOrders', authority, cancels: entries };
}

/** A client order id whose form is wrong belongs to no order. */
export function refuseCancels({ cancels }: ActionOf<'cancelByCloid'>): WireError | undefined {
  const index = cancels.findIndex((cancel) => !isCloid(cancel.cloid));
  const got = cancels[index]?.cloid;
  if (got === undefined) return undefined;
  return refusal('invalidCloid', [], { field: `cancels[${index}].cloid`, got });
}

export function cancelByClientId(
  { cancels }: ActionOf<'cancelByCloid'>,
  authority: Authority,
): CancelByClientIdCommand {
  const entries = cancels.map(({ asset, cloid }) => ({
    instrumentId: asset as InstrumentId,
    clientOrderId: cloid,
  }));
  return { type: 'cancelByClientId', authority, cancels: entries };
}

export function cancelAll(
  { asset, accountType }: ActionOf<'cancelAll'>,
  authority: Authority,
): CancelAllCommand {
  return {
    type: 'cancelAll',
    authority,
    ...(asset === undefined ? {} : { instrumentId: asset as InstrumentId }),
    ...(accountType === undefined ? {} : { subAccount: accountType }),
  };
}

export function scheduleCancel(
  { time }: ActionOf<'scheduleCancel'>,
  authority: Authority,
): ScheduleCancelCommand {
  const schedule = { type: 'scheduleCancel', authority } as const;
  return time === undefined ? schedule : { ...schedule, atMs: time as TimeMs };
}
