import { useCallback, useState, type ReactNode } from 'react';
import { onDemand } from '../../ui/late.tsx';

const ReportDialog = onDemand(async () => (await import('./report-dialog.tsx')).ReportDialog);

/** Of a row that has the focus. */
export const REPORT_KEY = 'r';

/** How orders of an account were executed, one at a time; it stays when the row that opened it goes. */
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
