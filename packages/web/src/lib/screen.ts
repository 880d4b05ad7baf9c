import { type ComponentType, useEffect } from 'react';

/**
 * A screen of the map. Each feature exports its list as `screens` in `features/<name>/screens.ts`; the router
 * finds them there, and loads the component when somebody goes to the address.
 */
export type ScreenEntry = {
  /** As TanStack Router writes it: `/trade/$market`. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
};

const NAME = 'Oddlot';

/** What the tab of the browser says while a screen is shown. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? NAME : `${title} · ${NAME}`;
  }, [title]);
  // Only who leaves takes the name down: a price in the title changes all the time.
  useEffect(
    () => () => {
      document.title = NAME;
    },
    [],
  );
}
