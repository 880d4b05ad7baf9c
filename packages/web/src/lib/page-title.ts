import { useEffect } from 'react';

const NAME = 'Oddlot';

/** What the tab of the browser says while a screen is shown. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? NAME : `${title} · ${NAME}`;
    return () => {
      document.title = NAME;
    };
  }, [title]);
}
