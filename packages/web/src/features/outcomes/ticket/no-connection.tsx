import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';

/** Stands in the place of whatever would send something, and says why nothing is sent. */
export function NoConnection() {
  const t = useWords();
  return (
    <Button size="large" isWide disabled>
      {t('outcomes.ticket.lost')}
    </Button>
  );
}
