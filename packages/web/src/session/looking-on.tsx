import { short } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { Button } from '../ui/button.tsx';
import { forgetView, restoreSession } from './stored-session.ts';
import { useSession } from './use-session.ts';

/** Above every screen while somebody else's account is looked at: whose it is, and the way back. */
export function LookingOn() {
  const t = useWords();
  const session = useSession();
  if (session?.kind !== 'spectator') return null;
  const leave = (): void => {
    forgetView();
    void restoreSession();
  };
  return (
    <div
      role="status"
      className="flex min-h-9 flex-wrap items-center justify-center gap-x-3 border-b border-line bg-raised px-4 py-1 text-12"
    >
      <span>
        {t('header.lookingOnAs')}{' '}
        <span className="font-mono" title={session.address}>
          {short(session.address)}
        </span>
        <span className="text-muted"> · {t('header.readOnly')}</span>
      </span>
      <Button size="small" onClick={leave}>
        {t('header.leave')}
      </Button>
    </div>
  );
}
