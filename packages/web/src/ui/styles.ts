import { useSyncExternalStore } from 'react';

export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Enlarges the touch target of a small control within the height of a row. */
export const FOR_THUMBS =
  'relative max-tablet:after:absolute max-tablet:after:inset-x-0 max-tablet:after:-inset-y-1.5';

/** Matches widths from the `desktop` breakpoint in `tokens.css` upwards. */
const DESKTOP = '(min-width: 1280px)';

/** Matches widths below the `tablet` breakpoint in `tokens.css`. */
const PHONE = '(max-width: 767px)';

export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => subscribe(listener, PHONE),
    () => matchMedia(PHONE).matches,
  );
}

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(DESKTOP).matches);
}

function subscribe(listener: () => void, screen = DESKTOP): () => void {
  const query = matchMedia(screen);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** The breakpoints in `tokens.css`. */
type Width = 'phone' | 'tablet' | 'desktop' | 'wide';

const STEPS = [
  ['wide', 1_680],
  ['desktop', 1_280],
  ['tablet', 768],
] as const;

export function useWidth(): Width {
  return useSyncExternalStore(subscribeUseWidth, widthNow);
}

function widthNow(): Width {
  const fits = STEPS.find(([, from]) => matchMedia(`(min-width: ${from}px)`).matches);
  return fits?.[0] ?? 'phone';
}

function subscribeUseWidth(listener: () => void): () => void {
  const queries = STEPS.map(([, from]) => matchMedia(`(min-width: ${from}px)`));
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}
