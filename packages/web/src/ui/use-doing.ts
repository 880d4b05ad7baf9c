import { useCallback, useRef, useState } from 'react';

export type Doing = {
  readonly isBusy: boolean;
  /** What stopped the last try. */
  readonly error: unknown;
  /** Starts it; a second start while one is under way does nothing. True when it went through. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
};

/** Something that a button or a key starts: whether it is under way, and why it failed. */
export function useDoing(): Doing {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Not the state: a key that is held down comes again before the page is drawn anew.
  const isUnderWay = useRef(false);
  const run = useCallback(async (act: () => Promise<unknown>): Promise<boolean> => {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    setIsBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      isUnderWay.current = false;
      setIsBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(undefined), []);
  return { isBusy, error, run, clear };
}
