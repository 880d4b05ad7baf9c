import { useState } from 'react';
import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { unlessRevoked } from '../../../session/own-agent.ts';

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
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState<string>();
  const act = async (amount: string): Promise<boolean> => {
    if (trader === undefined) return false;
    const entries = [{ asset: market.instrument_id, sz: amount }];
    setIsBusy(true);
    setError(undefined);
    setDone(undefined);
    try {
      const operation = kind === 'split' ? { split: entries } : { merge: entries };
      await trader.exchange.outcomeOperate(operation, { confirm: 'executed' });
      setDone(amount);
      return true;
    } catch (fault) {
      setError(await unlessRevoked(fault));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, done, act, clear: () => setError(undefined) };
}
