import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OrderParameters, SimulatedAction } from '@oddlot/sdk';
import { reader } from '../../../market/venue.ts';

/** Between the last change of the ticket and the question. */
const PAUSE_MS = 180;
/** The book moves under a ticket that stands. */
const AGAIN_MS = 3_000;

export type Simulation = {
  readonly result: SimulatedAction | undefined;
  /** The answer is that to an earlier ticket. */
  readonly isOld: boolean;
};

/** What the venue says that these orders would do now. */
export function useSimulation(
  user: string | undefined,
  parameters: OrderParameters | undefined,
): Simulation {
  return useSimulatedAction(user, parameters && { type: 'order', grouping: 'na', ...parameters });
}

/** What the venue says that an action would do now. One question is under way at a time. */
export function useSimulatedAction(
  user: string | undefined,
  asked: object | undefined,
): Simulation {
  const action = asked === undefined ? '' : JSON.stringify(asked);
  const settled = useSettled(action);
  const query = useQuery({
    queryKey: ['simulate', user, settled],
    queryFn: ({ signal }) =>
      reader.info.simulate({ user: user!, action: JSON.parse(settled) }, { signal }),
    enabled: user !== undefined && settled !== '',
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    staleTime: 0,
    gcTime: 0,
  });
  const isAsked = action !== '' && user !== undefined;
  return {
    result: isAsked ? query.data : undefined,
    isOld: settled !== action || query.isPlaceholderData,
  };
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
