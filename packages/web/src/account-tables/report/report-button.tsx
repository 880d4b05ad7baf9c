import { useCallback, useState, type ReactNode } from 'react';
import { useWords } from '../../lib/words.ts';
import { onDemand } from '../../ui/states.tsx';

type ReportButtonProps = {
  readonly oid: number;
  readonly onOpen: (oid: number) => void;
  readonly children: ReactNode;
};

export function ReportButton({ oid, onOpen, children }: ReportButtonProps) {
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

const ReportDialog = onDemand(async () => (await import('./report-dialog.tsx')).ReportDialog);

export const REPORT_KEY = 'r';

/** The report stays open when the row it was opened from disappears. */
export function useReport(user: string): {
  readonly open: (oid: number) => void;
  readonly dialog: ReactNode;
} {
  const [asked, setAsked] = useState<number>();
  const open = useCallback((oid: number) => {
    if (oid !== 0) setAsked(oid);
  }, []);
  const dialog = asked !== undefined && (
    <ReportDialog user={user} oid={asked} onClose={() => setAsked(undefined)} />
  );
  return { open, dialog };
}
