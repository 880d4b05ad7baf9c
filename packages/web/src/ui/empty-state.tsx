import { type ReactNode, useCallback, useRef, useState } from 'react';
import { explainError, type NameOf, type Remedy, remedyLabel } from '../lib/explain-error.ts';
import { useWords } from '../lib/words.ts';
import { Button } from './button.tsx';

type EmptyStateProps = {
  readonly title: string;
  readonly text?: string | undefined;
  readonly action?: ReactNode;
};

export function EmptyState({ title, text, action }: EmptyStateProps) {
  return (
    <div className="flex h-full min-h-24 flex-col items-center justify-center gap-1 p-4 text-center">
      <p className="text-13 text-text">{title}</p>
      {text !== undefined && <p className="max-w-96 text-12 text-balance text-muted">{text}</p>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

export function Skeleton({ width = '6ch' }: { readonly width?: string }) {
  return (
    <span
      aria-hidden="true"
      style={{ width }}
      className="inline-block h-3 max-w-full rounded bg-raised align-middle"
    />
  );
}

type Offer = { readonly label: string; readonly act: () => void };

export function ErrorSentence({
  error,
  nameOf,
  onRemedy,
  sentence: own,
  also = [],
}: {
  readonly error: unknown;
  readonly nameOf?: NameOf | undefined;
  /** Does what a button offers; without it, or where it says no, there is no button. */
  readonly onRemedy?: ((remedy: Remedy) => (() => void) | undefined) | undefined;
  /** In place of the venue's words, where the form knows more, such as units. */
  readonly sentence?: string | undefined;
  /** What only the form can offer; it stands first. */
  readonly also?: readonly Offer[];
}) {
  const t = useWords();
  const { docs, remedies, sentence } = explainError(error, t, nameOf);
  const known = remedies.flatMap((remedy) => {
    const act = onRemedy?.(remedy);
    return act === undefined ? [] : [{ label: remedyLabel(remedy, t), act }];
  });
  const offers = [...also, ...known];
  return (
    <div role="alert" className="border-s-2 border-warning py-0.5 ps-3 text-12">
      <p className="break-words">
        {own ?? sentence}{' '}
        {docs !== undefined && (
          <a href={docs} target="_blank" rel="noreferrer" className="text-accent underline">
            {t('error.why')}
          </a>
        )}
      </p>
      {offers.length > 0 && (
        <p className="mt-1 flex flex-wrap gap-2">
          {offers.map(({ act, label }) => (
            <Button key={label} size="small" onClick={act}>
              {label}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}

export type Doing = {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Starts it; a second start while one is under way does nothing. True when it went through. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
};

/** Something that a button or a key starts: whether it is under way, and why it failed. */
export function useDoing(): Doing {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Not the state: a key that is held down comes again before the page is drawn anew.
  const isUnderWay = useRef(false);
  const run = useCallback(async (act: () => Promise<unknown>): Promise<boolean> => {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    setIsBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      isUnderWay.current = false;
      setIsBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(undefined), []);
  return { isBusy, error, run, clear };
}
