import { useWords } from '../lib/words.ts';
import { Badge } from './badge.tsx';

/** Beside an account that the venue itself trades with. */
export function SimulatedBadge() {
  const t = useWords();
  return (
    <span title={t('ui.botText')}>
      <Badge>{t('ui.bot')}</Badge>
    </span>
  );
}
