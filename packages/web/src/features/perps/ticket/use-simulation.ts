import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OrderParameters, SimulatedAction } from '@oddlot/sdk';
import { reader } from '../../../market/venue.ts';
import type { Draft } from './draft.ts';

/** Between the last change of the ticket and the question. */
const PAUSE_MS = 180;
/** The book moves under a ticket that stands. */
const AGAIN_MS = 3_000;

export type Simulation = {
  /** The answer to what is asked now; undefined until it is there. */
  readonly result: SimulatedAction | undefined;
  readonly isOld: boolean;
};

/** What the venue says that these orders would do now. They follow the mark; what was typed is the draft. */
export function useSimulation(
  user: string | undefined,
  parameters: OrderParameters | undefined,
  draft: Draft,
): Simulation {
  const asked = parameters && { type: 'order', grouping: 'na', ...parameters };
  return useSimulatedAction(user, asked, draft);
}

/**
 * What the venue says that an action would do now. One question is under way at a time. An answer to what somebody
 * asked before is none: it would be read as one to what stands there now.
 */
export function useSimulatedAction(
  user: string | undefined,
  asked: object | undefined,
  draft?: Draft,
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
  const isOld = settled !== action || query.isPlaceholderData;
  const typed = draft ?? action;
  const [answered, setAnswered] = useState<unknown>(typed);
  if (!isOld && answered !== typed) setAnswered(typed);
  const isAnswered = action !== '' && user !== undefined && answered === typed;
  return { result: isAnswered ? query.data : undefined, isOld };
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
