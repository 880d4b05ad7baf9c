import { useState } from 'react';
import { ApiError, type ActionReply, type Client } from '@oddlot/sdk';
import { explainError } from '../../lib/explain-error.ts';
import { useWords } from '../../lib/words.ts';
import { queryClient } from '../../market/queries.ts';
import { isLive } from '../../session/session.ts';
import { useSession } from '../../session/use-session.ts';
import { notify } from '../../ui/toast.tsx';

/** A refusal of one entry of an action, in the form of one of the whole. */
export function failureOf(reply: ActionReply): ApiError | undefined {
  if (reply.status !== 'executed' || reply.failure === undefined) return undefined;
  const { code = 0, details, error, name } = reply.failure;
  return new ApiError({
    code,
    name,
    message: error.replace(/^\w+\[\d+\]: /, ''),
    details,
    httpStatus: 200,
    response: reply,
  });
}

/** What may have changed by an action and is asked for, not streamed. */
export function afterAction(): void {
  void queryClient.invalidateQueries({ queryKey: ['activeAssetData'] });
  void queryClient.invalidateQueries({ queryKey: ['simulate'] });
}

/** Does something with the key that trades; one at a time. A refusal is told in a notice unless somebody takes it. */
export function useAct(onFault?: (error: unknown) => void): {
  readonly canAct: boolean;
  readonly isBusy: boolean;
  readonly act: (run: (trader: Client) => Promise<ActionReply>) => Promise<boolean>;
} {
  const t = useWords();
  const trader = useSession()?.trader;
  const [isBusy, setIsBusy] = useState(false);
  const act = async (run: (trader: Client) => Promise<ActionReply>): Promise<boolean> => {
    if (trader === undefined || isBusy) return false;
    if (!isLive()) {
      notify({ title: t('perps.notLive'), tone: 'warning' });
      return false;
    }
    setIsBusy(true);
    try {
      const fault = failureOf(await run(trader));
      if (fault !== undefined) throw fault;
      return true;
    } catch (error) {
      if (onFault === undefined)
        notify({ title: explainError(error, t).sentence, tone: 'warning' });
      else onFault(error);
      return false;
    } finally {
      setIsBusy(false);
      afterAction();
    }
  };
  return { canAct: trader !== undefined, isBusy, act };
}
