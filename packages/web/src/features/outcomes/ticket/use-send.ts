import { useState } from 'react';
import type { Client, OrderEntry } from '@oddlot/sdk';
import { venueNow } from '../../../market/venue.ts';
import { sentOnce } from '../../../session/sent-once.ts';
import { useDoing } from '../../../ui/use-doing.ts';
import type { SentOrder } from './fate.ts';

let lastId = 0;

export type Sending = {
  readonly sent: SentOrder | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  send(entry: OrderEntry, facts: { words: string; delayMs: number }): Promise<boolean>;
  clear(): void;
};

/** Sends orders, one at a time, and keeps the last one to tell what becomes of it. */
export function useSend(trader: Client | undefined): Sending {
  const [sent, setSent] = useState<SentOrder>();
  const { run, ...doing } = useDoing();
  const send: Sending['send'] = async (entry, facts) => {
    if (trader === undefined) return false;
    return run(async () => {
      lastId += 1;
      const order: SentOrder = { id: lastId, ...facts, sentMs: venueNow(), traceId: undefined };
      setSent(order);
      try {
        const reply = await sentOnce(
          trader,
          ({ exchange }) => exchange.order({ orders: [entry] }),
          () => setSent({ ...order, isAskedFor: true }),
        );
        const traceId = reply.status === 'queued' ? reply.traceId : undefined;
        // The answer was lost and its receipt found: what it says is the end of it, or that it rests.
        const result = reply.status === 'executed' ? reply.orders[0] : undefined;
        setSent({ ...order, traceId, result });
      } catch (fault) {
        setSent(undefined);
        throw fault;
      }
    });
  };
  return { ...doing, sent, send };
}
