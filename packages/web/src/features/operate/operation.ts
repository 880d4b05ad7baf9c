import type { ActionReply } from '@oddlot/sdk';
import { useCallback } from 'react';
import { explainRefusal } from '../../lib/explain-error.ts';
import { useWords } from '../../lib/words.ts';
import { queryClient } from '../../market/queries.ts';
import { notify } from '../../ui/toast.tsx';
import { type Doing, useDoing } from '../../ui/empty-state.tsx';
import { nameOf } from './refusal.tsx';

/** How operator's actions are sent: their effect is waited for, so that what is shown after them is true. */
export const CONFIRMED = { confirm: 'executed' } as const;

export type Operation = Pick<Doing, 'isBusy' | 'error'> & {
  readonly operate: (act: () => Promise<ActionReply>, done: string) => Promise<boolean>;
};

/** Something that an operator does: it is said when it is done, and all lists are read again. */
export function useOperation(): Operation {
  const t = useWords();
  const { error, isBusy, run } = useDoing();
  const operate = useCallback(
    async (act: () => Promise<ActionReply>, done: string): Promise<boolean> => {
      const isDone = await run(async () => {
        const reply = await act();
        // It may still happen: whoever looks at the lists sees it.
        if (reply.status === 'pending') throw new Error(t('operate.pending'));
        // A part of it was left out, such as a price that is too old: that is a refusal too.
        if (reply.status === 'executed' && reply.failure !== undefined) {
          const { details, error: message } = reply.failure;
          throw new Error(
            explainRefusal({ message, details }, t, (field) => nameOf(field, t)).sentence,
          );
        }
      });
      // What is shown is read again meanwhile; nobody waits for all of it.
      void queryClient.invalidateQueries();
      if (isDone) notify({ title: done });
      return isDone;
    },
    [run, t],
  );
  return { error, isBusy, operate };
}
