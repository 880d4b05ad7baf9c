import { useState } from 'react';
import type { ActionReply, Client, OrderEntry, OrderParameters } from '@oddlot/sdk';
import { emptied } from '../../../ui/emptied.ts';
import { useAct } from '../use-act.ts';
import { againForMargin } from './again-for-margin.ts';
import { changeDraft, clearDraft, draftStore, useDraft, type Draft } from './draft.ts';

/** What was sent, and what the venue said to it. */
type Sent = {
  /** As its button said it. */
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
