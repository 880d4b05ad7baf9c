import { useState } from 'react';
import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { doneOnce } from '../../../session/sent-once.ts';
import { useDoing } from '../../../ui/use-doing.ts';

export type PairWork = {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** How much the last one was of that succeeded. */
  readonly done: string | undefined;
  /** True when it was done. */
  act(amount: string): Promise<boolean>;
  clear(): void;
};

/** Splits money into pairs of shares, or merges pairs into money. */
export function usePair(
  trader: Client | undefined,
  market: OutcomeMarketMeta,
  kind: 'split' | 'merge',
): PairWork {
  const { run, ...doing } = useDoing();
  const [done, setDone] = useState<string>();
  const act = async (amount: string): Promise<boolean> => {
    if (trader === undefined) return false;
    const entries = [{ asset: market.instrument_id, sz: amount }];
    const operation = kind === 'split' ? { split: entries } : { merge: entries };
    return run(async () => {
      setDone(undefined);
      await doneOnce(trader, ({ exchange }) =>
        exchange.outcomeOperate(operation, { confirm: 'executed' }),
      );
      setDone(amount);
    });
  };
  return { ...doing, done, act };
}
