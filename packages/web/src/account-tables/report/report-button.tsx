import type { ReactNode } from 'react';
import { useWords } from '../../lib/words.ts';

/** The price of an order or of a fill, which a press explains. What no order caused has no id, and no report. */
export function ReportButton({
  oid,
  onOpen,
  children,
}: {
  readonly oid: number;
  readonly onOpen: (oid: number) => void;
  readonly children: ReactNode;
}) {
  const t = useWords();
  if (oid === 0) return children;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      title={t('origin.report')}
      onClick={() => onOpen(oid)}
      className="rounded underline decoration-faint decoration-dotted underline-offset-2 hover:decoration-solid"
    >
      {children}
    </button>
  );
}
