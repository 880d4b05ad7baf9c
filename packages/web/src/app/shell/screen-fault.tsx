import type { ErrorComponentProps } from '@tanstack/react-router';
import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** A screen that broke takes nothing else with it. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  const t = useWords();
  return (
    <div role="alert">
      <EmptyState
        title={t('app.brokenTitle')}
        text={`${t('app.brokenText')} (${error instanceof Error ? error.message : String(error)})`}
        action={<Button onClick={reset}>{t('app.tryAgain')}</Button>}
      />
    </div>
  );
}
