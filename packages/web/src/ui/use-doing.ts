import { useCallback, useState } from 'react';

export type Doing = {
  readonly isBusy: boolean;
  /** What stopped the last try. */
  readonly error: unknown;
  /** Starts it; a second start while one is under way does nothing. True when it went through. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
};

/** Something that a button starts: whether it is under way, and why it failed. */
export function useDoing(): Doing {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = useCallback(async (act: () => Promise<unknown>): Promise<boolean> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      setIsBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(undefined), []);
  return { isBusy, error, run, clear };
}
