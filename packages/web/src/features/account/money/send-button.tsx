import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import type { Doing } from '../../../ui/use-doing.ts';

/** The button that moves the money, and why it did not. */
export function SendButton({
  doing: { error, isBusy },
  isReady,
  label,
  onSend,
}: {
  readonly doing: Doing;
  readonly isReady: boolean;
  readonly label: string;
  readonly onSend: () => void;
}) {
  return (
    <>
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
      {error !== undefined && <ErrorSentence error={error} />}
    </>
  );
}
