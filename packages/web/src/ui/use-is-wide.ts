import { useSyncExternalStore } from 'react';

/** As the breakpoint `desktop` of the styles. */
const DESKTOP = '(min-width: 1280px)';

/** As everything below the breakpoint `tablet`. */
const PHONE = '(max-width: 767px)';

/** True on a phone, where a row has two lines instead of more columns. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => subscribe(listener, PHONE),
    () => matchMedia(PHONE).matches,
  );
}

/** True where a ticket stands beside what it is about; on smaller screens it is a sheet. */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(DESKTOP).matches);
}

function subscribe(listener: () => void, screen = DESKTOP): () => void {
  const query = matchMedia(screen);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
