import { useEffect } from 'react';

const NAME = 'Oddlot';

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
