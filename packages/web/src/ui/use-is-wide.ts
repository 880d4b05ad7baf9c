import { useSyncExternalStore } from 'react';

/** As the breakpoint `desktop` of the styles. */
const DESKTOP = '(min-width: 1280px)';

/** True where a ticket stands beside what it is about; on smaller screens it is a sheet. */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(DESKTOP).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(DESKTOP);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
