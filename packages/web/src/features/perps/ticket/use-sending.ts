import { useState } from 'react';
import type { ActionReply, OrderParameters } from '@oddlot/sdk';
import { useAct } from '../use-act.ts';
import { changeDraft, clearDraft } from './draft.ts';

export type Sending = {
  readonly send: () => Promise<void>;
  readonly clear: () => void;
  readonly isBusy: boolean;
  /** The answer was lost, and the venue is asked what became of the order. */
  readonly isAsking: boolean;
  /** What was sent last, as its button said it. */
  readonly label: string;
  readonly reply: ActionReply | undefined;
  readonly fault: unknown;
};

/** Sends what the ticket stands for, and keeps what the venue said to it. */
export function useSending(parameters: OrderParameters | undefined, label: string): Sending {
  const [sent, setSent] = useState('');
  const [reply, setReply] = useState<ActionReply>();
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isAsking, isBusy } = useAct(setFault);
  const forget = (): void => {
    setFault(undefined);
    setReply(undefined);
  };
  const send = async (): Promise<void> => {
    if (parameters === undefined || !canAct || isBusy) return;
    forget();
    setSent(label);
    const given = await act((trader) => trader.exchange.order(parameters, { confirm: 'executed' }));
    if (given === undefined) return;
    setReply(given);
    changeDraft({ size: '' });
  };
  const clear = (): void => {
    clearDraft();
    forget();
  };
  return { send, clear, isBusy, isAsking, label: sent, reply, fault };
}
