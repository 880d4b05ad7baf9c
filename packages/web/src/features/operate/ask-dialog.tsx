import { type ReactNode, useEffect, useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { Operation } from './operation.ts';
import { Refusal } from './refusal.tsx';

/** Longer than a double click or a key that is held: those never confirm what they have just asked for. */
const PAUSE_MS = 800;

/** Asks before something that holds for everybody: what it is, whom it touches, and a button that says it again. */
export function AskDialog({
  title,
  description,
  label,
  typed,
  isDangerous = true,
  operation: { error, isBusy },
  onSend,
  onClose,
  children,
}: {
  readonly title: string;
  readonly description: string;
  readonly label: string;
  readonly typed?: string;
  readonly isDangerous?: boolean;
  readonly operation: Pick<Operation, 'error' | 'isBusy'>;
  readonly onSend: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const t = useWords();
  const [name, setName] = useState('');
  const isAwake = useIsAwake();
  const isNamed = typed === undefined || name.trim().toUpperCase() === typed.toUpperCase();
  // The second half of a double click falls beside the dialog, which would close it unread.
  const dismiss = (): void => {
    if (isAwake) onClose();
  };
  return (
    <Dialog title={title} description={description} isOpen onClose={dismiss}>
      {children}
      {typed !== undefined && (
        <div className="mt-4">
          <TextField
            label={t('operate.typeName', { name: typed })}
            value={name}
            placeholder={typed}
            onChange={setName}
          />
        </div>
      )}
      <div className="mt-4 flex flex-col gap-3">
        {error !== undefined && <Refusal error={error} />}
        <div className="flex gap-2">
          <Button size="large" onClick={onClose}>
            {t('operate.leaveIt')}
          </Button>
          <span className="min-w-0 flex-1">
            <Button
              kind={isDangerous ? 'danger' : 'accent'}
              size="large"
              isWide
              isBusy={isBusy}
              disabled={!isAwake || !isNamed}
              onClick={onSend}
            >
              {label}
            </Button>
          </span>
        </div>
      </div>
    </Dialog>
  );
}

/** False for the first moment. */
function useIsAwake(): boolean {
  const [isAwake, setIsAwake] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsAwake(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isAwake;
}

export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly label: string; readonly value: ReactNode }[];
}) {
  return (
    <dl className="flex flex-col gap-1">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex justify-between gap-4">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 text-end break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A form in a dialog: its fields, why the venue refused it, and the button that sends it. */
export function FormDialog({
  title,
  description,
  isWide = false,
  label,
  isReady,
  operation: { error, isBusy },
  onSend,
  onClose,
  children,
}: {
  readonly title: string;
  readonly description: string;
  readonly isWide?: boolean;
  readonly label: string;
  readonly isReady: boolean;
  readonly operation: Pick<Operation, 'error' | 'isBusy'>;
  readonly onSend: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} description={description} isOpen isWide={isWide} onClose={onClose}>
      {children}
      <div className="mt-4 flex flex-col gap-3">
        {error !== undefined && <Refusal error={error} />}
        <Button
          kind="accent"
          size="large"
          isWide
          isBusy={isBusy}
          disabled={!isReady}
          onClick={onSend}
        >
          {label}
        </Button>
      </div>
    </Dialog>
  );
}
