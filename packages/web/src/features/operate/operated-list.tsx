import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { NeedsRole, Refusal } from './refusal.tsx';

/** A list that an operator adds to: the button for it, or whose key it takes, and why something did not go. */
export function OperatedList({
  who,
  isOperator,
  add,
  help,
  error,
  onAdd,
  children,
}: {
  readonly who: 'admin' | 'deployer';
  readonly isOperator: boolean;
  /** What the button says. */
  readonly add: string;
  readonly help: string;
  readonly error: unknown;
  readonly onAdd: () => void;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-h-0 flex-col">
      {isOperator ? (
        <div className="flex items-center gap-4 border-b border-line px-4 py-2">
          <Button kind="accent" onClick={onAdd}>
            {add}
          </Button>
          <p className="text-12 text-muted">{help}</p>
        </div>
      ) : (
        <NeedsRole who={who} />
      )}
      {error !== undefined && (
        <div className="px-4 py-2">
          <Refusal error={error} />
        </div>
      )}
      {children}
    </div>
  );
}
