import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../lib/local-texts.ts';
import { alertsOf, NO_ALERTS, type Alerts } from './alerts.ts';

/** The alerts of whoever acts here, in this browser; somebody without an account has a list as well. */
type Kept = { readonly owner: string; readonly alerts: Alerts };

const PREFIX = 'oddlot.alerts.';
const NOBODY = 'nobody';

const kept = createStore<Kept>(() => ({ owner: '', alerts: NO_ALERTS }));

if (typeof addEventListener === 'function') {
  // Another tab of the same browser may have changed them.
  addEventListener('storage', ({ key, newValue }) => {
    const { owner } = kept.getState();
    if (key === PREFIX + owner) kept.setState({ owner, alerts: alertsOf(newValue) });
  });
}

/** Turns to the list of another account. */
export function openAlerts(account: string | undefined): void {
  const owner = account ?? NOBODY;
  if (owner === kept.getState().owner) return;
  kept.setState({ owner, alerts: alertsOf(readText(PREFIX + owner)) });
}

export function currentAlerts(): Alerts {
  return kept.getState().alerts;
}

export function useAlerts(): Alerts {
  return useStore(kept, ({ alerts }) => alerts);
}

export function changeAlerts(change: (alerts: Alerts) => Alerts): void {
  const { alerts: before, owner } = kept.getState();
  const alerts = change(before);
  if (alerts === before) return;
  kept.setState({ owner, alerts });
  keepText(PREFIX + owner, JSON.stringify(alerts));
}

/** Whether the list is shown, and for which market a new one is offered. */
type Shown = { readonly isOpen: boolean; readonly coin: string | undefined };

const shown = createStore<Shown>(() => ({ isOpen: false, coin: undefined }));

export function showAlerts(coin?: string): void {
  shown.setState({ isOpen: true, coin });
}

export function hideAlerts(): void {
  shown.setState({ isOpen: false, coin: undefined });
}

export function useShownAlerts(): Shown {
  return useStore(shown);
}
