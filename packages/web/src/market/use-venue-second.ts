import { useEffect, useState } from 'react';
import { venueNow } from './venue.ts';

const TICK_MS = 1_000;

/** The venue's time, told every second: for what counts down. */
export function useVenueSecond(): number {
  const [nowMs, setNowMs] = useState(venueNow);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(venueNow()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
