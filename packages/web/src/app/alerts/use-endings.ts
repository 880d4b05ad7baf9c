import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { accountStates } from '../../market/account.ts';
import { reader, venueNow } from '../../market/venue.ts';

type Ending = { readonly id: number; readonly name: string; readonly endMs: number };

const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;
/** As many as one question may name. */
const ASKED_MAX = 50;

/** Tells of markets that somebody holds shares of, once each, when they are about to end. */
export function useEndings(
  user: string | undefined,
  minutes: number,
  onEnding: (ending: Ending) => void,
): void {
  const ids = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    ({ state }) =>
      (state?.assetPositions ?? [])
        .map(({ position }) => Number(position.asset))
        .slice(0, ASKED_MAX),
  );
  const { data = [] } = useQuery({
    queryKey: ['endings', ids],
    queryFn: async ({ signal }): Promise<readonly Ending[]> => {
      const { events } = await reader.info.outcomeMeta(
        { instrumentIds: ids, limit: ASKED_MAX },
        { signal },
      );
      return events.flatMap(({ markets, title }) =>
        markets
          .filter(({ instrument_id: id, phase }) => ids.includes(id) && phase === 'open')
          .map(({ end_time: endMs, instrument_id: id }) => ({ id, name: title, endMs })),
      );
    },
    enabled: ids.length > 0,
    refetchInterval: MINUTE_MS,
  });
  const told = useRef(new Set<number>());
  const look = useEffectEvent((): void => {
    for (const ending of data) {
      const leftMs = ending.endMs - venueNow();
      if (leftMs <= 0 || leftMs > minutes * MINUTE_MS || told.current.has(ending.id)) continue;
      told.current.add(ending.id);
      onEnding(ending);
    }
  });
  useEffect(() => {
    const timer = setInterval(() => look(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
}
