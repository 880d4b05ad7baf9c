import { useEffect } from 'react';
import { openAlerts, showAlerts, useAlerts, useShownAlerts } from '../../market/alerts/alerts.ts';
import { useIsSessionLoaded, useSession } from '../../session/session.ts';
import { late, onDemand } from '../../ui/late.tsx';
import { useHotkey } from '../../ui/keyboard.tsx';

const AlertsDialog = late(async () => (await import('./alerts-dialog.tsx')).AlertsDialog);
const AlertWatch = onDemand(async () => (await import('./alert-watch.tsx')).AlertWatch);

/** Alerts of whoever acts here: watched while there are some, and their list when it is asked for. */
export function Alerts() {
  const user = useSession()?.address;
  const isSessionLoaded = useIsSessionLoaded();
  const { endMinutes, hasFills, marginFrom, rows } = useAlerts();
  const { isOpen } = useShownAlerts();
  useHotkey('a', () => showAlerts());
  useEffect(() => {
    if (isSessionLoaded) openAlerts(user);
  }, [isSessionLoaded, user]);
  const hasSome = rows.length > 0 || hasFills || [endMinutes, marginFrom].some(Boolean);
  return (
    <>
      {hasSome && <AlertWatch />}
      {isOpen && <AlertsDialog />}
    </>
  );
}
