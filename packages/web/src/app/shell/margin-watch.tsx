import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { useStore } from 'zustand';
import { percent } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { hasReached, worstUse, type MarginUse } from '../../market/margin-use.ts';
import { useSession } from '../../session/use-session.ts';
import { playTone } from '../../ui/play-tone.ts';
import { preferences } from '../../ui/preferences.ts';
import { notify } from '../../ui/toast.tsx';

/** In the header, once it is worth worrying about; and a notice before the venue has to act. */
export function MarginWatch() {
  const t = useWords();
  const user = useSession()?.address;
  const use = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'perp' },
    ({ state }) => (state === undefined ? undefined : worstUse(state)),
  );
  const { marginNoticeFrom, marginShownFrom } = useStore(preferences);
  const isUrgent = use !== undefined && hasReached(use, marginNoticeFrom);
  const tell = useEffectEvent((): void => {
    if (use === undefined) return;
    notify({ ...wordsOf(use), tone: 'warning' });
    if (preferences.getState().hasSound) playTone();
  });
  // Once each time that it comes there.
  useEffect(() => {
    if (isUrgent) tell();
  }, [isUrgent]);
  if (use === undefined || !hasReached(use, marginShownFrom)) return null;
  return (
    <Link
      to="/portfolio"
      title={wordsOf(use).text}
      className="flex h-6 items-center rounded bg-warning/15 px-2 text-12 whitespace-nowrap text-warning"
    >
      {t('header.margin', { share: percent(use.share, { decimals: 0 }) })}
    </Link>
  );

  function wordsOf({ market, share }: MarginUse): {
    readonly title: string;
    readonly text: string;
  } {
    const words = { share: percent(share, { decimals: 1 }), market };
    return {
      title: t(market === undefined ? 'news.nearEnd' : 'news.nearEndOf', words),
      text: t('news.nearEndText', words),
    };
  }
}
