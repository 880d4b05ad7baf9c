import { useMemo, useState } from 'react';
import {
  type ActionReply,
  ApiError,
  type Client,
  type OrderEntry,
  type OrderParameters,
} from '@oddlot/sdk';
import { emptied } from '../../../ui/text-field.tsx';
import { useAct } from '../use-act.ts';
import { changeDraft, clearDraft, type Draft, draftStore, useDraft } from './draft.ts';
import { reader, venueNow } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { usePositions } from '../use-account.ts';
import { freshOrders } from './share-of-most.ts';
import { contexts } from '../../../market/contexts.ts';
import { useVenueSecond } from '../../../market/time-column.tsx';
import { type Drafted, isPositive, ordersOf } from './orders-of-draft.ts';

type Sent = {
  readonly label: string;
  readonly orders: readonly OrderEntry[];
  readonly reply: ActionReply;
};

export type Sending = {
  readonly send: () => Promise<void>;
  readonly clear: () => void;
  readonly isBusy: boolean;
  /** The answer was lost, and the venue is asked what became of the order. */
  readonly isAsking: boolean;
  readonly sent: Sent | undefined;
  readonly fault: unknown;
};

/** The draft as it stood then: what was said to it is not about the next one. */
type Said = { readonly draft: Draft; readonly sent?: Sent; readonly fault?: unknown };

/**
 * Sends the orders of the ticket, and keeps the answer of the venue until another order is written. A percentage that the margin
 * does not cover because the market has moved is computed once more: a rejected order changed nothing.
 */
export function useSending(
  orders: (() => Promise<OrderParameters | undefined>) | undefined,
  label: string,
): Sending {
  const draft = useDraft();
  const [said, setSaid] = useState<Said>();
  const { act, canAct, isAsking, isBusy } = useAct((fault) =>
    setSaid({ draft: draftStore.getState(), fault }),
  );
  const send = async (): Promise<void> => {
    if (orders === undefined || !canAct || isBusy) return;
    setSaid(undefined);
    let entries: readonly OrderEntry[] = [];
    const attempt = async (trader: Client): Promise<ActionReply> => {
      const parameters = await orders();
      if (parameters === undefined) throw new Error('the ticket has no size');
      entries = parameters.orders;
      return trader.exchange.order(parameters, { confirm: 'executed' });
    };
    const reply = await act((trader) =>
      draft.share === undefined ? attempt(trader) : againForMargin(() => attempt(trader)),
    );
    if (reply === undefined) return;
    if (emptied(draft.size)(draftStore.getState().size) === '') changeDraft({ size: '' });
    setSaid({ draft: draftStore.getState(), sent: { label, orders: entries, reply } });
  };
  const clear = (): void => {
    clearDraft();
    setSaid(undefined);
  };
  const { fault, sent } = said?.draft === draft ? said : {};
  return { send, clear, isBusy, isAsking, sent, fault };
}

/** The orders of a ticket at the moment of sending; those that it shows where the size was typed. */
export function useFreshOrders(
  draft: Draft,
  shown: OrderParameters | undefined,
  isHedge: boolean,
): (() => Promise<OrderParameters | undefined>) | undefined {
  const { coin, grid, perp } = useTradedPerp();
  const user = useSession()?.address;
  const positions = usePositions();
  if (shown === undefined || user === undefined) return undefined;
  return async () => {
    if (draft.share === undefined) return shown;
    const around = { asset: perp.index, grid, hasMark: true, nowMs: venueNow(), isHedge };
    const drafted = await freshOrders(draft, around, {
      coin,
      positions,
      ask: (px) => reader.info.activeAssetData({ user, coin, px }),
      askBook: () => reader.info.l2Book({ coin }),
    });
    return drafted.missing === undefined ? drafted.parameters : undefined;
  };
}

const MARGIN = 'MARGIN';

export async function againForMargin(send: () => Promise<ActionReply>): Promise<ActionReply> {
  try {
    const reply = await send();
    const isShort = reply.status === 'executed' && reply.failure?.name === MARGIN;
    return isShort ? await send() : reply;
  } catch (error) {
    if (!(error instanceof ApiError) || error.name !== MARGIN) throw error;
    return send();
  }
}

export function useDrafted(draft: Draft, isHedge: boolean): Drafted {
  const { coin, grid, perp } = useTradedPerp();
  const hasMark = contexts.use(coin, ({ ctx }) => isPositive(ctx?.markPx ?? ''));
  const followed = draft.type === 'market' ? coin : undefined;
  const markPx = contexts.use(followed, ({ ctx }) => ctx?.markPx);
  const nowMs = useVenueSecond(wholeMinute);
  return useMemo(
    () => ordersOf(draft, { asset: perp.index, grid, hasMark, markPx, nowMs, isHedge }),
    [draft, perp.index, grid, hasMark, markPx, nowMs, isHedge],
  );
}

const MINUTE_MS = 60_000;

/** The end of an order is told to the minute, so that a ticket which stands seldom changes. */
function wholeMinute(nowMs: number): number {
  return Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
}
