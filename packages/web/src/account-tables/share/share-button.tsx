import { useState, type ReactNode } from 'react';
import { useWords } from '../../lib/words.ts';
import { onDemand } from '../../ui/late.tsx';
import type { SharedResult } from './shared-result.ts';

const ShareDialog = onDemand(async () => (await import('./share-dialog.tsx')).ShareDialog);

/** A result that can be shared by a press on it. */
export function ShareButton({
  of,
  children,
}: {
  /** Read when it is pressed: figures move all the time. */
  readonly of: () => SharedResult;
  readonly children: ReactNode;
}) {
  const t = useWords();
  const [shared, setShared] = useState<SharedResult>();
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={t('share.button')}
        onClick={() => setShared(of())}
        className="rounded underline decoration-faint decoration-dotted underline-offset-2 hover:decoration-solid"
      >
        {children}
      </button>
      {shared !== undefined && <ShareDialog shared={shared} onClose={() => setShared(undefined)} />}
    </>
  );
}
