import { useState } from 'react';
import type { ActionReply, Client } from '@oddlot/sdk';
import { explainError } from '../../lib/explain-error.ts';
import { useWords } from '../../lib/words.ts';
import { queryClient } from '../../market/queries.ts';
import { isLive, useSession } from '../../session/session.ts';
import { notify } from '../../ui/toast.tsx';
import { failureOf, sentOnce } from '../../session/sent-once.ts';

function afterAction(): void {
  void queryClient.invalidateQueries({ queryKey: ['activeAssetData'] });
  void queryClient.invalidateQueries({ queryKey: ['simulate'] });
}

type Acting = {
  readonly canAct: boolean;
  readonly isBusy: boolean;
  /** The answer was lost, and the venue is asked what became of it. */
  readonly isAsking: boolean;
  /** The answer, or undefined when it was refused. */
  readonly act: (run: (trader: Client) => Promise<ActionReply>) => Promise<ActionReply | undefined>;
};

/** Does something with the key that trades; one at a time. A refusal is told in a notice unless somebody takes it. */
export function useAct(onFault?: (error: unknown) => void): Acting {
  const t = useWords();
  const trader = useSession()?.trader;
  const [stage, setStage] = useState<'idle' | 'sending' | 'asking'>('idle');
  const isBusy = stage !== 'idle';
  const act: Acting['act'] = async (run) => {
    if (trader === undefined || isBusy) return undefined;
    if (!isLive()) {
      notify({ title: t('perps.notLive'), tone: 'warning' });
      return undefined;
    }
    setStage('sending');
    try {
      const reply = await sentOnce(trader, run, () => setStage('asking'));
      const fault = failureOf(reply);
      if (fault !== undefined) throw fault;
      return reply;
    } catch (error) {
      if (onFault === undefined)
        notify({ title: explainError(error, t).sentence, tone: 'warning' });
      else onFault(error);
      return undefined;
    } finally {
      setStage('idle');
      afterAction();
    }
  };
  return { canAct: trader !== undefined, isBusy, isAsking: stage === 'asking', act };
}
