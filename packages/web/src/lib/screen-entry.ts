import type { ComponentType } from 'react';

/**
 * A screen of the map. Each feature exports its list as `screens` in `features/<name>/screens.ts`; the router
 * finds them there, and loads the component when somebody goes to the address.
 */
export type ScreenEntry = {
  /** As TanStack Router writes it: `/trade/$market`. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
};
