import { useEffect, useRef } from 'react';
import { useWords } from '../lib/words.ts';

/** What lies behind the last row: nothing at all, older rows, rows on their way, or the end after some. */
export type Older = {
  readonly status: 'whole' | 'some' | 'asking' | 'failed' | 'end';
  /** Asks for the next page. */
  more(): void;
};

/** So far below what is seen a page is asked for already, also within a box that scrolls by itself. */
const AHEAD = { scrollMargin: '400px', rootMargin: '400px' };

/** Behind the last row: asks for older ones when it comes into sight, and says how it stands. */
export function OlderRows({ older: { more, status } }: { readonly older: Older }) {
  const t = useWords();
  const foot = useRef<HTMLDivElement>(null);
  const latest = useRef(more);
  useEffect(() => {
    latest.current = more;
  });
  useEffect(() => {
    if (status !== 'some' || foot.current === null) return undefined;
    const sight = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    }, AHEAD);
    sight.observe(foot.current);
    return () => sight.disconnect();
  }, [status]);
  if (status === 'whole') return null;
  return (
    <div
      ref={foot}
      role="status"
      className="flex h-8 items-center justify-center gap-2 text-12 text-muted"
    >
      {status === 'end' && t('ui.noOlder')}
      {status === 'failed' && (
        <>
          {t('ui.olderFailed')}
          <button type="button" className="text-accent hover:underline" onClick={more}>
            {t('ui.tryAgain')}
          </button>
        </>
      )}
      {(status === 'some' || status === 'asking') && t('ui.asksOlder')}
    </div>
  );
}
