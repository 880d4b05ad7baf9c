import { useEffect, useState } from 'react';
import { venueNow } from './venue.ts';

const TICK_MS = 1_000;

/** The venue's time, told every second: for what counts down. What is read less often than it passes changes less often. */
export function useVenueSecond(read: (nowMs: number) => number = itself): number {
  const [shown, setShown] = useState(() => read(venueNow()));
  useEffect(() => {
    const timer = setInterval(() => setShown(read(venueNow())), TICK_MS);
    return () => clearInterval(timer);
  }, [read]);
  return shown;
}

function itself(nowMs: number): number {
  return nowMs;
}
