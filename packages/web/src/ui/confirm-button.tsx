import { useEffect, useState } from 'react';
import { useWords } from '../lib/words.ts';
import { Button, type ButtonSize } from './button.tsx';

const ARMED_MS = 5_000;

/** For what can't be undone: the first press asks, a second one within a few seconds does it. */
export function ConfirmButton({
  label,
  sure,
  isBusy = false,
  size = 'medium',
  onConfirm,
}: {
  readonly label: string;
  /** What the second press does, in words. */
  readonly sure: string;
  readonly isBusy?: boolean;
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
      title={isArmed ? t('ui.pressAgain') : undefined}
      aria-live="polite"
      onBlur={() => setIsArmed(false)}
      onClick={() => {
        if (isArmed) onConfirm();
        setIsArmed(!isArmed);
      }}
    >
      {isArmed ? sure : label}
    </Button>
  );
}
