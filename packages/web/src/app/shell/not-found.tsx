import { Link } from '@tanstack/react-router';
import { useWords } from '../../lib/words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

export function NotFound() {
  const t = useWords();
  return (
    <EmptyState
      title={t('app.notFoundTitle')}
      text={t('app.notFoundText')}
      action={
        <Link to="/" className="text-accent hover:underline">
          {t('app.toMarkets')}
        </Link>
      }
    />
  );
}
