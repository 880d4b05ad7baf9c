import { useWords } from '../../lib/words.ts';
import { Badge } from '../../ui/badge.tsx';

/** Beside an account that the venue itself trades with. */
export function SimulatedBadge() {
  const t = useWords();
  return (
    <span title={t('explorer.botText')}>
      <Badge>{t('explorer.bot')}</Badge>
    </span>
  );
}
