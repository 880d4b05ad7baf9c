import { useState } from 'react';
import type { ActionReply, OrderEntry, OrderParameters } from '@oddlot/sdk';
import { emptied } from '../../../ui/emptied.ts';
import { useAct } from '../use-act.ts';
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

/** Sends what the ticket stands for, and keeps what the venue said until another order is written. */
export function useSending(parameters: OrderParameters | undefined, label: string): Sending {
  const draft = useDraft();
  const [said, setSaid] = useState<Said>();
  const { act, canAct, isAsking, isBusy } = useAct((fault) =>
    setSaid({ draft: draftStore.getState(), fault }),
  );
  const send = async (): Promise<void> => {
    if (parameters === undefined || !canAct || isBusy) return;
    setSaid(undefined);
    const reply = await act((trader) => trader.exchange.order(parameters, { confirm: 'executed' }));
    if (reply === undefined) return;
    changeDraft({ size: emptied(draft.size)(draftStore.getState().size) });
    const { orders } = parameters;
    setSaid({ draft: draftStore.getState(), sent: { label, orders, reply } });
  };
  const clear = (): void => {
    clearDraft();
    setSaid(undefined);
  };
  const { fault, sent } = said?.draft === draft ? said : {};
  return { send, clear, isBusy, isAsking, sent, fault };
}
