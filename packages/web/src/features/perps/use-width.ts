import { useSyncExternalStore } from 'react';

/** How much room there is: a phone, a tablet, a desk, a wide desk. As the breakpoints in `tokens.css`. */
type Width = 'phone' | 'tablet' | 'desktop' | 'wide';

const STEPS = [
  ['wide', 1_680],
  ['desktop', 1_280],
  ['tablet', 768],
] as const;

export function useWidth(): Width {
  return useSyncExternalStore(subscribe, widthNow);
}

function widthNow(): Width {
  const fits = STEPS.find(([, from]) => matchMedia(`(min-width: ${from}px)`).matches);
  return fits?.[0] ?? 'phone';
}

function subscribe(listener: () => void): () => void {
  const queries = STEPS.map(([, from]) => matchMedia(`(min-width: ${from}px)`));
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}
