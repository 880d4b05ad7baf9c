import { useMemo } from 'react';
import { useSettings } from './queries.ts';

/** The accounts that the venue itself trades with. */
export function useSimulated(): ReadonlySet<string> {
  const { data } = useSettings();
  return useMemo(() => new Set(data?.simulated_accounts), [data]);
}
