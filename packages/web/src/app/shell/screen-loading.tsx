import { useWords } from '../../lib/words.ts';
import { Spinner } from '../../ui/spinner.tsx';

export function ScreenLoading() {
  const t = useWords();
  return (
    <p role="status" className="flex h-40 items-center justify-center gap-2 text-muted">
      <Spinner />
      {t('app.loading')}
    </p>
  );
}
