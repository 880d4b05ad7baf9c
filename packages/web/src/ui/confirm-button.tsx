import { useEffect, useState } from 'react';
import { useWords } from '../lib/words.ts';
import { Button, type ButtonSize } from './button.tsx';

const ARMED_MS = 5_000;

/**
 * For what can't be undone, or touches others: the first press asks, a second one within a few seconds does it. The second
 * half of a double click is no answer to a question that nobody has read yet.
 */
export function ConfirmButton({
  label,
  sure,
  heard,
  isBusy = false,
  isDisabled = false,
  size = 'medium',
  onConfirm,
}: {
  readonly label: string;
  /** What the second press does, in words. */
  readonly sure: string;
  /** Both as they are told by ear, where several buttons say the same. */
  readonly heard?: { readonly label: string; readonly sure: string };
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly size?: ButtonSize;
  readonly onConfirm: () => void;
}) {
  const t = useWords();
  const [isArmed, setIsArmed] = useState(false);
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(() => setIsArmed(false), ARMED_MS);
    return () => clearTimeout(timer);
  }, [isArmed]);
  return (
    <Button
      size={size}
      kind={isArmed ? 'danger' : 'plain'}
      isBusy={isBusy}
      disabled={isDisabled}
      title={isArmed ? t('ui.pressAgain') : undefined}
      aria-label={isArmed ? heard?.sure : heard?.label}
      aria-live="polite"
      onBlur={() => setIsArmed(false)}
      onClick={({ detail }) => {
        if (detail > 1) return;
        if (isArmed) onConfirm();
        setIsArmed(!isArmed);
      }}
    >
      {isArmed ? sure : label}
    </Button>
  );
}
