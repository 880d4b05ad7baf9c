import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { Operation } from './operation.ts';
import { Refusal } from './refusal.tsx';

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
  /** What the button says. */
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
